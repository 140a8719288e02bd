"""The forest's screen: its null against permutations, and what it sees that pairs do not."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, norm

from geoforest_cli.estimators.screening import ForestScreen, PairScreen
from geoforest_cli.estimators.screening import forest as forests
from geoforest_cli.estimators.screening import trees as screen_trees
from geoforest_cli.estimators.screening.kernels.leaves import overlap
from geoforest_cli.estimators.screening.trees import Trees, column_scores
from tests.estimators.screening.slow import (
    cube_root_score,
    eight_sums,
    moments_of_form,
    projection,
)


def partitions(rng, n_trees, n):
    """Leaves of trees that are alike."""
    x = rng.normal(size=(n_trees, n)) + 2 * rng.normal(size=n)
    cuts = [np.sort(rng.choice(row, rng.integers(1, 6), replace=False)) for row in x]
    leaves = [np.digitize(row, c) for row, c in zip(x, cuts, strict=True)]
    return np.array([np.unique(leaf, return_inverse=True)[1] for leaf in leaves], np.int32)


def matrix(trees, used, rows):
    """The weighted sum of the projections on the leaves, on some rows."""
    parts = zip(trees.weights, trees.leaves, used, strict=True)
    return sum(w * projection(leaf[rows]) for w, leaf, use in parts if use)


def test_overlap_is_chi_square_by_rows():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 4, 50).astype(np.int32), rng.integers(-1, 3, 50)
    second = second.astype(np.int8)
    table = np.zeros((4, 3))
    np.add.at(table, (first[second >= 0], second[second >= 0]), 1)
    value = chi2_contingency(table, correction=False).statistic
    statistic = overlap(first, second, np.empty((4, 3)), np.empty(4), np.empty(3))
    assert statistic == pytest.approx(value / (second >= 0).sum())


@pytest.mark.parametrize("n", [40, 90])
def test_sums_of_a_forest(n):
    rng = np.random.default_rng(0)
    trees = Trees.of(partitions(rng, 9, n), np.zeros((9, 1), bool))
    expected = eight_sums(matrix(trees, np.ones(len(trees.leaves), bool), slice(None)))
    np.testing.assert_allclose(trees.sums(), expected)


def test_scores_have_the_moments_over_their_trees():
    rng = np.random.default_rng(0)
    n, n_trees = 60, 8
    leaves = partitions(rng, n_trees, n)
    leaves[3] = 0
    codes = rng.integers(0, 3, (4, n)).astype(np.int8)
    codes[2, 40:] = -1
    codes[3] = leaves[0] % 3
    seen = rng.random((n_trees, 4)) < 0.4
    trees = Trees.of(leaves, seen)
    # a tree without a cut is no judge
    assert len(trees.leaves) == n_trees - 1
    z = column_scores(codes, trees)
    whole = matrix(trees, np.ones(n_trees - 1, bool), slice(None))
    for j in range(4):
        with_value = codes[j] >= 0
        A = matrix(trees, trees.unseen[j], with_value)
        B = projection(codes[j][with_value])
        mean, variance, skewness = moments_of_form(A, B)
        if with_value.all():
            skewness = moments_of_form(whole, B)[2]
            expected = cube_root_score((A * B).sum(), mean, variance, skewness)
            assert z[j] == pytest.approx(expected)
        else:
            # the skewness is that of as many rows as there are
            nearly = cube_root_score((A * B).sum(), mean, variance, skewness)
            assert z[j] == pytest.approx(nearly, abs=0.05)


def parity(rng, n):
    signs = rng.choice([-1, 1], (n, 2))
    both = np.c_[signs, signs.prod(axis=1)]
    return both + 0.3 * rng.normal(size=(n, 3))


@pytest.mark.compiled
def test_parity_is_seen_by_trees_and_not_by_pairs():
    rng = np.random.default_rng(0)
    table = np.c_[parity(rng, 600), rng.normal(size=(600, 20))]
    forest = ForestScreen(random_state=0).fit(table)
    assert forest.get_support(indices=True).tolist() == [0, 1, 2]
    assert not PairScreen().fit(table).get_support().any()
    assert (forest.partners_ == -1).all()


@pytest.mark.compiled
def test_threads_scale_and_columns_that_say_nothing():
    rng = np.random.default_rng(0)
    table = np.c_[parity(rng, 200), rng.normal(size=(200, 9))]
    table[rng.random(table.shape) < 0.02] = np.nan
    settings = {"halves": 6, "random_state": 0}
    plain = ForestScreen(**settings).fit(table)
    threads = ForestScreen(**settings, n_jobs=3).fit(table)
    assert threads.scores_.tobytes() == plain.scores_.tobytes()
    # powers of two change no digit
    scaled = ForestScreen(**settings).fit(table * 2.0 ** rng.integers(-9, 9, 12))
    np.testing.assert_allclose(scaled.scores_, plain.scores_)
    more = np.insert(table, [0, 5], [[7.0, np.nan]], axis=1)
    wider = ForestScreen(**settings).fit(more)
    assert wider.pvalues_[[0, 6]].tolist() == [1.0, 1.0]
    np.testing.assert_array_equal(np.delete(wider.scores_, [0, 6]), plain.scores_)


def test_which_trees_test_a_column_and_how_much_they_weigh():
    leaves = np.array([[0, 0, 1, 1, 2, 4, 3], [0] * 7, [0, 1, 0, 1, 0, 1, 1]], np.int32)
    seen = np.array([[1, 0], [0, 0], [0, 1]], bool)
    trees = Trees.of(leaves, seen)
    assert trees.weights.tolist() == [0.5, 1.0]
    assert trees.unseen.tolist() == [[False, True], [True, False]]
    assert trees.for_columns(np.array([False, True])).unseen.tolist() == [[True, False]]


def test_of_many_rows_every_other_one_stands_for_two(monkeypatch):
    rng = np.random.default_rng(0)
    leaves = np.repeat(partitions(rng, 6, 20), 2, axis=1)
    trees = Trees.of(leaves, np.zeros((6, 1), bool))
    whole = trees.sums()
    monkeypatch.setattr(screen_trees, "_MOST_ROWS", 20)
    np.testing.assert_allclose(trees.sums(), whole)


def test_trees_grow_on_their_columns_with_their_own_seeds(monkeypatch):
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(30, 800))
    asked = []

    class Grown:
        leaf_of = np.zeros((2, 800), np.int32)

    def grow(points, growth, n_trees, seed, **_more):
        asked.append((points, growth, n_trees, seed))
        return Grown

    monkeypatch.setattr(screen_trees, "grow_forest", grow)
    parts = [np.array([0, 3, 7]), np.arange(26)]
    screen_trees.grow_trees(columns, screen_trees.tables_of(columns), parts, 2, 11)
    for i, (points, growth, n_trees, seed) in enumerate(asked):
        np.testing.assert_array_equal(points, columns[parts[i]].T)
        assert (n_trees, seed) == (2, 11 + i)
        d = (2, 6)[i]
        assert (growth.n_projections, growth.max_projections) == (d, 20 * d)
        # an eighth of the rows: more than twice their root
        assert growth.min_parent == 100


def test_halves_come_in_pairs_and_rare_columns_are_not_judged(monkeypatch):
    table = np.random.default_rng(0).normal(size=(60, 7))
    table[:, 5] = np.arange(60) < 2
    table[:, 6] = 1.0
    asked = []
    monkeypatch.setattr(forests, "grow_trees", lambda *grown: asked.append(grown) or Trees)
    monkeypatch.setattr(Trees, "for_columns", lambda columns: columns)
    z = np.array([6.0, 5.0, 2.0, 0.5, 1.0])
    monkeypatch.setattr(forests, "column_scores", lambda codes, judged, _jobs: z[judged[:-1]])
    screen = ForestScreen(halves=5, random_state=3).fit(table)
    ((_columns, _tables, halves, trees, seed, _jobs),) = asked
    assert (len(halves), trees, seed) == (5, 4, 3)
    # of six columns three are seen by a half and the others by the next
    for half in (0, 2):
        assert sorted([*halves[half], *halves[half + 1]]) == list(range(6))
    assert not np.array_equal(halves[0], halves[2])
    np.testing.assert_array_equal(screen.scores_, [*z, 0, 0])
    np.testing.assert_allclose(screen.pvalues_, [*norm.sf(z), 1, 1])


def test_gaps_are_filled_with_many_values_of_their_column():
    rng = np.random.default_rng(0)
    table = rng.normal((0, 9), size=(200, 2))
    holes = np.zeros(table.shape, bool)
    holes[:80, 1] = True
    filled = forests._filled(np.where(holes, np.nan, table), rng)
    np.testing.assert_array_equal(filled[0], table[:, 0])
    np.testing.assert_array_equal(filled[1, 80:], table[80:, 1])
    assert set(filled[1, :80]) <= set(table[80:, 1])
    assert len(set(filled[1, :80])) > 40


@pytest.mark.parametrize("whole", [False, True])
def test_without_ranks_the_scores_are_the_same(monkeypatch, whole):
    """Ranks are 16 bits wide: of more rows there are none."""
    rng = np.random.default_rng(0)
    X = rng.poisson(4, (80, 6)) if whole else rng.normal(size=(80, 6))
    usual = ForestScreen(random_state=0).fit(X)
    monkeypatch.setattr("geoforest_cli.estimators.forests.tables._MOST_RANKED_ROWS", 10)
    without = ForestScreen(random_state=0).fit(X)
    np.testing.assert_allclose(without.scores_, usual.scores_)
