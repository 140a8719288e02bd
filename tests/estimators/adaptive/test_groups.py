"""Groups of columns that are left out: linear ones beside a shape."""

import numpy as np
import pytest
from scipy.stats import norm

from geoforest_cli import AdaptiveNeighbors, ColumnScreen
from geoforest_cli.estimators.adaptive.columns import kept_columns
from geoforest_cli.estimators.adaptive.groups import (
    copula_evidence,
    group_tests,
    groups_in_words,
    linear_groups,
    predictability,
)


def factors(rng, n, p, hidden=3):
    """Columns with a few normal causes in common."""
    loadings = rng.normal(size=(hidden, p))
    return rng.normal(size=(n, hidden)) @ (
        loadings / np.linalg.norm(loadings, axis=0)
    ) + rng.normal(size=(n, p))


def circle(rng, n):
    turn = rng.uniform(0, 2 * np.pi, n)
    return np.c_[np.cos(turn), np.sin(turn)]


def scores_of(table):
    return norm.ppf((np.argsort(np.argsort(table, axis=0), axis=0) + 0.5) / len(table))


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
        near = np.array(
            [
                sorted(set(range(n)) - {i}, key=lambda r: ((others[i] - others[r]) ** 2).sum())[:10]
                for i in range(n)
            ]
        )
        own = [
            1 - ((column - column[near].mean(axis=1)) ** 2).mean() / column.var()
            for column in (scores[:, j], np.abs(scores[:, j]))
        ]
        shares.append(max(*own, 0))
    return np.mean(shares)


def test_predictability_is_what_ten_neighbours_in_the_others_explain():
    rng = np.random.default_rng(1)
    for table in (circle(rng, 60), factors(rng, 60, 4), rng.normal(size=(60, 3))):
        scores = scores_of(table)
        assert predictability(scores) == pytest.approx(slow_predictability(scores))
    assert predictability(scores[:, :1]) == 0


@pytest.mark.parametrize("seed", range(3))
def test_factors_are_left_out_beside_a_circle(seed):
    rng = np.random.default_rng(seed)
    table = np.c_[factors(rng, 300, 10), circle(rng, 300)]
    kept = kept_columns(table, np.random.default_rng(0))
    assert kept.groups.tolist() == [1] * 10 + [2] * 2
    assert kept.left_out.tolist() == list(range(10))
    assert kept.columns.tolist() == [10, 11]


def beside(second, rng, n=300):
    """Groups of a linear table of four columns and another one."""
    table = np.c_[factors(rng, n, 4, hidden=1), second]
    return table, np.r_[np.full(4, 1), np.full(second.shape[1], 2)]


def test_what_is_not_left_out():
    rng = np.random.default_rng(0)
    two = rng.integers(0, 2, size=300)
    answers = np.c_[two, np.where(rng.random(300) < 0.9, two, 1 - two)]
    strong = rng.normal(size=(300, 1)) + 0.1 * rng.normal(size=(300, 4))
    weak_shape = np.exp(rng.normal(size=(300, 1))) * rng.normal(size=(300, 4))  # sizes in common
    for table, groups in (
        # answers of two kinds are never normal, and say nothing of the linear group
        beside(answers, rng),
        # two linear groups that are about as predictable as each other
        beside(factors(rng, 300, 4, hidden=1), rng),
        # a strongly linear group beside a shape that its columns hardly share
        (np.c_[strong, weak_shape], np.repeat([1, 2], 4)),
        # a group alone
        (strong, np.ones(4, int)),
        # few rows
        beside(circle(rng, 90), rng, 90),
    ):
        assert linear_groups(table, groups, rng).tolist() == []


def test_a_weak_linear_group_is_left_out_beside_one_twice_as_predictable():
    rng = np.random.default_rng(0)
    strong = rng.normal(size=(300, 1)) + 0.3 * rng.normal(size=(300, 4))
    table = np.c_[factors(rng, 300, 20), strong]
    groups = np.repeat([1, 2], [20, 4])
    tests = group_tests(table, groups, rng)
    assert (tests.evidence < 3).all()
    assert tests.sizes.tolist() == [20, 4]
    assert linear_groups(table, groups, rng).tolist() == [1]


def test_two_columns_are_never_left_out():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=(300, 1))
    pair = cause + rng.normal(size=(300, 2))
    assert linear_groups(np.c_[pair, circle(rng, 300)], np.array([1, 1, 2, 2]), rng).tolist() == []


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
    for found, again in zip(fitted.kneighbors(table[200:]), fitted.kneighbors(other), strict=True):
        np.testing.assert_array_equal(found, again)
    rows = fitted.kneighbors(other)[1]
    assert np.abs(table[rows, :2] - table[200:, None, :2]).max() < 0.3
    assert "weakly dependent: x2, x3, " in fitted.describe()


def test_several_groups_that_are_left_out_are_said_to_be_several():
    groups = np.array([1, 1, 2, 2, 3, 3])
    assert groups_in_words(groups, np.array([2, 3, 4, 5]), list("abcdef")) == (
        "; columns form 3 independent groups; left out, groups that are linear or weakly dependent: "
        "c, d, e, f"
    )


def test_groups_of_one_are_not_counted():
    none = np.array([], int)
    groups = np.array([1, 1, 2, 3, -1])
    assert groups_in_words(groups, none) == ""
    assert groups_in_words(np.array([1, 1, 2, 2]), none) == ("; columns form 2 independent groups")
