"""Parameters as users write them."""

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.tables.parameters import checked, parse_pairs


def test_values_are_yaml():
    found = parse_pairs(["a=1e-3", "b=no", "c=[1, 2]", "d=", "e=x=y", "f=true"])
    assert found == {"a": 0.001, "b": "no", "c": [1, 2], "d": None, "e": "x=y", "f": True}


@pytest.mark.parametrize(("pair", "words"), [("a", "NAME=VALUE"), ("a=[1", "flow sequence")])
def test_pairs_that_are_none(pair, words):
    with pytest.raises(UserError, match=words):
        parse_pairs([pair])


def test_what_was_given_comes_back():
    given = {"n_estimators": 7, "max_depth": None}
    found = checked("geodesic_forest", given, "neighbors")
    assert found == given
    assert found is not given
    assert checked("isomap", None, "neighbors") == {}


def test_a_shape_goes_where_one_is_taken():
    assert checked("morf", {}, "classifier", (8, 8)) == {"image_shape": (8, 8)}
    assert checked("rf", {}, "classifier", (8, 8)) == {}
    own = {"image_shape": (4, 16)}
    assert checked("morf", own, "classifier", (8, 8)) == own


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
    own = {"patch_width": (2, 3)}
    assert checked("morf", own, "classifier", shape)["patch_width"] == (2, 3)
