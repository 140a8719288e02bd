"""Where the numbers of a call end: groups, levels, seeds, shapes, and lists of names."""

import numpy as np
import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.tables.choices import parse_group, require_level, require_seed
from geoforest_cli.tables.groups import GroupChoice
from geoforest_cli.tables.messages import format_names, max_names
from geoforest_cli.tables.parameters import checked, parse_pairs
from geoforest_cli.tables.scaling import chosen_scale, scaled
from geoforest_cli.tables.screens import ScreenOptions, ScreenResult
from geoforest_cli.tables.shapes import require_columns, sides
from geoforest_cli.tables.table import UserTable


@pytest.mark.parametrize(
    ("text", "group"),
    [(None, None), ("", ""), ("2", 2), ("007", 7), ("-2", "-2"), ("2.0", "2.0"), ("width", "width"),
     ("9" * 9, 999_999_999), ("9" * 10, "9" * 10)],
)  # fmt: skip
def test_digits_are_the_number_of_a_group(text, group):
    number = parse_group(text)
    assert (number, type(number)) == (group, type(group))


@pytest.mark.parametrize("level", [0, 0.0, 1, 1.0, -0.5, 1.5, np.nan, np.inf, "0.5", None, 0.5j])
def test_what_is_no_level(level):
    with pytest.raises(UserError, match=r"a level lies between 0 and 1$"):
        require_level(level)


@pytest.mark.parametrize("seed", [-1, 2**32, 1.0, "1", None])
def test_what_is_no_seed(seed):
    with pytest.raises(UserError, match=r"a seed is a whole number from 0 to 4294967295$"):
        require_seed(seed)


@pytest.mark.parametrize("most", [0, 1, 3, 10])
def test_one_name_too_many_takes_the_room_of_its_number(most):
    for count in range(1, 14):
        names = [f"n{i}" for i in range(count)]
        whole = count <= most + 1
        expected = (
            ", ".join(names) if whole else f"{', '.join(names[:most])} and {count - most} more"
        )
        assert format_names(names, most) == expected
        token = max_names.set(most)
        try:
            assert format_names(names) == expected
        finally:
            max_names.reset(token)


GROUPS = np.array([2, 1, -1, 1, 2, 1])


def numbers_of(group, monkeypatch, groups=GROUPS):
    """Return the columns of each group that a choice takes of six columns a to f."""
    names = tuple("abcdef"[: len(groups)])
    zeros = np.zeros(len(groups))
    result = ScreenResult(names, groups > 0, zeros, zeros, zeros, zeros.astype(int), groups=groups)
    monkeypatch.setattr(ScreenOptions, "fit", lambda *_: result)
    table = UserTable(np.tile(np.arange(len(groups)), (3, 1)), None, names, names, (), "t")
    screening = ScreenOptions("pairs", grouped=True)
    tables = GroupChoice(group, screening).tables(table)
    for number, (part, screened) in tables.items():
        assert part.columns == screened.selected == tuple(np.array(names)[groups == number])
        assert part.points[0].tolist() == np.flatnonzero(groups == number).tolist()
        count = f"{len(part.columns)} of {len(groups)} columns: {', '.join(part.columns)}."
        assert screened.note == f"Group {number} of {groups.max()}, {count}"
    return list(tables)


@pytest.mark.parametrize(
    ("group", "numbers"),
    [(1, [1]), (2, [2]), (np.int64(2), [2]), ("each", [1, 2]), ("a", [2]), ("b", [1]), ("f", [1])],
)
def test_a_group_is_a_number_or_holds_a_column(group, numbers, monkeypatch):
    assert numbers_of(group, monkeypatch) == numbers


@pytest.mark.parametrize(
    ("group", "groups", "said"),
    [
        (0, GROUPS, "^group=0: t has 2 groups of columns, so that 1 to 2 is possible"),
        (3, GROUPS, "^group=3: t has 2 groups of columns, so that 1 to 2 is possible"),
        (2, np.array([1, 1]), "^group=2: t has 1 group of columns, so that 1 is possible"),
        ("c", GROUPS, "^group='c': this column depends on no other and is in no group; t has 2 gr"),
        ("g", GROUPS, r"^group='g': unknown column 'g' \(known: a, b, d, e, f\)"),
        (1, np.array([-1, -1]), r"^group=1: t has no group, since no column .* \(pairs, family-wi"),
    ],
)
def test_a_group_that_is_not_there(group, groups, said, monkeypatch):
    with pytest.raises(UserError, match=said):
        numbers_of(group, monkeypatch, groups)


@pytest.mark.parametrize(
    ("written", "shape"),
    [
        ("28x14", (28, 14)),
        (" 3 X 5 ", (3, 5)),
        ((7, 2), (7, 2)),
        ("12", (1, 12)),
        (12, (1, 12)),
        (None, None),
    ],
)
def test_height_comes_before_width(written, shape):
    assert sides(written) == shape


@pytest.mark.parametrize("written", ["3x", "x3", "3x4x5", "-3", "2.5", ""])
def test_what_is_no_shape(written):
    with pytest.raises(UserError, match="a shape is HEIGHTxWIDTH, such as 28x28, or a length"):
        sides(written)


def test_a_shape_makes_all_columns_and_no_more():
    for shape in ("3x4", "12", (2, 6), None):
        require_columns(shape, 12)
    for shape, made in (("3x5", 15), ("3x3", 9), (11, 11)):
        with pytest.raises(UserError, match=f"that makes {made} columns, not 12"):
            require_columns(shape, 12)


# the spreads of the columns differ by these factors
ALIKE, TEN, UNLIKE, FAR = (np.array([[0.0, 0.0], [1.0, ratio]]) for ratio in (3, 10, 11, 99))


@pytest.mark.parametrize(
    ("method", "points", "scale", "wanted", "said"),
    [
        ("isomap", ALIKE, "auto", "none", ""),
        ("isomap", TEN, "auto", "none", ""),
        ("isomap", UNLIKE, "auto", "standardise", "each is divided by its own"),
        ("isomap", FAR, "auto", "standardise", "differ by a factor of 99"),
        ("isomap", UNLIKE, "none", "none", "the widest decide"),
        ("isomap", TEN, "none", "none", ""),
        ("isomap", UNLIKE, "min_max", "min_max", ""),
        ("knn", ALIKE, "auto", "standardise", ""),
        ("knn", UNLIKE, "none", "none", "the widest decide"),
        ("geodesic_forest", FAR, "auto", "none", ""),
        ("geodesic_forest", ALIKE, "standardise", "standardise", ""),
        ("rf", FAR, "min_max", "min_max", ""),
        ("rf", FAR, "none", "none", ""),
    ],
)
def test_the_scale_that_is_chosen(method, points, scale, wanted, said):
    used, note = chosen_scale(method, scale, points)
    assert used == wanted
    assert said in note
    assert bool(said) == bool(note)


def test_pixels_share_one_unit():
    assert chosen_scale("knn", "auto", FAR, images=True) == ("none", "")
    assert chosen_scale("knn", "min_max", FAR, images=True) == ("min_max", "")


def test_points_on_their_own_scale():
    points = np.array([[0.0, 10.0], [1.0, 30.0], [5.0, 20.0]])
    spread = points.std(axis=0)
    assert np.allclose(scaled(points, "standardise"), (points - points.mean(axis=0)) / spread)
    assert np.allclose(scaled(points, "min_max"), (points - points.min(axis=0)) / [5, 20])


def test_values_are_yaml():
    pairs = parse_pairs(["a=1e-3", "b=no", "c=[1, 2]", "d=", "e=x=y", "f=true"])
    assert pairs == {"a": 0.001, "b": "no", "c": [1, 2], "d": None, "e": "x=y", "f": True}


@pytest.mark.parametrize(("pair", "words"), [("a", "NAME=VALUE"), ("a=[1", "flow sequence")])
def test_pairs_that_are_none(pair, words):
    with pytest.raises(UserError, match=words):
        parse_pairs([pair])


def test_what_was_given_comes_back():
    given = {"n_estimators": 7, "max_depth": None}
    params = checked("geodesic_forest", given, "neighbors")
    assert params == given
    assert params is not given
    assert checked("isomap", None, "neighbors") == {}


def test_a_shape_goes_where_one_is_taken():
    assert checked("morf", {}, "classifier", (8, 8)) == {"image_shape": (8, 8)}
    assert checked("rf", {}, "classifier", (8, 8)) == {}
    given = {"image_shape": (4, 16)}
    assert checked("morf", given, "classifier", (8, 8)) == given


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("isomp", {}, r"^method: unknown method 'isomp'; did you mean 'isomap'\?"),
        (
            "morf",
            {},
            "^method='morf': it is among the classifiers: cross_validate takes it; the met",
        ),
        ("smerf", {}, "^method='smerf': it is among the learned distances: a config takes it;"),
        ("isomap", {"n_neighbours": 3}, r"^params=\{'n_neighbours': 3\}: .* 'n_neighbors'\?"),
        ("isomap", {"n_neighbors": 2.5}, "n_neighbors must be a whole number of at least 1$"),
    ],
)
def test_what_is_refused(method, params, words):
    with pytest.raises(UserError, match=words):
        checked(method, params, "neighbors")


def test_a_parameter_that_must_be_given():
    with pytest.raises(UserError, match=r"^method='treeple_morf': image_shape must be given"):
        checked("treeple_morf", {}, "classifier")
    assert checked("treeple_morf", {}, "classifier", (2, 5)) == {"image_shape": (2, 5)}


@pytest.mark.parametrize(
    ("shape", "patches"),
    [
        ((8, 8), {}),
        ((10, 5), {}),
        ((10, 4), {"patch_width": (1, 4)}),
        ((9, 1), {"patch_width": (1, 1)}),
    ],
)
def test_default_patches_fit_in_narrow_images(shape, patches):
    assert checked("morf", None, "classifier", shape) == {"image_shape": shape, **patches}
    given = {"patch_width": (2, 3)}
    assert checked("morf", given, "classifier", shape)["patch_width"] == (2, 3)
