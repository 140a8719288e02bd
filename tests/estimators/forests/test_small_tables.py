"""The default forest on small tables: neighbours, stumps, and what is said of them."""

import numpy as np
import pytest

from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest


def line(n):
    t = np.linspace(0, 1, n)
    return np.c_[4 * t, 6 * t, 9 * t], np.abs(t[:, None] - t)


def test_three_points_are_too_few_and_it_says_so():
    with pytest.warns(UserWarning, match="3 rows are few"):
        forest = GeodesicForest(50, random_state=0).fit(line(3)[0])
    assert forest.kneighbors(None, 1, return_distance=False)[[0, 2], 0].tolist() == [1, 1]


@pytest.mark.parametrize(("parent", "leaves"), [(100, 1), (85, 2)])
def test_stumps_are_named(parent, leaves):
    with pytest.warns(UserWarning, match=f"90 rows are few for min_parent = {parent}"):
        forest = GeodesicForest(5, min_parent=parent, random_state=0).fit(line(90)[0])
    assert forest.forest_.n_leaves().tolist() == [leaves] * 5


def test_neighbours_that_share_no_leaf_are_named_and_random():
    X = np.sort(np.random.default_rng(0).normal(size=(120, 1)), axis=0)
    forest = GeodesicForest(3, min_parent=8, random_state=0).fit(X)
    with pytest.warns(UserWarning, match="never share a leaf"):
        distances, rows = forest.kneighbors(None, 100)
    drawn = [r[d == 1] for d, r in zip(distances, rows, strict=True)]
    # a run of rows would have steps of one
    steps = np.concatenate([np.diff(np.sort(r)) for r in drawn])
    with pytest.warns(UserWarning, match="never share a leaf"):
        few = forest.kneighbors(None, 40)
    runs = [np.diff(r[d == 1]) for d, r in zip(*few, strict=True)]
    assert np.mean(np.concatenate(runs) == 1) < 0.1
    assert steps.min() > 0
    for row, own in zip(rows, range(120), strict=True):
        assert len(set(row)) == 100
        assert own not in row


@pytest.mark.parametrize("scale", [1e153, 1e300, 1e-170, 1e-300])
@pytest.mark.parametrize("rescale", ["none", "robust", "standard", "min_max"])
@pytest.mark.parametrize("criterion", ["fast_bic", "mean_bic"])
def test_huge_and_tiny_tables(scale, rescale, criterion):
    X = np.random.default_rng(3).uniform(size=(60, 3))
    rules = {"rescale": rescale, "criterion": criterion, "random_state": 0}
    forest = GeodesicForest(4, **rules).fit(X * scale)
    assert forest.forest_.n_leaves().min() > 2
    assert np.array_equal(forest.apply(X * scale), forest.forest_.leaf_of.T)
