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
    group_tests,
    groups_in_words,
    linear_groups,
)
from geoforest_cli.estimators.adaptive.scales import TableScale, chosen_scale

RNG = np.random.default_rng(8)


def normal_scores(column):
    return stats.norm.ppf((stats.rankdata(column) - 0.5) / len(column))


def slow_evidence(scores):
    """All tests of the components one by one, the smallest of their p-values times their number."""
    values, directions = np.linalg.eigh(scores.T @ scores)
    kept = np.flatnonzero(values > 1e-6 * values[-1])[::-1][:30]
    parts = [scores @ directions[:, j] / np.sqrt(values[j]) for j in kept]
    of_values, of_sizes = (list(map(normal_scores, some)) for some in (parts, map(np.abs, parts)))
    root, z = np.sqrt(len(scores) - 1), []
    for i, one in enumerate(parts):
        z += [stats.skewtest(one).statistic, stats.kurtosistest(one).statistic]
        z += [root * cosine(of_sizes[i], of_values[j]) for j in range(len(parts)) if j != i]
        z += [root * cosine(of_sizes[i], of_sizes[j]) for j in range(i)]
    least = 2 * stats.norm.sf(np.max(np.abs(z)))
    return -np.log10(least * len(z))


def cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


@pytest.mark.parametrize("columns", [1, 2, 5, 33])
def test_the_evidence_is_that_of_the_least_probable_of_all_tests(columns):
    table = np.abs(RNG.normal(size=(120, 1))) + RNG.normal(size=(120, columns)) ** 3
    # of equal columns there is one component
    table = np.c_[table, table[:, :1]] if columns < 30 else table
    scores = np.apply_along_axis(normal_scores, 0, table)
    assert copula_evidence(scores) == pytest.approx(slow_evidence(scores), rel=1e-6)


def slow_crowding(points):
    rows = np.unique(points, axis=0)
    gaps = np.linalg.norm(rows[:, None] - rows, axis=2)
    near = np.argsort(gaps, axis=1)[:, :11]
    widths, away = np.zeros(rows.shape), np.zeros(rows.shape)
    for j, x in enumerate(rows.T):
        mode = half_sample_mode(x)
        for i in range(len(rows)):
            widths[i, j] = np.log(np.std([x[r] for r in near[i]]))
            away[i, j] = np.log(max(abs(x[i] - mode), 1e-300))
    both = []
    for table in (widths, away):
        without = table - table.mean(axis=1)[:, None]
        both.append(without - without.mean(axis=0))
    return cosine(both[0].ravel(), np.clip(both[1], -6, 6).ravel())


def test_crowding_is_a_correlation_of_logarithms():
    for table in (
        RNG.normal(size=(60, 3)),
        RNG.normal(size=(60, 2)) ** 3,
        RNG.normal(size=(40, 2)),
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
    tests = GroupTests(
        np.array(sizes), np.array(measured, bool), np.array(evidence, float), np.array(shares)
    )
    monkeypatch.setattr(_groups, "group_tests", lambda *_: tests)
    groups = np.arange(len(sizes)) + 1
    found = linear_groups(np.zeros((100, len(sizes))), groups, RNG)
    assert found.tolist() == left_out
    assert found.dtype == np.int64
    assert linear_groups(np.zeros((99, len(sizes))), groups, RNG).tolist() == []
    assert linear_groups(np.zeros((100, 2)), np.array([1, -1]), RNG).tolist() == []


def test_what_is_known_of_groups():
    few, many = np.arange(200.0) % 10, np.arange(200.0) % 11
    table = np.c_[RNG.normal(size=200), few, many, few, few, RNG.normal(size=(200, 2))]
    groups = np.array([-1, 1, 1, 2, 2, 2, 3])
    tests = group_tests(table, groups, RNG)
    assert tests.sizes.tolist() == [2, 3, 1]
    # in the first group half of the columns have more than ten values, in the second a third
    assert tests.measured.tolist() == [True, False, True]
    for number in (1, 2, 3):
        scores = np.apply_along_axis(normal_scores, 0, table[:, groups == number])
        assert tests.evidence[number - 1] == pytest.approx(copula_evidence(scores))
        assert tests.predictability[number - 1] == pytest.approx(_groups.predictability(scores))
    none = group_tests(table, np.full(7, -1), RNG)
    assert [len(one) for one in none] == [0] * 4


def test_a_thousand_rows_are_looked_at_in_their_order(monkeypatch):
    seen = []
    monkeypatch.setattr(_groups, "copula_evidence", lambda scores: seen.append(scores) or 1.0)
    monkeypatch.setattr(_groups, "predictability", lambda scores: 0.5)
    table = np.c_[np.arange(1200.0), np.arange(1200.0) ** 2]
    for rows, kept in ((1000, 1000), (1001, 1000), (1200, 1000)):
        seen.clear()
        group_tests(table[:rows], np.array([1, 1]), np.random.default_rng(0))
        assert seen[0].shape == (kept, 2)
        assert (np.diff(seen[0], axis=0) > 0).all()


def test_ten_names_are_told():
    left_out = np.arange(2, 13)
    groups = np.repeat([1, 2], [2, 11])
    names = ", ".join(f"x{j}" for j in range(2, 12))
    told = (
        "; columns form 2 independent groups; left out, a group that is linear or weakly dependent"
    )
    assert groups_in_words(groups, left_out) == f"{told}: {names} and 1 more"
    assert groups_in_words(groups, left_out[:10]) == f"{told}: {names}"


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
    table = RNG.uniform(1, 2, size=(50, 3))
    known = {"raw": before, **ranges}
    asked = {name: TableScale.fit(table, name).apply(table).tobytes() for name in known}
    names = {asked[name]: name for name in known}

    def density_of(rows):
        return known.get(names.get(rows.tobytes()), 9.0)

    monkeypatch.setattr(_scales, "density_range", density_of)
    monkeypatch.setattr(_scales, "crowding", lambda rows: crowded)
    assert chosen_scale(table) == scale
    assert chosen_scale(table, independent=True) == "raw"
    # of a value that is not positive there is no logarithm
    table[0, 0] = 0.0
    assert chosen_scale(table) != "logarithm"


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (np.arange(101.0), 0.0),
        (np.exp(np.arange(101.0) / 20), 2.25),
        (-np.exp(np.arange(101.0) / 20), -2.25),
        (np.r_[np.zeros(60), np.ones(40)], np.inf),
        (np.r_[np.zeros(40), np.ones(60)], -np.inf),
        (np.zeros(9), 0.0),
    ],
)
def test_asymmetry_is_the_log_of_the_upper_half_over_the_lower(column, expected):
    # of an exponential the halves are as far apart as the quantiles: 45 steps of 1 / 20
    assert _scales._asymmetry(column) == pytest.approx(expected)


@pytest.mark.parametrize(("share", "changed"), [(0.2, True), (0.21, False)])
def test_a_column_with_a_fifth_of_one_value_is_changed_and_one_with_more_is_not(share, changed):
    column = np.exp(np.linspace(-2, 2, 100))
    column[: round(100 * share)] = column[0]
    assert (TableScale.fit(column[:, None], "transformed").columns.tolist() == [0]) == changed


@pytest.mark.parametrize("times", [2.99, 3.01])
def test_spreads_that_differ_threefold_are_trusted(times):
    column = RNG.normal(size=200)
    table = np.column_stack([column] * 10 + [times * column] * 10)
    assert chosen_scale(table) == ("raw" if times < 3 else "standardised")
    # a tenth of the columns may differ more
    few = np.column_stack([column] * 19 + [100 * column])
    assert chosen_scale(few) == "raw"


class Screen:
    """Finds the groups that it is told; the p-values say which columns depend on others."""

    groups_, pvalues_ = np.empty(0, int), np.empty(0)

    def __init__(self, *_, level, n_jobs, random_state):
        self.told = level, n_jobs, random_state

    def fit(self, points):
        assert points.shape[1] == len(self.groups_)
        return self


@pytest.fixture
def told(monkeypatch):
    """A screen, no columns of related sizes, no group left out, and no column rescued."""
    monkeypatch.setattr(_columns, "ColumnScreen", Screen)
    monkeypatch.setattr(_columns, "columns_of_related_sizes", lambda *_: np.empty(0, int))
    monkeypatch.setattr(_columns, "linear_groups", lambda *_: np.empty(0, int))
    monkeypatch.setattr(_columns, "rescued_columns", lambda points, found, rng: found)

    def tell(groups, pvalues=None, rows=200):
        monkeypatch.setattr(Screen, "groups_", np.array(groups))
        monkeypatch.setattr(Screen, "pvalues_", np.array(pvalues or [0.0] * len(groups)))
        return _columns.kept_columns(TABLE[:rows, : len(groups)], RNG)

    return tell


TABLE = RNG.normal(size=(200, 45))


@pytest.mark.parametrize(
    ("p", "dropped", "kept"),
    # one column is not worth it, of forty two are not
    [(5, 1, 5), (5, 2, 3), (40, 2, 40), (40, 3, 37), (19, 18, 19)],
)
def test_few_columns_are_not_dropped(told, p, dropped, kept):
    found = told([1] * (p - dropped) + [-1] * dropped)
    assert found.columns.tolist() == list(range(kept))
    assert not found.wide


@pytest.mark.parametrize(("p", "independent"), [(19, False), (20, True)])
def test_of_twenty_columns_none_of_which_depends_on_another_all_are_kept(told, p, independent):
    for groups in ([-1] * p, [1] + [-1] * (p - 1)):
        found = told(groups)
        assert found.columns.tolist() == list(range(p))
        assert found.independent == independent
        assert found.left_out.tolist() == []


def test_columns_of_related_sizes_are_a_group(told, monkeypatch):
    monkeypatch.setattr(_columns, "columns_of_related_sizes", lambda *_: np.array([1, 3]))
    found = told([1] + [-1] * 6)
    assert found.groups.tolist() == [-1, 1, -1, 1, -1, -1, -1]
    assert found.columns.tolist() == [1, 3]
    # where the screen has found two they are not asked for
    assert told([1, 1] + [-1] * 5).columns.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("related", "directions", "wide"), [(30, 6.0, True), (29, 6.0, False), (30, 5.9, False)]
)
def test_a_table_is_wide_with_half_as_many_columns_as_rows(
    told, monkeypatch, related, directions, wide
):
    monkeypatch.setattr(_columns, "effective_directions", lambda *_: directions)
    pvalues = [0.0] * related + [0.03] * 3 + [0.04] + [0.9] * (41 - related)
    found = told([1] * related + [-1] * (45 - related), pvalues, rows=60)
    assert found.wide == wide
    # at a rate of five in a hundred some more are kept; else those that are found
    assert len(found.columns) == related + (3 if wide else 0)
    assert len(found.groups) == 45


def test_constant_columns_have_no_say(told):
    flat = np.c_[np.ones(200), TABLE[:, :4], np.zeros(200)]
    assert _columns.varying_columns(flat).tolist() == [1, 2, 3, 4]
    assert _columns.kept_columns(flat[:, [0, 5]], RNG).columns.tolist() == [0, 1]
    assert _columns.kept_columns(flat[:, :2], RNG).columns.tolist() == [1]


@pytest.mark.parametrize("dims", [1, 3])
def test_rows_spread_in_as_many_directions_as_their_variances_say(dims):
    table = RNG.normal(size=(50, 4))[:, :dims] + 7.0
    variances = np.linalg.eigvalsh(np.atleast_2d(np.cov(table.T)))
    expected = variances.sum() ** 2 / (variances**2).sum()
    assert _columns.effective_directions(table, RNG) == pytest.approx(expected)
    assert _columns.effective_directions(0 * table, RNG) == 0
    many = RNG.normal(size=(1001, 2)) * [1.0, 5.0]
    some = many[np.sort(np.random.default_rng(4).choice(1001, 1000, replace=False))]
    assert _columns.effective_directions(many, np.random.default_rng(4)) == pytest.approx(
        _columns.effective_directions(some, RNG)
    )
