"""Ranking and geodesic precision against naive code, ties and odd input included."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.core.errors import DataError
from geoforest_cli.problems.manifolds.sample import Components, Curve
from geoforest_cli.problems.metrics import METRICS
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import rank_neighbors, retrieved


def naive_rank(D, k):
    """Ties by row number; inf before NaN."""

    def key(item):
        j, d = item
        return (2, 0, j) if math.isnan(d) else (1, 0, j) if math.isinf(d) else (0, d, j)

    lists = []
    for i, row in enumerate(D):
        others = [(j, float(d)) for j, d in enumerate(row) if j != i]
        lists.append([j for j, _ in sorted(others, key=key)][:k])
    return lists


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_ranking_equals_sorting(n, seed):
    rng = np.random.default_rng(seed)
    D = rng.integers(0, 4, (n, n)).astype(float)
    D[rng.random((n, n)) < 0.1] = np.inf
    D[rng.random((n, n)) < 0.1] = np.nan
    assert rank_neighbors(D, n - 1, "index", rng).tolist() == naive_rank(D, n - 1)
    ranked = rank_neighbors(D, n - 1, "random", rng)
    for i in range(n):
        assert sorted(ranked[i]) == [j for j in range(n) if j != i]
        ours = np.nan_to_num(D[i, ranked[i]], nan=1e300, posinf=1e299)
        assert np.all(np.diff(ours) >= 0)


@pytest.mark.parametrize("k", [1, 3])
def test_random_ties_fill_the_last_places_evenly(k):
    # points 1..6 are equally near to point 0: each is among its first k equally often
    D = np.abs(np.subtract.outer(np.r_[0, np.ones(6)], np.r_[0, np.ones(6)]))
    rng = np.random.default_rng(0)
    hits = np.zeros(7)
    for _ in range(3000):
        hits[rank_neighbors(D, k, "random", rng)[0]] += 1
    assert hits[0] == 0
    np.testing.assert_allclose(hits[1:] / 3000, k / 6, atol=0.04)


@pytest.mark.parametrize("k", [0, 5])
def test_impossible_k_is_refused(k):
    rng = np.random.default_rng(12)
    with pytest.raises(DataError, match="1 to 4"):
        rank_neighbors(np.zeros((5, 5)), k, "index", rng)


def naive_precision(true, lists, k):
    return np.mean([len(set(t[:k]) & set(f[:k])) / k for t, f in zip(true, lists, strict=True)])


@given(st.integers(3, 15), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_continuous_precision_is_recall_and_equals_the_sets(n, seed):
    rng = np.random.default_rng(seed)
    arc = rng.normal(size=n)
    lists = rank_neighbors(rng.random((n, n)), n - 1, "index", rng)
    true = naive_rank(np.abs(arc[:, None] - arc).round(9), n - 1)
    for score in precision_recall(Curve(arc), lists, range(1, n), "as_run", rng):
        assert score.precision == score.recall
        assert score.precision == pytest.approx(naive_precision(true, lists, score.k))
        assert score.chance == score.k / (n - 1)


def test_rounded_distances_are_ties():
    arc = np.array([0.0, 1.0, 1.0 + 1e-12, -1.0])
    shares = []
    for seed in range(600):
        rng = np.random.default_rng(seed)
        lists = np.array([[1], [0], [0], [0]])
        shares.append(precision_recall(Curve(arc), lists, [1], "as_written", rng)[0].precision)
    # point 0 has three nearest, 1 and 2 have each other, 3 has 0: (1/3 + 0 + 0 + 1) / 4
    assert set(shares) == {0.25, 0.5}
    assert np.mean(shares) == pytest.approx(1 / 3, abs=0.02)


def test_as_run_ties_of_the_truth_go_to_the_first_rows():
    # both ends are equally far from the middle points; 0 and 4 have no tie
    truth, lists = Curve(np.arange(5.0)), np.array([[1], [2], [1], [4], [3]])
    for seed in range(8):
        rng = np.random.default_rng(seed)
        (score,) = precision_recall(truth, lists, [1], "as_run", rng)
        # nearest by row: 1, 0, 1, 2, 3
        assert score == (1, 3 / 5, 3 / 5, 1 / 4)


def test_distances_that_differ_in_the_eighth_digit_are_no_ties():
    truth = Curve(np.array([0.0, 1.0, -1.0 - 1e-8, 5.0]))
    lists = np.array([[1], [0], [0], [1]])
    for seed in range(8):
        rng = np.random.default_rng(seed)
        assert precision_recall(truth, lists, [1], "as_written", rng)[0].precision == 1


def test_discrete_precision_and_recall_by_counting():
    rng = np.random.default_rng(12)
    labels = np.array([0, 0, 0, 1, 1, 2])
    lists = np.array([[1, 3], [0, 2], [3, 4], [4, 0], [3, 5], [0, 1]])
    written = precision_recall(Components(labels), lists, [2], "as_written", rng)[0]
    # the single point of class 2 has nothing to retrieve and is left out
    assert written.precision == pytest.approx(np.mean([1 / 2, 2 / 2, 0, 1 / 2, 1 / 2]))
    assert written.recall == pytest.approx(np.mean([1 / 2, 2 / 2, 0, 1, 1]))
    assert written.chance == pytest.approx(np.mean([2, 2, 2, 1, 1]) / 5)
    run = precision_recall(Components(labels), lists, [2], "as_run", rng)[0]
    assert run.recall == pytest.approx(np.mean([1 / 3, 2 / 3, 0, 1 / 2, 1 / 2]))


def test_retrieving_the_component_by_hand():
    rng = np.random.default_rng(12)
    labels = np.array([0, 0, 0, 1, 1, 2])
    lists = np.array([[1, 3], [3, 4], [3, 0], [4, 0], [5, 3], [0, 1]])
    (score,) = precision_recall(Components(labels), lists, ["component"], "as_written", rng)
    # two places for the first three, one for the next two; the single point is not asked
    assert score.precision == pytest.approx(np.mean([1 / 2, 0, 1 / 2, 1, 0]))
    assert score.recall == pytest.approx(np.mean([1 / 2, 0, 1 / 2, 1, 0]))
    (run,) = precision_recall(Components(labels), lists, ["component"], "as_run", rng)
    assert run.recall == pytest.approx(np.mean([1 / 3, 0, 1 / 3, 1 / 2, 0]))


def test_a_distance_has_no_component_to_retrieve():
    rng = np.random.default_rng(12)
    with pytest.raises(ValueError, match="truth of components"):
        precision_recall(Curve(np.arange(5.0)), np.zeros((5, 2), int), ["component"], "as_run", rng)


def test_retrieved_takes_distances_or_neighbours():
    rng = np.random.default_rng(12)

    class Far:
        def distances(self):
            return np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0.0]])

    class FakeMethod:
        def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
            assert X is None
            return None, [[1], [0], [0]][: 3 if n_neighbors == 1 else 0]

    class Older:
        def kneighbors(self, n_neighbors=5, X=None):
            return FakeMethod().kneighbors(X, n_neighbors)

    assert retrieved(Far(), 1, "index", rng).tolist() == [[1], [0], [0]]
    assert retrieved(FakeMethod(), 1, "index", rng).tolist() == [[1], [0], [0]]
    assert retrieved(Older(), 1, "index", rng).tolist() == [[1], [0], [0]]
    assert "precision" in METRICS


@pytest.mark.parametrize("ks", [(5, 2), (2, 5)])
def test_the_largest_k_has_to_be_retrieved(ks):
    lists = np.array([[j for j in range(8) if j != i][:4] for i in range(8)])
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="k = 5, but only 4 neighbours were retrieved"):
        precision_recall(Curve(np.arange(8.0)), lists, ks, "as_written", rng)
