"""Where the rules for scales, groups and columns turn, with what they are told of made up."""

import numpy as np
import pytest
from scipy import stats

from geoforest_cli.estimators.adaptive import columns as _columns
from geoforest_cli.estimators.adaptive import groups as _groups
from geoforest_cli.estimators.adaptive import scales as _scales
from geoforest_cli.estimators.adaptive.density import crowding, density_range, half_sample_mode
from geoforest_cli.estimators.adaptive.groups import (
    GroupTests,
    copula_evidence,
    groups_in_words,
    linear_groups,
)
from geoforest_cli.estimators.adaptive.scales import TableScale, chosen_scale


def normal_scores(column):
    return stats.norm.ppf((stats.rankdata(column) - 0.5) / len(column))


def slow_evidence(scores):
    """All tests of the components one by one, the smallest of their p-values times their number."""
    values, directions = np.linalg.eigh(scores.T @ scores)
    kept = np.flatnonzero(values > 1e-6 * values[-1])[::-1][:30]
    parts = [scores @ directions[:, j] / np.sqrt(values[j]) for j in kept]
    of_values, of_sizes = (list(map(normal_scores, part)) for part in (parts, map(np.abs, parts)))
    root, z = np.sqrt(len(scores) - 1), []
    for i, member in enumerate(parts):
        z += [stats.skewtest(member).statistic, stats.kurtosistest(member).statistic]
        z += [root * cosine(of_sizes[i], of_values[j]) for j in range(len(parts)) if j != i]
        z += [root * cosine(of_sizes[i], of_sizes[j]) for j in range(i)]
    least = 2 * stats.norm.sf(np.max(np.abs(z)))
    return -np.log10(least * len(z))


def cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


@pytest.mark.parametrize("columns", [1, 2, 5, 33])
def test_the_evidence_is_that_of_the_least_probable_of_all_tests(columns):
    rng = np.random.default_rng(9)
    table = np.abs(rng.normal(size=(120, 1))) + rng.normal(size=(120, columns)) ** 3
    # of equal columns there is one component
    table = np.c_[table, table[:, :1]] if columns < 30 else table
    scores = np.apply_along_axis(normal_scores, 0, table)
    assert copula_evidence(scores) == pytest.approx(slow_evidence(scores), rel=1e-6)


def slow_crowding(points):
    rows = np.unique(points, axis=0)
    gaps = np.linalg.norm(rows[:, None] - rows, axis=2)
    neighbors = np.argsort(gaps, axis=1)[:, :11]
    widths, away = np.zeros(rows.shape), np.zeros(rows.shape)
    for j, x in enumerate(rows.T):
        mode = half_sample_mode(x)
        for i in range(len(rows)):
            widths[i, j] = np.log(np.std([x[r] for r in neighbors[i]]))
            away[i, j] = np.log(max(abs(x[i] - mode), 1e-300))
    both = []
    for table in (widths, away):
        without = table - table.mean(axis=1)[:, None]
        both.append(without - without.mean(axis=0))
    return cosine(both[0].ravel(), np.clip(both[1], -6, 6).ravel())


def test_crowding_is_a_correlation_of_logarithms():
    rng = np.random.default_rng(9)
    for table in (
        rng.normal(size=(60, 3)),
        rng.normal(size=(60, 2)) ** 3,
        rng.normal(size=(40, 2)),
    ):
        assert crowding(table) == pytest.approx(slow_crowding(table), rel=1e-9)
        assert crowding(np.r_[table, table]) == pytest.approx(crowding(table), rel=1e-9)
    assert np.isfinite(density_range(table))
    assert np.isnan(density_range(table[:39]))


@pytest.mark.parametrize(
    ("evidence", "shares", "sizes", "measured", "left_out"),
    [
        # a linear group beside a shape that is half as predictable, or less
        ([2.9, 9], [0.8, 0.4], [3, 2], [1, 1], [1]),
        ([2.9, 9], [0.8, 0.39], [3, 2], [1, 1], []),
        # at the bound a group is no Gaussian copula
        ([3.0, 9], [0.8, 0.8], [3, 2], [1, 1], []),
        ([2.9, 3.0], [0.8, 0.8], [3, 2], [1, 1], [1]),
        # two columns are never left out; a shape of no measurements is none
        ([2.9, 9], [0.8, 0.8], [2, 2], [1, 1], []),
        ([2.9, 9], [0.8, 0.8], [3, 2], [1, 0], []),
        # beside a linear one: less than .4, and less than half
        ([1, 1], [0.39, 0.79], [3, 3], [1, 1], [1]),
        ([1, 1], [0.4, 0.81], [3, 3], [1, 1], []),
        ([1, 1], [0.39, 0.78], [3, 3], [1, 1], []),
        ([1, 1], [0.39, 0.79], [3, 2], [1, 1], []),
        ([1, 1, 9, 1], [0.5, 0.1, 0.2, 0.4], [3, 3, 3, 4], [1, 1, 1, 1], [2, 4]),
    ],
)
def test_which_groups_are_left_out(monkeypatch, evidence, shares, sizes, measured, left_out):
    rng = np.random.default_rng(9)
    tests = GroupTests(
        np.array(sizes), np.array(measured, bool), np.array(evidence, float), np.array(shares)
    )
    monkeypatch.setattr(_groups, "group_tests", lambda *_: tests)
    groups = np.arange(len(sizes)) + 1
    numbers = linear_groups(np.zeros((100, len(sizes))), groups, rng)
    assert numbers.tolist() == left_out
    assert numbers.dtype == np.int64
    assert linear_groups(np.zeros((99, len(sizes))), groups, rng).tolist() == []
    assert linear_groups(np.zeros((100, 2)), np.array([1, -1]), rng).tolist() == []


def test_ten_names_are_told():
    left_out = np.arange(2, 13)
    groups = np.repeat([1, 2], [2, 11])
    names = ", ".join(f"x{j}" for j in range(2, 12))
    sentence = (
        "; columns form 2 independent groups; left out, a group that is linear or weakly dependent"
    )
    assert groups_in_words(groups, left_out) == f"{sentence}: {names} and 1 more"
    assert groups_in_words(groups, left_out[:10]) == f"{sentence}: {names}"


@pytest.mark.parametrize(
    ("before", "ranges", "crowded", "scale"),
    [
        (1.0, {"transformed": 0.6}, 0.0, "transformed"),
        (1.0, {"transformed": 0.61}, 0.0, "raw"),
        # by .3 at least, which little unevenness does not leave
        (0.5, {"transformed": 0.2}, 0.0, "transformed"),
        (0.5, {"transformed": 0.21}, 0.0, "raw"),
        (0.3, {"transformed": 0.0}, 0.0, "raw"),
        (np.nan, {"transformed": 0.0}, 0.0, "raw"),
        # the most even one is taken; a cube root only of crowded columns
        (2.0, {"transformed": 0.9, "logarithm": 0.8}, 0.0, "logarithm"),
        (2.0, {"logarithm": 0.8, "cube_root": 0.1}, 0.3, "logarithm"),
        (2.0, {"logarithm": 0.8, "cube_root": 0.1}, 0.31, "cube_root"),
    ],
)
def test_another_scale_is_taken_where_rows_lie_much_more_evenly(
    monkeypatch, before, ranges, crowded, scale
):
    rng = np.random.default_rng(9)
    table = rng.uniform(1, 2, size=(50, 3))
    scales = {"raw": before, **ranges}
    asked = {name: TableScale.fit(table, name).apply(table).tobytes() for name in scales}
    names = {asked[name]: name for name in scales}

    def density_of(rows):
        return scales.get(names.get(rows.tobytes()), 9.0)

    monkeypatch.setattr(_scales, "density_range", density_of)
    monkeypatch.setattr(_scales, "crowding", lambda rows: crowded)
    assert chosen_scale(table) == scale
    assert chosen_scale(table, independent=True) == "raw"
    # of a value that is not positive there is no logarithm
    table[0, 0] = 0.0
    assert chosen_scale(table) != "logarithm"


@pytest.mark.parametrize(("share", "changed"), [(0.2, True), (0.21, False)])
def test_columns_with_up_to_a_fifth_of_one_value_are_changed(share, changed):
    column = np.exp(np.linspace(-2, 2, 100))
    column[: round(100 * share)] = column[0]
    assert (TableScale.fit(column[:, None], "transformed").columns.tolist() == [0]) == changed


@pytest.mark.parametrize("times", [2.99, 3.01])
def test_spreads_that_differ_threefold_are_trusted(times):
    rng = np.random.default_rng(9)
    column = rng.normal(size=200)
    table = np.column_stack([column] * 10 + [times * column] * 10)
    assert chosen_scale(table) == ("raw" if times < 3 else "standardised")
    # a tenth of the columns may differ more
    few = np.column_stack([column] * 19 + [100 * column])
    assert chosen_scale(few) == "raw"


@pytest.mark.parametrize("dims", [1, 3])
def test_rows_spread_in_as_many_directions_as_variances_say(dims):
    rng = np.random.default_rng(9)
    table = rng.normal(size=(50, 4))[:, :dims] + 7.0
    variances = np.linalg.eigvalsh(np.atleast_2d(np.cov(table.T)))
    expected = variances.sum() ** 2 / (variances**2).sum()
    assert _columns.effective_directions(table, rng) == pytest.approx(expected)
    assert _columns.effective_directions(0 * table, rng) == 0
    many = rng.normal(size=(1001, 2)) * [1.0, 5.0]
    sample = many[np.sort(np.random.default_rng(4).choice(1001, 1000, replace=False))]
    assert _columns.effective_directions(many, np.random.default_rng(4)) == pytest.approx(
        _columns.effective_directions(sample, rng)
    )
