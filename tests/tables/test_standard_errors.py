"""Intervals of scores of neighbour lists: against naive twins, and how often they are right."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import cKDTree

from geoforest_cli.tables import compare_neighbors
from geoforest_cli.tables.column_prediction import prediction_by_row, rank_targets
from geoforest_cli.tables.standard_errors import StandardErrors, influences, stratum_weights


def lists_of_neighbors(rng, n, k):
    return np.array([rng.choice(np.delete(np.arange(n), i), k, replace=False) for i in range(n)])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 99), st.integers(1, 4))
def test_the_influence_of_a_row_is_the_derivative_by_its_weight(seed, k):
    """Shares of a class, where each row has a weight, as itself and as neighbour."""
    rng = np.random.default_rng(seed)
    n = 9
    near, same = lists_of_neighbors(rng, n, k), rng.random((n, k))
    weights = rng.random(n)

    def score(heavy, step):
        of_rows = np.ones(n)
        of_rows[heavy] += step
        inner = of_rows[near]
        return (of_rows * weights) @ ((inner * same).sum(axis=1) / inner.sum(axis=1))

    shares = same.mean(axis=1)
    found = influences(shares, weights, near, (same - shares[:, None]) / k)
    step = 1e-6
    slopes = [(score(row, step) - score(row, -step)) / (2 * step) for row in range(n)]
    np.testing.assert_allclose(found, slopes, atol=1e-8)
    assert found.sum() == pytest.approx(weights @ shares)


def test_the_influence_on_a_prediction_is_the_derivative_by_the_weight_of_the_row():
    """Of the share of variance that is predicted; the variance has its weights, too."""
    rng = np.random.default_rng(3)
    n, k = 12, 3
    points = rng.normal(size=(n, 2))
    points[4, 0] = np.nan
    targets = rank_targets(points)
    near = lists_of_neighbors(rng, n, k)
    splits = [(("a",), ("b",))]
    shares, found = prediction_by_row(lambda _: near, targets, ["a", "b"], splits)
    whole = targets[:, 1]

    def score(heavy, step):
        of_rows = np.ones(n)
        of_rows[heavy] += step
        means = (of_rows[near] * whole[near]).sum(axis=1) / of_rows[near].sum(axis=1)
        return 1 - of_rows @ (whole - means) ** 2 / (of_rows @ whole**2)

    _, alone = prediction_by_row(lambda _: near, targets[:, [1, 1]], ["a", "b"], splits)
    slopes = np.array([(score(i, 1e-6) - score(i, -1e-6)) / 2e-6 for i in range(n)])
    np.testing.assert_allclose(alone - alone.mean(), slopes, atol=1e-7)
    assert found.sum() == pytest.approx(shares.mean())


def test_errors_of_strata_are_those_of_their_means():
    rng = np.random.default_rng(0)
    values, strata = rng.normal(size=(3, 45)), np.repeat([2, 0, 1], [30, 9, 6])
    weights = stratum_weights(strata)
    np.testing.assert_allclose(weights, np.repeat([1 / 90, 1 / 27, 1 / 18], [30, 9, 6]))
    found = StandardErrors(values * weights, strata)

    def squared(line):
        parts = [line[strata == one] for one in range(3)]
        return sum(part.var(ddof=1) / len(part) for part in parts) / 9

    np.testing.assert_allclose(found.scores**2, [squared(line) for line in values])
    for one, two in itertools.product(range(3), repeat=2):
        expected = squared(values[one] - values[two])
        assert found.differences[one, two] ** 2 == pytest.approx(expected, abs=1e-15)


def test_one_score_has_the_interval_of_student_and_two_one_difference():
    values = np.random.default_rng(1).normal(size=(2, 11))
    strata = np.zeros(11, int)
    one = StandardErrors(values[:1], strata)
    width = stats.t.ppf(0.975, 10)
    np.testing.assert_allclose(one.score_widths / one.scores, width, rtol=0.03)
    two = StandardErrors(values, strata)
    np.testing.assert_allclose(two.difference_widths, two.differences * width, rtol=0.03)
    assert (two.score_widths / two.scores > 1.05 * width).all()
    again, other = StandardErrors(values, strata), StandardErrors(values, strata, 1)
    assert np.array_equal(two.score_widths, again.score_widths)
    assert not np.array_equal(two.score_widths, other.score_widths)


def test_all_pairs_at_once_have_the_studentized_range_of_tukey():
    """Independent scores of equal variance: its quantile is known."""
    values = np.kron(np.eye(4), [1.0, -1.0] * 50)
    found = StandardErrors(values, np.zeros(400, int))
    freedom = 399
    expected = stats.studentized_range.ppf(0.95, 4, freedom) / np.sqrt(2)
    apart = ~np.eye(4, dtype=bool)
    ratio = found.difference_widths[apart] / found.differences[apart]
    np.testing.assert_allclose(ratio, expected, rtol=0.03)
    assert (np.diag(found.difference_widths) == 0).all()


@pytest.mark.parametrize("rows", [1, 2, 30])
def test_scores_that_do_not_vary_have_no_width(rows):
    same = StandardErrors(np.full((3, rows), 0.1), np.zeros(rows, int))
    assert (same.score_widths < 1e-12).all()
    assert not same.difference_widths.any()
    moved = np.random.default_rng(0).normal(size=30)
    shifted = StandardErrors(np.array([moved, moved - 0.02]), np.zeros(30, int))
    assert shifted.score_widths.all()
    assert not shifted.difference_widths.any()


def one_table(rng, n=200, k=10):
    """The share of neighbours in three columns that are of a row's class, and its errors."""
    points = rng.normal(size=(n, 3))
    classes = (rng.random(n) < 1 / (1 + np.exp(-2 * points[:, 0]))).astype(int)
    weights = stratum_weights(classes)
    found = []
    for seen in (points, points * [1.5, 1, 1]):
        near = cKDTree(seen).query(seen, k + 1)[1][:, 1:]
        same = classes[near] == classes[:, None]
        shares = same.mean(axis=1)
        found.append(
            (weights @ shares, influences(shares, weights, near, (same - shares[:, None]) / k))
        )
    scores, own = map(np.array, zip(*found, strict=True))
    return scores, StandardErrors(own, classes)


@pytest.mark.nightly
def test_intervals_hold_the_score_of_other_tables():
    """With rows as if independent, .72 of these intervals held the mean of all tables."""
    rng = np.random.default_rng(0)
    made = [one_table(rng) for _ in range(300)]
    scores = np.array([one for one, _ in made])
    mean = scores.mean(axis=0)
    within = [
        (np.abs(one - mean) <= stats.norm.ppf(0.975) * errors.scores).mean() for one, errors in made
    ]
    assert 0.91 <= np.mean(within) <= 0.98
    apart = mean[1] - mean[0]
    held = [abs(np.diff(one)[0] - apart) <= errors.difference_widths[0, 1] for one, errors in made]
    assert np.mean(held) >= 0.95
    typical = np.mean([errors.scores for _, errors in made])
    assert typical == pytest.approx(scores.std(axis=0).mean(), rel=0.15)


@pytest.mark.parametrize("label", ["class", None])
@pytest.mark.nightly
def test_in_pure_noise_no_method_is_told_to_be_better(label):
    """By intervals of each method alone: "Use X" in 12 of 100, "not as good" in 37."""
    rng = np.random.default_rng(1)
    methods = ["euclidean", "normal_scores", "correlation", "cosine", "euclidean_standardised"]
    leads, behind = 0, 0
    for _ in range(60):
        table = pd.DataFrame(rng.normal(size=(100, 4)), columns=list("abcd"))
        if label:
            table[label] = rng.choice(["u", "v"], 100)
        found = compare_neighbors(table, 10, label, methods=methods)
        leads += not found.summary().startswith("No method is better than chance")
        behind += not found.as_good.all()
    assert leads <= 3
    assert behind <= 3


def test_a_better_method_is_found():
    """Wide columns of noise hide the classes from raw distances."""
    rng = np.random.default_rng(2)
    number = rng.integers(0, 3, 150)
    points = rng.normal(size=(150, 6)) * [1, 1, 1, 1, 5, 5]
    points[:, 0] += 1.5 * number
    points[:, 1] -= number
    table = pd.DataFrame(points, columns=list("abcdef")).assign(number=number.astype(str))
    found = compare_neighbors(table, 10, "number", methods=["euclidean", "normal_scores"])
    assert found.as_good.tolist() == [False, True]
    assert found.summary().startswith("Use normal_scores (")


def test_strata_of_few_rows_are_single_draws():
    """Rows of a pair are neighbours of one another: within it they do not vary."""
    rng = np.random.default_rng(4)
    influence = rng.normal(size=(2, 60))
    strata = np.r_[np.repeat(np.arange(4), 10), np.repeat(np.arange(4, 9), 4)]
    found = StandardErrors(influence, strata)
    sums = np.array([influence[:, strata == one].sum(axis=1) for one in range(4, 9)])
    large = sum(10 * influence[:, strata == one].var(axis=1, ddof=1) for one in range(4))
    np.testing.assert_allclose(found.scores**2, large + 5 * sums.var(axis=0, ddof=1))
    alone = StandardErrors(influence[:, :44], strata[:44])
    np.testing.assert_allclose(alone.scores**2, large + sums[0] ** 2)
    # where all rows are in one stratum, each is a draw
    three = StandardErrors(influence[:, :3], np.zeros(3, int))
    np.testing.assert_allclose(three.scores**2, 3 * influence[:, :3].var(axis=1, ddof=1))


def test_freedom_is_that_of_the_strata_that_vary():
    values = np.random.default_rng(0).normal(size=(1, 27))
    strata = np.repeat([0, 1], [20, 7])
    wide = values * np.where(strata == 1, 1e6, 1.0)
    assert StandardErrors(wide, strata)._freedom == pytest.approx(6)
    assert StandardErrors(values * (strata == 0), strata)._freedom == pytest.approx(19)
    assert 19 < StandardErrors(values, strata)._freedom <= 25
    assert StandardErrors(np.zeros((1, 27)), strata)._freedom == 25


@pytest.mark.parametrize("sizes", [[2] * 30, [60, 2, 2, 2], [3] * 20])
@pytest.mark.nightly
def test_classes_of_few_rows_are_not_told_apart_in_noise(sizes):
    """In tables of 50 pairs a method was recommended in 29 of 100, or behind in 53."""
    rng = np.random.default_rng(6)
    label = [f"c{number}" for number in np.repeat(np.arange(len(sizes)), sizes)]
    leads, behind = 0, 0
    for _ in range(30):
        table = pd.DataFrame(rng.normal(size=(len(label), 4)), columns=list("abcd"))
        found = compare_neighbors(
            table.assign(label=label), 5, "label", methods=["euclidean", "correlation", "cosine"]
        )
        leads += not found.summary().startswith("No method is better than chance")
        behind += not found.as_good.all()
    assert leads <= 2
    assert behind <= 2
