"""SMERF against brute force, scikit-learn's trees (Propositions 1 and 2) and itself."""

import pickle

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests import smerf
from geoforest_cli.estimators.forests.smerf import Smerf, response_distances, tuning_grid
from tests.estimators.forests.sampling import cuts_of, walk


def impurity(Z):
    return Z.mean()


def single_tree(X, Z, **more):
    forest = Smerf(1, projection="axis", max_features=X.shape[1], bootstrap=False, **more)
    return forest.fit(X, Z)


def gain_of(Z, left):
    """n I - n_L I_L - n_R I_R over known entries; -inf where a side has none."""
    gain = 0.0
    for sign, side in ((1, np.ones(len(Z), bool)), (-1, left), (-1, ~left)):
        part = Z[np.ix_(side, side)]
        if np.isnan(part).all():
            return -np.inf
        gain += sign * side.sum() * np.nanmean(part)
    return gain


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("values", "hidden"), [(None, 0.0), (9, 0.0), (2, 0.3), (5, 0.3)])
def test_cuts_are_those_of_brute_force(seed, values, hidden):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 30))
    X = rng.normal(size=(n, 3)) if values is None else rng.integers(0, values, (n, 3)) * 1.0
    Z = rng.normal(size=(n, n))
    Z = Z + Z.T
    lost = np.triu(rng.random((n, n)) < hidden)
    Z[lost | lost.T] = np.nan
    forest = single_tree(X, Z, min_parent=4, random_state=seed)
    for rows, cut in walk(forest.forest_, X):
        if cut is not None:
            part = Z[np.ix_(rows, rows)]
            best = max(gain_of(part, left) for left in cuts_of(X[rows]))
            assert gain_of(part, cut[0]) == pytest.approx(best, abs=1e-9)


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(20))
def test_proposition_two_regression_trees(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 4)).astype(np.float32).astype(float)
    y = rng.normal(size=80).astype(np.float32).astype(float)
    forest = single_tree(X, response_distances(y), min_parent=5, random_state=seed)
    peer = DecisionTreeRegressor(min_samples_split=5, random_state=0).fit(X, y)
    ours, theirs = forest.forest_.leaf_of[0], peer.apply(X)
    pairs = set(zip(ours.tolist(), theirs.tolist(), strict=True))
    assert len(pairs) == len(set(ours)) == len(set(theirs))


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(20))
def test_proposition_one_classification_trees(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)).astype(np.float32).astype(float)
    c = rng.integers(0, 3, 60)
    Z = response_distances(c, "class")
    forest = single_tree(X, Z, random_state=seed)
    # equal gains are common: the best gain at every node, not the partition
    for rows, cut in walk(forest.forest_, X):
        shares = np.bincount(c[rows], minlength=3) / len(rows)
        assert impurity(Z[np.ix_(rows, rows)]) == pytest.approx(1 - (shares**2).sum())
        if cut is None:
            assert len(set(c[rows])) == 1
    peer = DecisionTreeClassifier(random_state=0).fit(X, c)
    root = peer.tree_
    children = root.children_left[0], root.children_right[0]
    peers_gain = root.impurity[0] * 60 - sum(
        root.impurity[k] * root.n_node_samples[k] for k in children
    )
    assert max(gain_of(Z, left) for left in cuts_of(X)) == pytest.approx(peers_gain)


def test_impurities_are_variance_mean_difference_and_gini():
    y = np.random.default_rng(0).normal(size=12)
    assert response_distances(y).mean() == pytest.approx(y.var())
    gaps = np.abs(np.subtract.outer(y, y))
    assert np.array_equal(response_distances(y, "absolute"), gaps)
    c = np.array([0, 2, 2, 1, 2])
    assert response_distances(c, "class").mean() == pytest.approx(1 - (1 + 9 + 1) / 25)


def test_predictions_of_full_trees_are_those_of_regression_trees():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    forest = single_tree(X, response_distances(y), random_state=0)
    predicted = forest.pairwise_distances(X)
    assert np.allclose(predicted, response_distances(y), atol=1e-6)


@pytest.mark.compiled
def test_threads_pickles_and_neighbours():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(70, 5))
    Z = response_distances(X[:, 0], "absolute")
    first = Smerf(30, random_state=1).fit(X, Z)
    second = Smerf(30, random_state=1, n_jobs=2).fit(X, Z)
    assert np.array_equal(first.pairwise_distances(X), second.pairwise_distances(X))
    again = pickle.loads(pickle.dumps(first))
    assert np.array_equal(first.pairwise_distances(X), again.pairwise_distances(X))
    distances, rows = first.kneighbors(X[:3], 4)
    assert distances.shape == rows.shape == (3, 4)
    assert (np.diff(distances, axis=1) >= 0).all()
    lists = first.kneighbors(return_distance=False)
    assert lists.shape == (70, 5)
    assert not (lists == np.arange(70)[:, None]).any()
    with pytest.raises(DataError, match="1 to 70"):
        first.kneighbors(X[:3], 71)


@pytest.mark.compiled
def test_tables_that_do_not_fit_are_made_when_asked_for(monkeypatch):
    X = np.random.default_rng(2).uniform(size=(60, 3))
    Z = response_distances(X[:, 0])
    kept = Smerf(10, random_state=1).fit(X, Z)
    monkeypatch.setattr("geoforest_cli.estimators.forests.smerf._MOST_BYTES_OF_TABLES", 1000)
    made = Smerf(10, random_state=1).fit(X, Z)
    assert len(kept._means) == 10
    assert not made._means
    assert np.array_equal(kept.pairwise_distances(X), made.pairwise_distances(X))
    assert kept.oob_rmse_ == made.oob_rmse_


def test_ties_of_learned_distances_are_random():
    X = np.zeros((40, 1))
    forest = Smerf(2, random_state=0).fit(X, response_distances(np.arange(40.0)))
    rows = forest.kneighbors(n_neighbors=5, return_distance=False)
    assert 15 < rows.mean() < 25
    assert np.array_equal(rows, forest.kneighbors(n_neighbors=5, return_distance=False))


def test_the_least_gain_does_not_vanish_for_mixed_signs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 4))
    # mirrored columns give gains that are equal but for rounding: the first of them wins, whatever
    # is added to all distances
    X[:, 2] = -X[:, 0]
    Z = rng.normal(size=(20, 20))
    Z = Z + Z.T
    zero_sum = Z - Z.mean()
    trees = [
        Smerf(3, projection="axis", max_features=4, random_state=0).fit(X, z).forest_
        for z in (zero_sum, zero_sum + 1.0, 8 * zero_sum)
    ]
    for tree in trees[1:]:
        assert np.array_equal(tree.features, trees[0].features)
        assert np.array_equal(tree.leaf_of, trees[0].leaf_of)
    # of the whole table nothing at all is the sum, and a mirrored column's gain rounds otherwise
    Z = response_distances(X[:, 0])
    roots = [
        Smerf(12, projection="axis", max_features=4, min_parent=20, bootstrap=False, random_state=0)
        .fit(X, z)
        .forest_.features.tolist()
        for z in (Z - Z.mean(), Z - Z.mean() + 1.0)
    ]
    assert set(roots[1]) == {0, 2}
    assert roots[0] == roots[1]


def test_the_best_of_all_settings_is_taken():
    powers = [2, 4, 8, 16]
    assert tuning_grid(16, "axis") == [(d, parent) for d in powers for parent in (2, 4, 8)]
    assert {d for d, _ in tuning_grid(16, "oblique")} == {*powers, 64}
    assert tuning_grid(1, "oblique") == [(1, 2), (1, 4), (1, 8)]
    X = np.random.default_rng(3).uniform(size=(40, 4))
    Z = response_distances(X[:, 2])
    tuned = Smerf(9, tune=True, random_state=0).fit(X, Z)
    errors = {}
    for d, parent in tuning_grid(4, "oblique"):
        rules = {"max_features": d, "min_parent": parent}
        errors[d, parent] = Smerf(9, **rules, random_state=0).fit(X, Z).oob_rmse_
    assert errors[tuple(tuned.best_params_.values())] == min(errors.values()) == tuned.oob_rmse_
    assert min(errors.values()) < max(errors.values())
    flat = Smerf(2, tune=True, projection="axis", random_state=0).fit(np.zeros((8, 2)), Z[:8, :8])
    assert flat.best_params_ == {"max_features": 1, "min_parent": 2}


@pytest.mark.parametrize(("projection", "nonzeros"), [("oblique", 7), ("axis", 5)])
def test_oblique_candidates_have_one_and_a_half_columns(projection, nonzeros, monkeypatch):
    asked = []
    grow = smerf.grow_forest
    monkeypatch.setattr(
        smerf, "grow_forest",
        lambda points, growth, *more, **rules: (
            asked.append(growth) or grow(points, growth, *more, **rules)
        ),
    )  # fmt: skip
    X = np.random.default_rng(0).uniform(size=(9, 5))
    forest = Smerf(2, projection=projection, max_features=5, random_state=0)
    forest.fit(X, response_distances(X[:, 0]))
    ((growth,),) = (asked,)
    assert (growth.n_projections, growth.n_nonzeros, growth.full_credit) == (5, nonzeros, True)


def one_entry(Z):
    Z = Z.copy()
    Z[2, 4] += 1.0
    Z[0, 1] = Z[1, 0] = np.nan
    return Z


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda Z: Z[:5], "shape"),
        (one_entry, r"not symmetric: entries \(2, 4\) and \(4, 2\) differ"),
        (lambda Z: np.full_like(Z, np.nan), "no known entry"),
        (lambda Z: np.where(np.eye(len(Z)) > 0, np.inf, Z), "infinities"),
    ],
)
def test_bad_distances_are_refused(change, words):
    X = np.random.default_rng(0).normal(size=(8, 2))
    with pytest.raises(DataError, match=words):
        Smerf(2).fit(X, change(response_distances(X[:, 0])))


def leaf_distance(Z, bag, leaf, a, b, fallback):
    """Mean known distance between the bag rows of two leaves, each as often as it was drawn."""
    rows, columns = (np.repeat(np.flatnonzero(leaf == x), bag[leaf == x]) for x in (a, b))
    block = Z[np.ix_(rows, columns)]
    return fallback if np.isnan(block).all() else np.nanmean(block)


@pytest.mark.parametrize("hidden", [0.0, 0.8])
def test_out_of_bag_distances_by_the_definition(hidden):
    rng = np.random.default_rng(1)
    n, n_trees = 16, 5
    X = rng.uniform(size=(n, 2))
    Z = 3 + response_distances(X[:, 0], "absolute") + np.diag(rng.uniform(size=n))
    lost = np.triu(rng.random((n, n)) < hidden)
    Z[lost | lost.T] = np.nan
    forest = Smerf(n_trees, max_features=2, random_state=0).fit(X, Z)
    grown = forest.forest_
    fallback = np.nanmean(Z)
    out_of_bag, expected, unknown = np.full((n, n), np.nan), np.zeros((n, n)), 0
    for i in range(n):
        for j in range(n):
            of_trees = [
                leaf_distance(Z, bag, leaf, leaf[i], leaf[j], fallback)
                for leaf, bag in zip(grown.leaf_of, grown.in_bag, strict=True)
            ]
            expected[i, j] = np.mean(of_trees)
            unknown += of_trees.count(fallback)
            out = (grown.in_bag[:, i] == 0) & (grown.in_bag[:, j] == 0)
            if out.any():
                out_of_bag[i, j] = np.mean(np.array(of_trees)[out])
    if hidden:
        # leaves without a known distance between them
        assert unknown > 0
    np.testing.assert_allclose(forest.pairwise_distances(), expected, rtol=1e-6)
    np.testing.assert_allclose(forest.oob_distances_, out_of_bag, rtol=1e-6)
    upper = np.triu_indices(n, 1)
    # some pairs are never out of a bag together, some are not known
    assert np.isnan(out_of_bag[upper]).any()
    assert forest.oob_rmse_ == pytest.approx(np.sqrt(np.nanmean((out_of_bag - Z)[upper] ** 2)))


def test_leaves_of_all_points_count_each_point_once():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(30, 2))
    Z = response_distances(X[:, 0], "absolute")
    bag = Smerf(4, min_parent=8, random_state=0).fit(X, Z)
    full = Smerf(4, min_parent=8, leaf_points="all", random_state=0).fit(X, Z)
    each_once = np.ones(len(X), int)
    expected = np.mean(
        [
            [[leaf_distance(Z, each_once, leaf, a, b, np.nan) for b in leaf] for a in leaf]
            for leaf in full.forest_.leaf_of
        ],
        axis=0,
    )
    np.testing.assert_allclose(full.pairwise_distances(), expected, rtol=1e-6)
    assert not np.allclose(bag.pairwise_distances(), expected)
    assert full.oob_rmse_ == bag.oob_rmse_


def test_leaves_may_have_other_distances_than_cuts():
    rng = np.random.default_rng(4)
    X = rng.uniform(size=(30, 2))
    cuts, links = response_distances(X[:, 0]), response_distances(X[:, 1], "absolute")
    forest = Smerf(4, min_parent=8, random_state=0).fit(X, cuts, links)
    grown = Smerf(4, min_parent=8, random_state=0).fit(X, cuts).forest_
    assert np.array_equal(forest.forest_.threshold, grown.threshold)
    expected = np.mean(
        [
            [[leaf_distance(links, bag, leaf, a, b, np.nan) for b in leaf] for a in leaf]
            for leaf, bag in zip(grown.leaf_of, grown.in_bag, strict=True)
        ],
        axis=0,
    )
    np.testing.assert_allclose(forest.pairwise_distances(), expected, rtol=1e-6)


@pytest.mark.parametrize("credit", ["full", "equal"])
def test_importance_is_the_gain_of_the_cuts(credit):
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(18, 3))
    Z = response_distances(X[:, 0] - X[:, 1])
    forest = Smerf(2, max_features=4, min_parent=5, credit=credit, random_state=0).fit(X, Z)
    total, sizes = np.zeros(3), set()
    for t in range(2):
        for rows, cut in walk(forest.forest_, X, t):
            if cut is not None:
                left, features, _ = cut
                gain = gain_of(Z[np.ix_(rows, rows)], left)
                np.add.at(total, features, gain if credit == "full" else gain / len(features))
                sizes.add(len(features))
    assert len(sizes) > 1
    np.testing.assert_allclose(forest.feature_importances_, total / total.max())


@pytest.mark.parametrize("values", [2, 99])
def test_both_sides_of_a_cut_are_large(values):
    rng = np.random.default_rng(3)
    X = rng.uniform(0, values, size=(40, 3)).round() if values > 2 else rng.random((40, 8)) < 0.2
    far = response_distances(np.where(X.sum(axis=1) > np.quantile(X.sum(axis=1), 0.9), 9.0, 0.0))
    forest = Smerf(6, projection="axis", max_features=3, min_leaf=6, random_state=0).fit(X, far)
    sizes = [
        np.bincount(leaf, bag)[np.unique(leaf)]
        for leaf, bag in zip(forest.forest_.leaf_of, forest.forest_.in_bag, strict=True)
    ]
    assert max(map(len, sizes)) > 1
    assert min(map(min, sizes)) >= 6
