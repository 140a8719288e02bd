"""Orders of predicted and true distances, against naive code at values between the extremes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from geoforest_cli.problems.metrics.distances import (
    mean_average_precision,
    mean_spearman,
    pair_rmse,
)


def symmetric(n, rng, values=None):
    D = rng.random((n, n)) if values is None else rng.integers(0, values, (n, n)).astype(float)
    D = np.triu(D, 1)
    return D + D.T


def naive_average_precision(truth, predicted, k, truncated):
    """Without ties: one query after the other, one rank after the other."""
    scores = []
    for i in range(len(truth)):
        others = [j for j in range(len(truth)) if j != i]
        relevant = set(sorted(others, key=lambda j: truth[i, j])[:k])
        ranking = sorted(others, key=lambda j: predicted[i, j])
        if truncated:
            ranking = ranking[:k]
        hits, total = 0, 0.0
        for rank, j in enumerate(ranking, start=1):
            if j in relevant:
                hits += 1
                total += hits / rank
        scores.append(total / len(relevant))
    return np.mean(scores)


@given(st.integers(2, 12), st.integers(1, 14), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_average_precision_equals_the_loops(n, k, truncated, seed):
    rng = np.random.default_rng(seed)
    truth = symmetric(n, rng)
    predicted = truth + rng.uniform(0, 2) * symmetric(n, rng)
    precision = mean_average_precision(truth, predicted, k, rng, truncated=truncated)
    assert precision == pytest.approx(naive_average_precision(truth, predicted, k, truncated))


def test_a_constant_prediction_has_the_precision_of_chance():
    # the mean over all orders of 6 others of which 2 are relevant, by enumeration
    from itertools import combinations

    chance = np.mean([(1 / a + 2 / b) / 2 for a, b in combinations(range(1, 7), 2)])
    rng = np.random.default_rng(0)
    truth = symmetric(7, rng)
    scores = [mean_average_precision(truth, np.ones((7, 7)), 2, rng) for _ in range(400)]
    assert np.mean(scores) == pytest.approx(chance, abs=0.01)


@given(st.integers(3, 12), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_spearman_equals_scipys(n, seed):
    rng = np.random.default_rng(seed)
    truth, predicted = symmetric(n, rng), symmetric(n, rng, values=30)
    expected = []
    for i in range(n):
        others = np.arange(n) != i
        constant = len(np.unique(predicted[i, others])) == 1
        both = truth[i, others], predicted[i, others]
        expected.append(0.0 if constant else spearmanr(*both).statistic)
    assert mean_spearman(truth, predicted) == pytest.approx(np.mean(expected))


def test_error_counts_every_pair_once():
    truth, predicted = np.zeros((3, 3)), np.zeros((3, 3))
    predicted[0, 1] = predicted[1, 0] = 3.0
    predicted[2, 2] = 50.0
    assert pair_rmse(truth, predicted) == pytest.approx(np.sqrt(9 / 3))
