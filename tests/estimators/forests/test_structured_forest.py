"""Structured GF: patches without labels, against twins on explicit sums and by what it finds."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.growth import tree_seeds
from geoforest_cli.estimators.forests.patches import Grid, Images, Patches
from geoforest_cli.estimators.forests.structured_forest import StructuredGeodesicForest
from geoforest_cli.problems.simulations.structured import impulse
from tests import naive

RNG = np.random.default_rng(31)
NOISE = RNG.normal(size=(50, 24))
TABLES = {
    "continuous": NOISE + 3 * (np.arange(24) < 12) * (np.arange(50) % 2)[:, None],
    "whole": RNG.poisson(3.0, size=(50, 24)).astype(float),
    "two values": (RNG.random((50, 24)) < np.linspace(0.1, 0.9, 50)[:, None]).astype(float),
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
    found = forest.forest_.leaf_of[t]
    return {frozenset(np.flatnonzero(found == leaf)) for leaf in set(found)}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("shape", SHAPES)
def test_trees_are_those_of_the_twin_on_sums_of_pixels(table, shape):
    X, patches = TABLES[table], SHAPES[shape]
    forest = forest_of(patches, min_parent=12, max_projections=9).fit(X)
    for t, seed in enumerate(tree_seeds(7, 3)):
        told = naive.grow_default_tree(
            X, seed, min_parent=12, share=0.125, floor=0.015, budget=9, patches=patches
        )
        assert leaves_of(forest, t) == told


@pytest.mark.parametrize("criterion", ["delta_bic", "two_means", "fast_bic", "mclust_bic"])
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
    one, two = (
        StructuredGeodesicForest(2, random_state=1).fit(x).forest_
        for x in (X, (X + shift) * factor)
    )
    assert np.array_equal(one.features, two.features)
    assert np.array_equal(one.leaf_of, two.leaf_of)


def test_patches_around_the_whole_circle_start_nowhere():
    X = TABLES["continuous"]
    around = Patches(1, 24, (1, 1), (24, 24), wrap=True)
    # every patch is the whole circle, wherever it starts
    one, two = (forest_of(around).fit(np.roll(X, s, axis=1)).forest_ for s in (0, 5))
    assert np.array_equal(one.leaf_of, two.leaf_of)


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


def test_holes_are_refused():
    X = NOISE.copy()
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        StructuredGeodesicForest(2).fit(X)
    with pytest.raises(ValueError, match="contains NaN"):
        StructuredGeodesicForest(2, random_state=0).fit(NOISE).kneighbors(X)
    assert not StructuredGeodesicForest().__sklearn_tags__().input_tags.allow_nan


@pytest.mark.parametrize(("p", "most"), [(2, 1), (4, 1), (5, 2), (100, 25)])
def test_default_patches_are_up_to_a_quarter_of_the_side(p, most):
    forest = StructuredGeodesicForest(2, random_state=0).fit(RNG.normal(size=(30, p)))
    assert forest._images.patches == Patches(1, p, (1, 1), (1, most))


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


def share(model, X, y, k=10):
    near = model.fit(X).kneighbors(n_neighbors=k, return_distance=False)
    return float((y[near] == y[:, None]).mean())


@pytest.mark.compiled
def test_a_weak_signal_over_many_steps_is_found():
    X, y = impulse(400, np.random.default_rng(4))
    ours = share(StructuredGeodesicForest(200, random_state=1, n_jobs=2), X, y)
    assert ours > 0.68
    assert ours > share(NearestNeighbors(), X, y) + 0.07
    assert ours > share(GeodesicForest(100, random_state=1, n_jobs=2), X, y) + 0.1
    # it is the order of the steps that tells
    turn = np.random.default_rng(5).permutation(100)
    assert share(StructuredGeodesicForest(100, random_state=1), X[:, turn], y) < ours - 0.07


@pytest.mark.compiled
def test_series_of_yes_and_no_are_not_drowned_by_their_steps():
    """Without the variance within a step every sum of a few zeros and ones is two clusters."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    often = np.full((400, 100), 0.3)
    often[y == 1, 30:60] = 0.55
    X = (rng.random((400, 100)) < often).astype(float)
    ours = share(StructuredGeodesicForest(60, random_state=1, n_jobs=2), X, y)
    # off their steps by a hundredth no two values are one
    shaken = X + rng.uniform(-0.01, 0.01, X.shape)
    unaware = share(StructuredGeodesicForest(60, random_state=1, n_jobs=2), shaken, y)
    assert ours > 0.82
    assert ours > max(unaware, share(NearestNeighbors(), X, y)) + 0.05


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
