"""Groups of columns that are left out: linear ones beside a shape."""

import numpy as np
import pytest
from scipy.stats import norm

from geoforest_cli import AdaptiveNeighbors, ColumnScreen
from geoforest_cli.estimators.adaptive.columns import kept_columns
from geoforest_cli.estimators.adaptive.groups import (
    copula_evidence,
    groups_in_words,
    predictability,
)


def factors(rng, n, p, hidden=3):
    """Columns with a few normal causes in common."""
    loadings = rng.normal(size=(hidden, p))
    return rng.normal(size=(n, hidden)) @ (
        loadings / np.linalg.norm(loadings, axis=0)
    ) + rng.normal(size=(n, p))


def circle(rng, n):
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.c_[np.cos(angle), np.sin(angle)]


def scores_of(table):
    return norm.ppf((np.argsort(np.argsort(table, axis=0), axis=0) + 0.5) / len(table))


@pytest.mark.nightly
def test_a_gaussian_copula_is_rejected_no_more_often_than_said():
    evidence = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        table = factors(rng, 200, 12)
        evidence.append(copula_evidence(scores_of(np.exp(table))))
    # 3 in 300 are expected at most at p = .01; 10 would come once in a thousand times
    assert (np.array(evidence) >= 2).sum() <= 9


def test_shapes_are_no_gaussian_copulas():
    rng = np.random.default_rng(0)
    t = rng.uniform(size=300)
    for shape in (circle(rng, 300), np.c_[np.cos(19 * t), np.sin(19 * t), t]):
        assert copula_evidence(scores_of(shape)) > 5


def slow_predictability(scores):
    n, q = scores.shape
    shares = []
    for j in range(q):
        others = np.delete(scores, j, axis=1)
        neighbors = np.array(
            [
                sorted(set(range(n)) - {i}, key=lambda r: ((others[i] - others[r]) ** 2).sum())[:10]
                for i in range(n)
            ]
        )
        within = [
            1 - ((column - column[neighbors].mean(axis=1)) ** 2).mean() / column.var()
            for column in (scores[:, j], np.abs(scores[:, j]))
        ]
        shares.append(max(*within, 0))
    return np.mean(shares)


def test_predictability_is_what_ten_neighbours_explain():
    rng = np.random.default_rng(1)
    for table in (circle(rng, 60), factors(rng, 60, 4), rng.normal(size=(60, 3))):
        scores = scores_of(table)
        assert predictability(scores) == pytest.approx(slow_predictability(scores))
    assert predictability(scores[:, :1]) == 0


def test_factors_are_left_out_beside_a_circle():
    rng = np.random.default_rng(0)
    table = np.c_[factors(rng, 300, 10), circle(rng, 300)]
    kept = kept_columns(table, np.random.default_rng(0))
    assert kept.groups.tolist() == [1] * 10 + [2] * 2
    assert kept.left_out.tolist() == list(range(10))
    assert kept.columns.tolist() == [10, 11]


def test_new_rows_are_looked_for_in_the_same_columns():
    rng = np.random.default_rng(2)
    table = np.c_[circle(rng, 260), factors(rng, 260, 8, hidden=1)]
    fitted = AdaptiveNeighbors(5, random_state=0).fit(table[:200])
    assert fitted.left_out_.tolist() == list(range(2, 10))
    assert fitted.dropped_.tolist() == list(range(2, 10))
    assert (
        fitted.groups_.tolist()
        == ColumnScreen("auto", level=0.001).fit(table[:200]).groups_.tolist()
    )
    other = table[200:].copy()
    other[:, 2:] = 100 * rng.normal(size=(60, 8))
    for array, again in zip(fitted.kneighbors(table[200:]), fitted.kneighbors(other), strict=True):
        np.testing.assert_array_equal(array, again)
    rows = fitted.kneighbors(other)[1]
    assert np.abs(table[rows, :2] - table[200:, None, :2]).max() < 0.3
    assert "weakly dependent: x2, x3, " in fitted.describe()


def test_groups_of_one_are_not_counted():
    none = np.array([], int)
    groups = np.array([1, 1, 2, 3, -1])
    assert groups_in_words(groups, none) == ""
    assert groups_in_words(np.array([1, 1, 2, 2]), none) == ("; columns form 2 independent groups")
