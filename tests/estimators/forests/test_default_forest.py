"""The default forest: what its rules stand for, on tables of any size and scale."""

import math
import warnings

import numpy as np
import pytest

from geoforest_cli.estimators.forests.columns import Columns
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.presets import AS_RUN, AS_WRITTEN
from geoforest_cli.estimators.forests.tables import shared_tables
from tests import naive

PAPER = {
    "sampler": "oblique", "n_projections": 4, "max_projections": 0, "min_share": 0.0,
    "shortlist": 0, "child_search_fraction": 1.0, "max_search": 0,
}  # fmt: skip
SEARCH = {
    "sampler": "mixed", "max_projections": 26, "min_share": 0.125, "variance_floor": 0.015,
    "stop_score": 0.0, "min_parent": 63, "shortlist": 10, "child_search_fraction": 0.5, "max_search": 1000,
}  # fmt: skip


def rounding(values):
    columns = np.stack([values, -values])
    with warnings.catch_warnings(action="ignore"):  # of a column without a value
        roundings = shared_tables(columns, ranked=False).roundings
    assert roundings[0] == pytest.approx(roundings[1])
    return roundings[0]


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([0, 1, 1, 0], 1),
        ([3, 3, np.nan, 5, 5, 9, 9], 2),
        ([0.1 + 0.2, 0.3, 0.3, 0.4, 0.4, 0.4], 0.1),
        ([0, 1, 2, 3], 0),  # no value twice: nothing says that these are steps
        ([0, 1, 1, 2, 2], 0),  # nor less than twice each
        ([0, 0, 2, 2, 5, 5], 0),
        ([0, 0, 0, 0], 0),
        ([np.nan, np.nan], 0),
        ([0, 0, 1e-30, 1, 1], 1),
    ],
)
def test_steps_are_told_from_other_gaps(values, step):
    assert rounding(np.array(values, float)) == pytest.approx(step**2 / 12)


def test_the_shortlist_has_the_most_clustered_columns():
    rng = np.random.default_rng(3)
    answers = rng.integers(0, 2, 400)
    two = np.r_[rng.normal(size=200), rng.normal(9, 1, 200)]
    columns = np.stack([rng.normal(size=400), answers, rng.uniform(size=400), two, np.ones(400)])
    columns[3, ::2] = np.nan
    tables = shared_tables(columns, ranked=False, shortlist=5, min_share=0.125, variance_floor=0.01)
    # where two values are all there are, how often each is used tells nothing
    assert tables.shortlist.tolist() == [3, 2, 0]
    assert shared_tables(columns, ranked=False, shortlist=1).shortlist.tolist() == [3]
    assert shared_tables(columns[[1, 4]], ranked=False, shortlist=2).shortlist.tolist() == []
    assert shared_tables(columns, ranked=False).shortlist.tolist() == []
    # per row that has a value: few rows far apart before many that are less so
    unlike = np.stack([rng.normal(size=400), rng.normal(size=400)]) + 2.2 * (answers - 0.5) * 2
    unlike[1] += 7 * answers
    unlike[1, 40:] = np.nan
    assert shared_tables(unlike, ranked=False, shortlist=2).shortlist.tolist() == [1, 0]


def test_children_of_a_node_without_clusters_search_half_as_long():
    growth = GeodesicForest(patience=0.25)._growth(400, 100)
    assert (growth.child_search_fraction, growth.max_projections) == (0.25, 80)
    X = np.random.default_rng(0).normal(size=(400, 4))
    kept, halved = (
        GeodesicForest(5, patience=patience, max_projections=64, random_state=0).fit(X).forest_
        for patience in (1.0, 0.5)
    )
    # the roots are searched alike
    roots = kept.first_node[:-1], halved.first_node[:-1]
    assert np.array_equal(kept.threshold[roots[0]], halved.threshold[roots[1]])
    assert not np.array_equal(kept.leaf_of, halved.leaf_of)


def test_no_side_is_smaller_than_its_share():
    X = np.random.default_rng(1).standard_cauchy(size=(80, 3))
    forest = GeodesicForest(3, min_share=0.25, min_parent=10, random_state=0).fit(X).forest_
    for t in range(3):
        part = slice(forest.first_node[t], forest.first_node[t + 1])
        children = forest.children[part]
        rows = np.bincount(forest.leaf_of[t], forest.in_bag[t], len(children))
        for node in reversed(range(len(children))):
            if children[node, 0] >= 0:
                sides = rows[children[node]]
                rows[node] = sides.sum()
                assert sides.min() >= 0.25 * rows[node]


def test_a_power_of_two_changes_nothing():
    X = np.random.default_rng(3).uniform(size=(50, 3))
    trees = [
        GeodesicForest(4, random_state=0, rescale=rescale).fit(X * scale).forest_.leaf_of
        for scale in (1.0, 2.0**600, 2.0**-600)
        for rescale in ("robust", "standard", "none")
    ]
    assert all(np.array_equal(trees[i], trees[i % 3]) for i in range(9))


def test_far_values_do_not_narrow_a_robust_column():
    rng = np.random.default_rng(2)
    X = np.c_[rng.normal(3, 2, 4000), rng.standard_t(3, 4000), rng.random(4000) < 0.02]
    X[:40, 0] = np.nan
    far = X.copy()
    far[50:60, :2] *= 8
    spans = [Columns.of(table, "robust", "keep").span for table in (X, far)]
    assert spans[0][0] == pytest.approx(2, rel=0.05)
    assert spans[1][:2] == pytest.approx(spans[0][:2], rel=0.02)
    # of a deviation ten times as large something else is the matter than far values
    far[50:60, :2] *= 1e6
    huge = Columns.of(far, "robust", "keep").span
    assert huge[:2] == pytest.approx(np.nanstd(far[:, :2], axis=0))
    # nine tenths are one value: there is no other spread than that of all
    assert spans[0][2] == pytest.approx(X[:, 2].std())


def test_columns_that_cancel_are_no_candidate():
    t = np.random.default_rng(0).uniform(size=60)
    X = np.c_[4 * t, 6 * t, 9 * t]
    for rules in ({}, {"criterion": "fast_bic", "min_parent": 10}):
        forest = GeodesicForest(20, random_state=0, **rules).fit(X)
        order = np.argsort(t)
        for leaves in forest.forest_.leaf_of[:, order]:
            # every leaf is one interval of the line
            assert (np.diff(leaves) != 0).sum() == len(set(leaves)) - 1


@pytest.mark.parametrize("table", ["line_and_noise", "heavy", "steps", "yes_and_no", "many"])
def test_the_default_forest_equals_a_slow_one(table):
    rng = np.random.default_rng(4)
    t = np.sort(rng.uniform(size=50))
    X = {
        "line_and_noise": np.c_[4 * t, 6 * t**2, rng.normal(size=(50, 2))],
        "heavy": rng.standard_cauchy(size=(40, 3)),
        "steps": np.c_[4 * t, rng.integers(0, 2, 50), rng.poisson(3, (50, 2)), t.round(1)],
        "yes_and_no": np.c_[4 * t, t < 0.5, t >= 0.5, rng.integers(0, 2, 50)],
        "many": np.c_[4 * t, 6 * t**2, rng.normal(size=(50, 13)), rng.poisson(3, (50, 2))],
    }[table]
    forest = GeodesicForest(3, screen=None, random_state=7).fit(X)
    within = np.clip(X, *np.percentile(X, (5, 95), axis=0)).std(axis=0) / 0.9
    scaled = (X - X.mean(axis=0)) / within
    n, p = X.shape
    parent = round(2 * np.sqrt(n))
    for tree, leaves in enumerate(forest.forest_.leaf_of):
        theirs = naive.grow_default_tree(
            scaled, naive.tree_seed(7, tree), min_parent=max(parent, 10), share=0.125, floor=0.015,
            budget=min(int(np.ceil(8 * np.sqrt(p))), p * p), patience=0.5, listed=10,
        )  # fmt: skip
        ours = {frozenset(np.flatnonzero(leaves == a)) for a in set(leaves)}
        assert ours == theirs


@pytest.mark.parametrize(
    ("rules", "rescale", "expected"),
    [
        ({}, "robust", SEARCH),
        ({"criterion": "delta_bic"}, "standard", SEARCH),
        (
            {"criterion": "fast_bic"}, "none",
            PAPER | {"n_nonzeros": 6, "variance_floor": 1e-3, "min_parent": 63, "stop_score": math.inf},
        ),
        (AS_WRITTEN, "none", PAPER | {"n_nonzeros": 2, "variance_floor": 0.0, "min_parent": 100}),
        (AS_RUN, "none", PAPER | {"n_nonzeros": 4, "variance_floor": 0.0, "min_parent": 32}),
    ],
    ids=["default", "delta_bic", "fast_bic", "as written", "as run"],
)  # fmt: skip
def test_what_auto_stands_for(rules, rescale, expected):
    # 1000 rows of ten columns
    forest = GeodesicForest(**rules)
    growth = forest._growth(1000, 10)
    assert {name: getattr(growth, name) for name in expected} == expected
    assert forest._rule("rescale") == rescale
    assert growth.max_depth is None


def test_three_points_are_too_few_and_it_says_so():
    t = np.linspace(0, 1, 3)
    with pytest.warns(UserWarning, match="3 rows are few"):
        forest = GeodesicForest(50, random_state=0).fit(np.c_[4 * t, 6 * t, 9 * t])
    assert forest.kneighbors(None, 1, return_distance=False)[[0, 2], 0].tolist() == [1, 1]


@pytest.mark.parametrize(("parent", "leaves"), [(100, 1), (85, 2)])
def test_stumps_are_named(parent, leaves):
    t = np.linspace(0, 1, 90)
    with pytest.warns(UserWarning, match=f"90 rows are few for min_parent = {parent}"):
        forest = GeodesicForest(5, min_parent=parent, random_state=0).fit(np.c_[4 * t, 9 * t])
    assert forest.forest_.n_leaves().tolist() == [leaves] * 5


def test_neighbours_that_share_no_leaf_are_named_and_random():
    X = np.sort(np.random.default_rng(0).normal(size=(120, 1)), axis=0)
    forest = GeodesicForest(3, min_parent=8, random_state=0).fit(X)
    with pytest.warns(UserWarning, match="never share a leaf"):
        distances, rows = forest.kneighbors(None, 40)
    # a run of rows would have steps of one
    steps = [np.diff(r[d == 1]) for d, r in zip(distances, rows, strict=True)]
    assert np.mean(np.concatenate(steps) == 1) < 0.1


@pytest.mark.parametrize("scale", [1e153, 1e300, 1e-170, 1e-300])
@pytest.mark.parametrize(
    ("rescale", "criterion"),
    [
        ("none", "fast_bic"),
        ("robust", "mean_bic"),
        ("standard", "fast_bic"),
        ("min_max", "mean_bic"),
    ],
)
def test_huge_and_tiny_tables(scale, rescale, criterion):
    X = np.random.default_rng(3).uniform(size=(60, 3))
    rules = {"rescale": rescale, "criterion": criterion, "random_state": 0}
    forest = GeodesicForest(4, **rules).fit(X * scale)
    assert forest.forest_.n_leaves().min() > 2
    assert np.array_equal(forest.apply(X * scale), forest.forest_.leaf_of.T)
