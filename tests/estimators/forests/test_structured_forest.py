"""Structured GF: patches without labels, against slow code on explicit sums and by what it finds."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.growth import tree_seeds
from geoforest_cli.estimators.forests.patches import Grid, Images, Patches
from geoforest_cli.estimators.forests.structured_forest import StructuredGeodesicForest
from tests import naive
from tests.estimators.forests.sampling import by_day

_draws = np.random.default_rng(31)
NOISE = _draws.normal(size=(50, 24))
TABLES = {
    "continuous": NOISE + 3 * (np.arange(24) < 12) * (np.arange(50) % 2)[:, None],
    "whole": _draws.poisson(3.0, size=(50, 24)).astype(float),
    "two values": (_draws.random((50, 24)) < np.linspace(0.1, 0.9, 50)[:, None]).astype(float),
}
SHAPES = {
    "image": Patches(4, 6, (1, 2), (1, 3)),
    "series": Patches(1, 24, (1, 1), (2, 7)),
    "wrap": Patches(4, 6, (1, 3), (2, 6), wrap=True),
    "corner first": Patches(4, 6, (2, 3), (1, 4), order="corner_first"),
}


def forest_of(patches, n_estimators=3, **more):
    return StructuredGeodesicForest(
        n_estimators, image_shape=(patches.height, patches.width), patch_height=patches.heights,
        patch_width=patches.widths, wrap=patches.wrap, order=patches.order,
        **{"random_state": 7} | more,
    )  # fmt: skip


def leaves_of(forest, t):
    leaves = forest.forest_.leaf_of[t]
    return {frozenset(np.flatnonzero(leaves == leaf)) for leaf in set(leaves)}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("shape", SHAPES)
def test_trees_are_those_of_slow_code_on_sums_of_pixels(table, shape):
    X, patches = TABLES[table], SHAPES[shape]
    forest = forest_of(patches, min_parent=12, max_projections=9).fit(X)
    for t, seed in enumerate(tree_seeds(7, 3)):
        expected = naive.grow_default_tree(
            X, seed, min_parent=12, share=0.125, floor=0.015, budget=9, patches=patches
        )
        assert leaves_of(forest, t) == expected
    assert np.array_equal(forest.apply(X), forest.forest_.leaf_of.T)


@pytest.mark.parametrize(
    "criterion", by_day(["delta_bic", "two_means", "fast_bic", "mclust_bic"], ["delta_bic"])
)
@pytest.mark.parametrize("wrap", [False, True])
def test_one_possible_patch_is_an_axis_forest_on_its_sums(criterion, wrap):
    # delta-BIC knows steps: of a column over the whole table, of a patch in each node
    X = TABLES["continuous" if criterion == "delta_bic" else "whole"]
    rules = {"criterion": criterion, "min_parent": 8, "random_state": 3}
    whole = Patches(4, 6, (4, 4), (6, 6), wrap)
    ours = forest_of(whole, 5, **rules).fit(X)
    plain = GeodesicForest(
        5, projection="axis", rescale="none", max_projections=1, n_projections=1, **rules
    ).fit(X.sum(axis=1, keepdims=True))
    for t in range(5):
        assert leaves_of(ours, t) == leaves_of(plain, t)


@settings(max_examples=8, deadline=None)
@given(
    factor=st.sampled_from([0.1, 1 / 3, 2.0, 1e-150, 1e150]),
    table=st.sampled_from(["whole", "two values"]),
    shift=st.integers(-3, 3),
)
def test_neither_unit_nor_zero_of_the_pixels_matter(factor, table, shift):
    X = TABLES[table]
    first, second = (
        StructuredGeodesicForest(2, random_state=1).fit(x).forest_
        for x in (X, (X + shift) * factor)
    )
    assert np.array_equal(first.features, second.features)
    assert np.array_equal(first.leaf_of, second.leaf_of)


@pytest.mark.parametrize(
    ("pixels", "natural"),
    [
        (TABLES["whole"], True),
        (TABLES["two values"] * 0.1, True),
        (np.arange(1200.0).reshape(50, 24) / 255, True),
        (TABLES["continuous"], False),
    ],
)
def test_who_is_recorded_in_steps(pixels, natural):
    assert Images.of(pixels, SHAPES["image"]).grid.natural == natural


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"image_shape": (3, 5)}, "^image_shape 3 x 5 does not make 24 columns$"),
        ({"patch_width": (2, 25)}, "^patches of width 2 to 25 do not fit in an image of width 24$"),
        ({"image_shape": (4, 6), "patch_height": (3, 2)}, "^patches of height 3 to 2 do not fit"),
    ],
)
def test_patches_must_fit(given, words):
    with pytest.raises(DataError, match=words):
        StructuredGeodesicForest(2, **given).fit(NOISE)


@pytest.mark.parametrize(("p", "most"), [(2, 1), (4, 1), (5, 2), (100, 25)])
def test_default_patches_are_up_to_a_quarter_of_the_side(p, most):
    forest = StructuredGeodesicForest(2, random_state=0).fit(
        np.random.default_rng(0).normal(size=(30, p))
    )
    assert forest._images.patches == Patches(1, p, (1, 1), (1, most))
    # drawn one by one until one is good, or as many at once as the paper has
    growth = forest._growth(1000, p)
    assert (growth.n_projections, growth.stop_score) == (1, 0)
    assert growth.max_projections == np.ceil(20 * np.sqrt(p))
    forest.set_params(criterion="fast_bic")
    assert forest._growth(1000, p).n_projections == np.ceil(np.sqrt(p))


@pytest.mark.parametrize("table", TABLES)
def test_the_words_are_the_cuts(table):
    X = TABLES[table] * 0.3
    images = X.reshape(-1, 4, 6)
    forest = forest_of(SHAPES["image"], min_parent=15).fit(X)
    for tree in range(3):
        first, *rest = forest.export_text(tree, decimals=9).splitlines()
        v, bottom, u, right, cut = re.match(
            r"sum\[(\d+):(\d+), (\d+):(\d+)\] < (\S+) \[50\]", first
        ).groups()
        left = images[:, int(v) : int(bottom), int(u) : int(right)].sum(axis=(1, 2)) < float(cut)
        assert 0 < left.sum() < 50
        below = forest.forest_.leaf_of[tree][left]
        assert set(below).isdisjoint(forest.forest_.leaf_of[tree][~left])
        assert any(line.startswith("sum[") and ">=" in line for line in rest)
    series = StructuredGeodesicForest(1, random_state=0).fit(X).export_text()
    assert re.match(r"sum\[\d+:\d+\] < ", series)


@pytest.mark.parametrize("low", [0.0, 0.3, -7.1, 1e3 / 7])
def test_shades_are_seen_wherever_the_pixels_lie(low):
    shades = np.random.default_rng(0).integers(0, 6, (20, 9))
    shades[0, :2] = 0, 5
    grid = Grid.of(0.1 * shades + low, 16)
    assert grid.natural
    assert np.array_equal(grid.round(0.1 * shades + low), shades)


@pytest.mark.parametrize("size", [16, 2**12, 2**14, 10**6])
def test_the_sums_of_all_pixels_are_exact_whole_numbers(size):
    pixels = np.random.default_rng(0).normal(size=(5, 8))
    grid = Grid.of(pixels, size)
    assert not grid.natural
    largest = grid.round(pixels).max()
    assert largest * size <= 2.0**52
    assert largest == pytest.approx(min(2.0**40, 2.0**52 / size))
