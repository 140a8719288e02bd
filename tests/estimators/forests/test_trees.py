"""Whole trees against recursive code; samplers, sorting and the forest's invariants."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from geoforest_cli.estimators.forests import growth as growing
from geoforest_cli.estimators.forests.forest import watcher
from geoforest_cli.estimators.forests.growth import CRITERIA, Growth, grow_forest, tree_seeds
from geoforest_cli.estimators.forests.kernels import order as sorting
from geoforest_cli.estimators.forests.kernels import project as projection
from geoforest_cli.estimators.forests.kernels import rng, samplers
from geoforest_cli.estimators.forests.kernels.rules import Projection, TreeNode
from geoforest_cli.estimators.forests.kernels.workspace import new_workspace
from geoforest_cli.estimators.forests.tables import ranks_of
from tests import naive, naive_scores
from tests.estimators.forests.sampling import Drawing, by_day

_draws = np.random.default_rng(11)
T = np.sort(_draws.uniform(0, 1, 60))
# candidates that score alike but for rounding would let both differ: the curve bends
CURVE = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T)]
TABLES = {
    "line_and_noise": np.c_[CURVE, _draws.normal(0, 8, (60, 2))],
    "rounded": np.exp(0.2 * _draws.normal(0, 2, (50, 1)).round()),
    "one_constant_column": np.c_[_draws.normal(size=(40, 2)), np.ones(40)],
    "all_constant": np.ones((20, 3)),
    "one_column": _draws.normal(size=(45, 1)),
    "two_rows": np.array([[0.0, 1.0], [1.0, 3.0]]),
}
ALIKE = {("one_constant_column", "oblique")}
SCORES = {
    "two_means": naive_scores.two_means,
    "fast_bic": lambda v: naive_scores.fast_bic(v, 1e-3),
    "delta_bic": lambda v: naive_scores.delta_bic(v, 1e-3),
    "mean_bic": lambda v: naive_scores.mean_bic(v, 1e-3),
    "fast_bic_legacy": lambda v: (
        naive_scores.fast_bic_legacy(v) if len(set(v)) > 1 else (math.inf, math.nan)
    ),
}


def growth(**changes):
    fields = {
        "criterion": "fast_bic",
        "sampler": "oblique",
        "n_projections": 2,
        "n_nonzeros": 3,
        "min_parent": 8,
        "variance_floor": 1e-3,
    }
    return Growth(**(fields | changes))


def to_sort(z):
    """A workspace with values to sort, numbered."""
    work = new_workspace(len(z))
    work.z[:], work.order[:] = z, np.arange(len(z))
    return work


def node_of(rows, start=0):
    return TreeNode(rows, start, len(rows), len(rows) - start, np.ones(len(rows), np.int32))


@pytest.mark.parametrize(
    ("table", "sampler"),
    [(t, s) for t in TABLES for s in ("axis", "oblique") if (t, s) not in ALIKE],
)
@pytest.mark.parametrize("criterion", by_day(SCORES, ["fast_bic", "delta_bic"]))
def test_tree_equals_recursive_code(table, sampler, criterion):
    X = TABLES[table]
    p = X.shape[1]
    d = min(2, p)
    n_nonzeros = min(3, p * d)
    rules = {"sampler": sampler, "n_nonzeros": n_nonzeros, "min_parent": 16}
    forest = grow_forest(X, growth(criterion=criterion, n_projections=d, **rules), 4, 5)
    for t, seed in enumerate(tree_seeds(5, 4)):
        leaves, counts = naive.grow_tree(X, seed, SCORES[criterion], d=d, **rules)
        ours = {frozenset(np.flatnonzero(forest.leaf_of[t] == a)) for a in set(forest.leaf_of[t])}
        assert ours == {leaf for leaf in leaves if leaf}
        assert np.array_equal(counts, forest.in_bag[t])
    assert np.array_equal(forest.drop(X), forest.leaf_of.T)


def test_threads_do_not_change_the_forest():
    X = TABLES["line_and_noise"]
    first, second = (grow_forest(X, growth(), 9, 1, n_jobs=jobs) for jobs in (1, 2))
    for name in ("children", "threshold", "first", "features", "weights", "leaf_of", "in_bag"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    # nor how many follow the first ones
    assert np.array_equal(grow_forest(X, growth(), 4, 1).leaf_of, first.leaf_of[:4])


@pytest.mark.parametrize("sampler", ["axis", "oblique", "mixed"])
@pytest.mark.parametrize("criterion", by_day(["fast_bic", "mean_bic", "gini"], ["fast_bic"]))
def test_a_tree_does_not_depend_on_those_that_are_grown_with_it(monkeypatch, sampler, criterion):
    X = np.random.default_rng(4).normal(size=(80, 9))
    # with the first candidate or after all of them
    stop_score = np.inf if criterion == "fast_bic" else -np.inf
    rules = growth(
        criterion=criterion, sampler=sampler, n_projections=3, n_nonzeros=9, max_projections=9,
        stop_score=stop_score, shortlist=4 if sampler == "mixed" else 0,
    )  # fmt: skip
    labels = (X[:, 0] > 0).astype(np.int32)
    forests = []
    for together in (1, 5, 12):
        monkeypatch.setattr(growing, "_together", lambda *_, together=together: together)
        forests.append(grow_forest(X, rules, 12, 3, target=labels))
    for other in forests[1:]:
        for name in ("children", "threshold", "first", "features", "weights", "leaf_of", "in_bag"):
            np.testing.assert_array_equal(getattr(other, name), getattr(forests[0], name))


def test_every_tree_is_counted(monkeypatch):
    monkeypatch.setattr(growing, "_together", lambda *_: 3)
    events = []
    reset = watcher.set(lambda *words: events.append(words))
    try:
        grow_forest(CURVE, growth(), 8, 0)
    finally:
        watcher.reset(reset)
    assert events == [("trees", n, 8) for n in (1, 3, 3, 1)]


@pytest.mark.parametrize(("p", "n"), [(1, 100_000), (150, 1000)])
def test_one_value_that_is_not_whole_is_found_wherever_it_stands(p, n):
    columns = np.arange(p * n, dtype=float).reshape(p, n) % 100
    assert growing._is_whole(columns, 2)
    for at in (0, n - 1, p * n // 2, p * n - 1):
        columns.flat[at] += 0.5
        assert not growing._is_whole(columns, 2)
        columns.flat[at] -= 0.5
    columns.flat[-1] = 2.0**31 / 16
    assert not growing._is_whole(columns, 2)


def test_lots_of_trees_shrink_towards_the_end():
    lots = [list(lot) for lot in growing._parts(10, 2, 3)]
    assert lots == [[1, 2, 3], [4, 5, 6], [7, 8], [9]]
    assert [len(lot) for lot in growing._parts(10, 1, 4)] == [4, 4, 1]
    assert not list(growing._parts(1, 1, 1))


def test_limits_on_depth_and_size_hold():
    X = np.random.default_rng(0).normal(size=(300, 2))
    forest = grow_forest(X, growth(max_depth=3), 5, 0)
    assert max(forest.n_leaves()) <= 8
    assert grow_forest(X, growth(max_depth=1), 5, 0).n_leaves().tolist() == [2] * 5
    forest = grow_forest(X, growth(min_leaf=20, min_parent=50), 5, 0)
    for t in range(5):
        sizes = np.bincount(forest.leaf_of[t], weights=forest.in_bag[t])
        assert min(sizes[np.unique(forest.leaf_of[t])]) >= 20


@given(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=200),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_sorting_equals_a_stable_sort(values, heavy):
    z = np.array(values)
    if heavy:
        # one far value leaves all others in one bucket, ties among them
        z = np.r_[np.round(z / 1e6), 1e9]
    m = len(z)
    expected = np.argsort(z, kind="stable")
    work = to_sort(z)
    possible = sorting.sort_projection(work, m)
    assert possible == (z.max() - z.min() > 0)
    for bad in (np.inf, np.nan):
        assert not sorting.sort_projection(to_sort(np.r_[z, bad]), m + 1)
    if possible:
        assert np.array_equal(work.order, expected)
        assert np.array_equal(work.z, z[expected])


@given(st.integers(1, 300), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_sorting_by_rank_equals_sorting(n, seed):
    rng = np.random.default_rng(seed)
    column = rng.integers(0, n, n).astype(float)
    ranks = np.empty((2, n), np.uint16)
    ranks[1, np.argsort(column, kind="stable")] = np.arange(n)
    rows = np.sort(rng.choice(n, rng.integers(1, n + 1), replace=False)).astype(np.int32)
    work = new_workspace(n)
    sorting.sort_by_rank(ranks, 1, node_of(rows), work)
    expected = rows[np.argsort(column[rows], kind="stable")]
    assert np.array_equal(work.order[: len(rows)], expected)
    assert not work.bits.any()


@pytest.mark.parametrize("criterion", by_day(["fast_bic", "fast_bic_legacy", "gini"], ["fast_bic"]))
@pytest.mark.parametrize("sampler", ["axis", "oblique"])
def test_known_ranks_do_not_change_the_forest(criterion, sampler, monkeypatch):
    X = TABLES["line_and_noise"]
    # columns with ties before and after those without, and one whose values all come twice
    X = np.c_[X[:, 0].round(), X, X[np.arange(60) // 2, 3], X[:, 0].round()]
    labels = (np.arange(60) % 3).astype(np.int32)
    wanted = growth(criterion=criterion, sampler=sampler, min_parent=2, n_projections=4)
    with_ranks = grow_forest(X, wanted, 10, 1, target=labels)
    monkeypatch.setattr("geoforest_cli.estimators.forests.tables._MOST_BYTES_OF_RANKS", 0)
    without = grow_forest(X, wanted, 10, 1, target=labels)
    assert np.array_equal(with_ranks.leaf_of, without.leaf_of)
    assert np.array_equal(with_ranks.threshold, without.threshold)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_ranks_are_those_of_scipy(n, seed):
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 30, (4, n)) / 4 - 2.0
    columns[rng.integers(4)] = rng.permutation(n)
    ranks, distinct, dense = ranks_of(columns)
    assert np.array_equal(ranks, rankdata(columns, "ordinal", axis=1) - 1)
    assert np.array_equal(dense, rankdata(columns, "dense", axis=1) - 1)
    assert distinct.tolist() == [len(set(column)) == n for column in columns.tolist()]
    assert (dense is ranks) == distinct.all()


@given(st.integers(1, 30), st.integers(1, 8), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_projections_made_together_are_those_made_one_by_one(m, d, seed):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(5, 40))
    rows = rng.choice(40, 3 + m, replace=False).astype(np.int32)
    first = np.r_[0, np.cumsum(rng.integers(1, 6, d))]
    features = rng.integers(0, 5, first[-1]).astype(np.int32)
    weights = rng.choice([-1.0, 1.0, 0.3], first[-1]).astype(np.float32)
    candidates = Drawing("oblique", 5, d).candidates._replace(
        first=first, features=features, weights=weights
    )
    together = np.full((d, 40), np.nan)
    node = node_of(rows, 3)
    projection.project_together(columns, node, candidates, d, np.full(40, np.nan), together)
    z, scratch = np.empty(m), np.empty(40)
    for c in range(d):
        single = Projection(features, weights, first[c], first[c + 1])
        projection.project(columns, node, single, z, scratch)
        assert np.array_equal(together[c, :m], z)


@given(st.integers(0, 2**63), st.integers(1, 12), st.integers(1, 6), st.floats(0.01, 1))
@settings(max_examples=60, deadline=None)
def test_oblique_candidates_are_distinct_cells_of_filled_columns(seed, p, d, share):
    n_nonzeros = max(1, round(share * p * d))
    drawing = Drawing("oblique", p, d, n_nonzeros, seed)
    kept = drawing.draw()
    first, features, weights, *_ = drawing.candidates
    theirs = naive.oblique_candidates(naive.SplitMix(seed), p, d, n_nonzeros)
    assert kept == len(theirs)
    for c in range(kept):
        low, high = first[c], first[c + 1]
        assert list(zip(features[low:high], weights[low:high], strict=True)) == theirs[c]
        assert len(set(features[low:high])) == high - low > 0
    assert first[kept] == n_nonzeros


def test_columns_of_a_node_are_drawn_once_until_none_is_left():
    drawing = Drawing("axis", 5, 2)
    for _ in range(20):
        seen, sizes, drawn = 0, [], []
        for _ in range(4):
            sizes.append(drawing.draw(seen))
            drawn += drawing.candidates.features[: sizes[-1]].tolist()
            seen = samplers.take_back(drawing.among(seen), *sizes[-1:] * 2, drawing.candidates)
        assert sizes == [2, 2, 1, 0]
        assert sorted(drawn) == list(range(5))


def test_half_of_the_mixed_candidates_join_two_columns():
    drawing = Drawing("mixed", 4, 1)
    counts = np.zeros((4, 4))
    signs = []
    for _ in range(4000):
        drawing.draw()
        features, weights = drawing.entries(0)
        counts[features[0], features[-1]] += 1
        if len(features) == 2:
            signs.append(weights)
    # single columns on the diagonal
    assert np.diag(counts) == pytest.approx(np.full(4, 500), abs=100)
    assert counts[~np.eye(4, dtype=bool)] == pytest.approx(np.full(12, 2000 / 12), abs=60)
    assert {tuple(pair) for pair in signs} == {(1, 1), (1, -1)}
    assert np.mean(signs, axis=0)[1] == pytest.approx(0, abs=0.1)


def test_mixed_candidates_that_are_taken_back_were_never_drawn():
    def drawn(batches):
        drawing, seen, candidates = Drawing("mixed", 6, 1), 0, []
        for d, used in batches:
            assert drawing.draw(seen, d) == d
            candidates += [drawing.entries(c) for c in range(used)]
            seen = samplers.take_back(drawing.among(seen), used, d, drawing.candidates)
        return candidates, seen, drawing.state.tolist(), drawing.candidates.permutation.tolist()

    one_by_one = drawn([(1, 1)] * 20)
    assert one_by_one == drawn([(20, 20)]) == drawn([(9, 4), (7, 1), (12, 12), (8, 3)])
    assert one_by_one[1] > 3


def test_points_at_the_threshold_go_right_everywhere():
    # between neighbours among the numbers there is no other: the threshold is the larger one
    X = np.where(np.arange(40) < 20, 1.0, np.nextafter(1.0, 2.0))[:, None]
    forest = grow_forest(X, growth(criterion="two_means", sampler="axis"), 3, 0)
    assert forest.n_leaves().tolist() == [2, 2, 2]
    for t, leaves in enumerate(forest.leaf_of):
        assert forest.threshold[forest.first_node[t]] == X[-1, 0]
        assert len(set(leaves[:20])) == len(set(leaves[20:])) == 1
    assert np.array_equal(forest.drop(X), forest.leaf_of.T)


def test_random_integers_are_uniform():
    state = np.array([3], np.uint64)
    drawn = np.array([rng.random_below(state, 7) for _ in range(7000)])
    assert np.abs(np.bincount(drawn, minlength=7) - 1000).max() < 150
    stream = naive.SplitMix(3)
    assert [stream.below(7) for _ in range(50)] == list(drawn[:50])


@pytest.mark.nightly
def test_all_criteria_have_a_kernel():
    X = TABLES["line_and_noise"]
    targets = {"gini": (np.arange(60) % 2).astype(np.int32), "variance": X[:, 0] ** 2}
    for criterion in set(CRITERIA) - {"pairwise"}:
        forest = grow_forest(X, growth(criterion=criterion), 2, 0, target=targets.get(criterion))
        assert min(forest.n_leaves()) >= 2
    with pytest.raises(ValueError, match="needs a response"):
        grow_forest(X, growth(criterion="variance"), 2, 0)
