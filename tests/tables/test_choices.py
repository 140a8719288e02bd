"""Where the numbers of a call end: groups, levels, seeds, shapes, and lists of names."""

import numpy as np
import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.tables.choices import parse_group, require_level, require_seed
from geoforest_cli.tables.groups import GroupChoice
from geoforest_cli.tables.messages import as_argument, format_names, max_names
from geoforest_cli.tables.screens import ScreenOptions, ScreenResult
from geoforest_cli.tables.table import UserTable


@pytest.mark.parametrize(
    ("text", "group"),
    [(None, None), ("", ""), ("2", 2), ("007", 7), ("-2", "-2"), ("2.0", "2.0"), ("width", "width"),
     ("9" * 9, 999_999_999), ("9" * 10, "9" * 10)],
)  # fmt: skip
def test_digits_are_the_number_of_a_group(text, group):
    found = parse_group(text)
    assert (found, type(found)) == (group, type(group))


@pytest.mark.parametrize("level", [0, 0.0, 1, 1.0, -0.5, 1.5, np.nan, np.inf, "0.5", None, 0.5j])
def test_what_is_no_level(level):
    with pytest.raises(UserError, match=r"a level lies between 0 and 1$"):
        require_level(level)


@pytest.mark.parametrize("seed", [-1, 2**32, 1.0, "1", None])
def test_what_is_no_seed(seed):
    with pytest.raises(UserError, match=r"a seed is a whole number from 0 to 4294967295$"):
        require_seed(seed)


@pytest.mark.parametrize("most", [0, 1, 3, 10])
def test_one_name_more_than_the_most_takes_no_more_room_than_its_number(most):
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


def test_an_argument_has_a_line_at_most():
    longest = "x" * 251
    assert as_argument("k", longest) == f"k='{longest}'"
    assert f"'{longest}x'" not in as_argument("k", f"{longest}x")
    assert len(as_argument("k", "x" * 5000)) < 300


GROUPS = np.array([2, 1, -1, 1, 2, 1])


def chosen(group, monkeypatch, groups=GROUPS):
    """Return the columns of each group that a choice takes of six columns a to f."""
    names = tuple("abcdef"[: len(groups)])
    zeros = np.zeros(len(groups))
    found = ScreenResult(names, groups > 0, zeros, zeros, zeros, zeros.astype(int), groups=groups)
    monkeypatch.setattr(ScreenOptions, "fit", lambda *_: found)
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
    assert chosen(group, monkeypatch) == numbers


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
        chosen(group, monkeypatch, groups)
