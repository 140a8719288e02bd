"""Groups of columns are the connected components of the pairs that depend on each other."""

import itertools

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm

from geoforest_cli.estimators.screening import ColumnScreen
from geoforest_cli.estimators.screening.bins import Binned
from geoforest_cli.estimators.screening.correlation import Scores
from geoforest_cli.estimators.screening.groups import ColumnPairs, numbered_by_size
from tests.estimators.screening.slow import score_of_pair

pytestmark = pytest.mark.compiled


def five_groups(rng, n=600):
    """A helix, a circle, three blocks of four with a common cause, and five columns of noise."""
    t, angle = rng.uniform(size=n), rng.uniform(0, 2 * np.pi, n)
    columns = [np.cos(6 * np.pi * t), np.sin(6 * np.pi * t), t, np.cos(angle), np.sin(angle)]
    for _ in range(3):
        cause = rng.normal(size=n)
        columns += [cause + rng.normal(size=n) for _ in range(4)]
    return np.c_[np.array(columns).T, rng.normal(size=(n, 5))]


EXPECTED = [4] * 3 + [5] * 2 + [1] * 4 + [2] * 4 + [3] * 4 + [-1] * 5


def slow_z(table, statistic):
    """The z of all pairs, one by one."""
    p = table.shape[1]
    z = np.zeros((p, p))
    codes = Binned.of(table).codes
    scores = Scores.of(table)
    for i, j in itertools.combinations(range(p), 2):
        if statistic != "correlation":
            z[i, j] = max(z[i, j], score_of_pair(codes[i], codes[j]))
        if statistic != "pairs" and scores.smooth[i] and scores.smooth[j]:
            present = ~np.isnan(table[:, [i, j]]).any(axis=1)
            first, other = scores.values[i][present], scores.values[j][present]
            if present.sum() >= 6:
                r = abs(np.corrcoef(first, other)[0, 1])
                z[i, j] = max(z[i, j], r * np.sqrt(present.sum() - 1))
    return z + z.T


@pytest.mark.parametrize("method", ["pairs", "auto", "both", "forest"])
def test_groups_of_a_helix_a_circle_and_three_blocks(method):
    X = five_groups(np.random.default_rng(0))
    screen = ColumnScreen(method, random_state=0).fit(X)
    kept = screen.support_
    assert kept[:5].all()
    assert screen.groups_.dtype == np.int64
    if method != "forest":  # which drops the blocks among these columns
        assert screen.groups_.tolist() == EXPECTED


@pytest.mark.nightly
@pytest.mark.parametrize("statistic", ["pairs", "correlation", "auto"])
@pytest.mark.parametrize("gaps", [False, True])
def test_the_z_of_pairs_is_that_of_their_tables_and_correlations(statistic, gaps):
    rng = np.random.default_rng(1)
    table = five_groups(rng, 250)
    table[:, 1] = (6 * table[:, 1]).round()  # thirteen values
    if gaps:
        table[rng.random(table.shape) < 0.1] = np.nan
    z = ColumnPairs.of(table, statistic).z()
    np.testing.assert_allclose(z, slow_z(table, statistic), atol=1e-3)


def test_more_columns_than_a_block_have_the_same_pairs():
    rng = np.random.default_rng(2)
    table = rng.normal(size=(60, 70))
    table[:, 69] = table[:, 0]
    table[:, 68] = table[:, 67]
    for statistic in ("pairs", "auto"):
        pairs = ColumnPairs.of(table, statistic)
        z = pairs.z(n_jobs=2)
        np.testing.assert_array_equal(z, z.T)
        joined = np.argwhere(np.triu(z >= pairs.limit(0.01))).tolist()
        assert joined == [[0, 69], [67, 68]]
        labels = pairs.components(0.01, n_jobs=2)
        assert len(set(labels)) == 68
        assert labels[0] == labels[69]
        assert labels[67] == labels[68]


@pytest.mark.parametrize(("statistic", "tests"), [("pairs", 2), ("correlation", 2), ("auto", 4)])
def test_the_level_is_shared_by_all_pairs_and_their_tests(statistic, tests):
    pairs = ColumnPairs.of(np.random.default_rng(0).normal(size=(50, 9)), statistic)
    assert pairs.limit(0.02) == pytest.approx(norm.isf(0.02 / (36 * tests)))


def test_pairs_of_kept_columns_share_half_of_the_level():
    X = five_groups(np.random.default_rng(0))
    screen = ColumnScreen("auto", level=0.02).fit(X)
    kept = ColumnPairs.of(X[:, screen.support_], "auto")
    assert screen.pair_limit_ == kept.limit(0.01)
    # and the groups are the components of what reaches it
    z = np.zeros((22, 22))
    z[np.ix_(screen.support_, screen.support_)] = screen.pair_scores(X)
    assert connected_components(z >= screen.pair_limit_)[0] == 5 + 5


@pytest.mark.nightly
def test_rare_categories_are_joined_by_their_exact_tails():
    # nine rows of a thousand in common would be far out for three moments
    rng = np.random.default_rng(4)
    joined = 0
    for _ in range(40):
        table = (rng.random((200, 12)) < 0.02).astype(float)
        labels = ColumnPairs.of(table, "auto").components(0.05)
        joined += len(set(labels)) < 12
    assert joined <= 6  # 2 are expected at most


def test_the_largest_group_is_first_and_of_equal_ones_the_first():
    assert numbered_by_size(np.array([5, 0, 0, 2, 2, 2, 9])).tolist() == [3, 2, 2, 1, 1, 1, 4]
    assert numbered_by_size(np.array([], np.int64)).tolist() == []


@pytest.mark.nightly
def test_groups_are_the_true_ones_in_nearly_all_tables():
    # the docs say .99 of tables; four of 30 would come once in 10,000
    tables = (five_groups(np.random.default_rng(seed), 500) for seed in range(30))
    true = sum(ColumnScreen("auto").fit(table).groups_.tolist() == EXPECTED for table in tables)
    assert true >= 27


@pytest.mark.parametrize("statistic", ["pairs", "auto"])
def test_no_column_is_paired_with_itself(statistic):
    rng = np.random.default_rng(0)
    table = np.c_[rng.integers(0, 2, (80, 3)), rng.random((80, 2)) < 0.1, rng.normal(size=(80, 2))]
    z = ColumnPairs.of(table, statistic).z()
    assert np.array_equal(np.diag(z), np.zeros(7))
    assert np.array_equal(z, z.T)
