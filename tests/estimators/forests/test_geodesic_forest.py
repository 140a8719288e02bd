"""The estimators: proximities, neighbours, bad input, and agreement with scikit-learn."""

import pickle

import numpy as np
import psutil
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.baselines.random_forest import SyntheticForest
from geoforest_cli.estimators.forests import proximity as proximities
from geoforest_cli.estimators.forests.forest import Tree, assemble
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.presets import AS_WRITTEN
from geoforest_cli.estimators.forests.unsupervised import merge
from tests import naive

T = np.sort(np.random.default_rng(5).uniform(0, 1, 80))
CURVE = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T), np.random.default_rng(6).normal(0, 2, (80, 2))]


def fitted(**changes):
    parameters = {"n_estimators": 9, "min_parent": 15, "random_state": 3}
    return GeodesicForest(**(parameters | changes)).fit(CURVE)


@pytest.mark.parametrize("pairs", ["all", "in_bag", "oob"])
def test_proximity_equals_the_loop_over_pairs_and_trees(pairs):
    model = fitted(pairs=pairs)
    bag = model.forest_.in_bag > 0
    mask = {"all": None, "in_bag": bag, "oob": ~bag}[pairs]
    together, trees = naive.leaf_counts(model.forest_.leaf_of, mask)
    with np.errstate(invalid="ignore"):
        expected = together / trees
    np.fill_diagonal(expected, 1)
    np.testing.assert_array_equal(model.proximity(), expected)
    assert np.isnan(expected).any() == (pairs != "all")
    sparse = model.proximity(sparse=True)
    np.testing.assert_array_equal(sparse.toarray(), np.nan_to_num(expected))
    assert sparse.nnz == np.count_nonzero(np.nan_to_num(expected))


def test_proximity_is_symmetric_positive_and_has_diagonal_one():
    S = fitted().proximity()
    assert np.array_equal(S, S.T)
    assert np.all(np.diag(S) == 1)
    assert np.linalg.eigvalsh(S).min() > -1e-10
    assert 0 < np.mean(S == 0) < 1
    np.testing.assert_array_equal(fitted().distances(), 1 - S)


@pytest.mark.parametrize("pairs", ["all", "in_bag", "oob"])
def test_counts_of_forests_add_up_to_those_of_the_merged_forest(pairs):
    parts = [fitted(random_state=seed, pairs=pairs) for seed in (1, 2, 3)]
    joined = merge(parts)
    counts = [
        proximities.count_leaves(f.forest_.leaf_of, f.forest_.in_bag > 0, pairs) for f in parts
    ]
    total = counts[0] + counts[1] + counts[2]
    np.testing.assert_array_equal(total.proximity(), joined.proximity())
    means = np.mean([f.proximity() for f in parts], axis=0)
    if pairs == "all":
        np.testing.assert_allclose(means, joined.proximity(), atol=1e-12)
    else:
        assert np.nanmax(np.abs(means - joined.proximity())) > 1e-3
    assert joined.n_estimators == 27


def test_merge_refuses_what_would_not_add_up():
    with pytest.raises(ValueError, match="no forest"):
        merge([])
    with pytest.raises(ValueError, match="different numbers of points"):
        merge([fitted(), GeodesicForest(2, random_state=0).fit(CURVE[:50])])
    first, again, second = (GeodesicForest(3, random_state=seed).fit(CURVE) for seed in (1, 1, 2))
    for parts in ([first, again], [merge([first, second]), again]):
        with pytest.raises(ValueError, match="random_state 1 is used twice"):
            merge(parts)
    with pytest.raises(ValueError, match="different points"):
        merge([first, GeodesicForest(3, random_state=3).fit(CURVE[::-1])])


@pytest.mark.filterwarnings("ignore:.*never share a leaf")
@pytest.mark.parametrize("k", [1, 10, 79])
def test_kneighbors_agrees_with_the_dense_matrix(k):
    model = fitted()
    D = model.distances()
    np.fill_diagonal(D, np.inf)
    distances, indices = model.kneighbors(None, k)
    assert distances.shape == indices.shape == (80, k)
    np.testing.assert_allclose(distances, np.take_along_axis(D, indices, axis=1), atol=1e-12)
    np.testing.assert_allclose(distances, np.sort(D, axis=1)[:, :k], atol=1e-12)
    for i, row in enumerate(indices):
        assert len(set(row)) == k
        assert i not in row


def test_ties_among_neighbours_are_broken_reproducibly():
    model, other = (GeodesicForest(5, min_parent=200, random_state=seed) for seed in (1, 2))
    for forest in (model, other):
        with pytest.warns(UserWarning, match="few for min_parent = 200"):
            forest.fit(CURVE)
    _, indices = model.kneighbors(None, 20)
    assert np.array_equal(indices, model.kneighbors(None, 20)[1])
    assert abs(indices.mean() - 39.5) < 3
    unlike = other.kneighbors(None, 20)[1]
    assert not np.array_equal(indices, unlike)


def test_new_points_find_their_copies():
    model = fitted()
    distances, indices = model.kneighbors(CURVE[:10] + 0.0, 3)
    assert np.all(distances[:, 0] == 0)
    matrix = model.distances()[np.arange(10)[:, None], indices]
    np.testing.assert_allclose(matrix, distances, atol=1e-12)
    assert np.array_equal(model.apply(CURVE), model.forest_.leaf_of.T)


def test_what_kneighbors_refuses():
    for k in (0, 80):
        with pytest.raises(DataError, match="1 to 79"):
            fitted().kneighbors(None, k)
    with pytest.raises(ValueError, match="pairs"):
        fitted(pairs="oob").kneighbors(None, 3)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.array([[1.0, np.nan], [2.0, 3.0], [1.0, 1.0]]), "NaN"),
        (np.array([[1.0, np.inf], [2.0, 3.0], [1.0, 1.0]]), "infinity"),
        (np.array([["a", "b"], ["c", "d"]]), "convert|numeric"),
        (np.empty((0, 3)), "minimum|0 sample"),
        (np.ones((1, 3)), "minimum"),
    ],
)
@pytest.mark.parametrize("estimator", [GeodesicForest(2), SyntheticForest(2)])
def test_bad_tables_are_refused(estimator, bad, words):
    with pytest.raises(ValueError, match=words):
        estimator.fit(bad)


def test_constant_columns_and_duplicates_do_no_harm():
    flat = np.ones((30, 2))
    with pytest.warns(UserWarning, match="nothing to cut"):
        assert np.all(GeodesicForest(4, min_parent=5).fit(flat).proximity() == 1)
    X = np.repeat(CURVE, 2, axis=0)
    S = GeodesicForest(10, min_parent=20, random_state=0).fit(X).proximity()
    assert np.all(S[np.arange(0, 160, 2), np.arange(1, 160, 2)] == 1)


def test_binary_columns_are_named_and_can_be_left_out():
    X = np.c_[CURVE, np.arange(80) % 2]
    with pytest.warns(UserWarning, match="1 of 6 columns"):
        GeodesicForest(2, criterion="fast_bic", random_state=0).fit(X)
    without = GeodesicForest(9, min_parent=15, random_state=3, binary_columns="exclude").fit(X)
    assert np.array_equal(without.proximity(), fitted().proximity())
    assert np.array_equal(without.apply(X), without.forest_.leaf_of.T)
    with pytest.raises(DataError, match="two values"):
        GeodesicForest(2, binary_columns="exclude").fit(X[:, [5]])
    GeodesicForest(2, binary_columns="keep").fit(X)


def test_any_kind_of_random_state_will_do():
    a = GeodesicForest(3, random_state=np.random.RandomState(1)).fit(CURVE).proximity()
    b = GeodesicForest(3, random_state=np.random.RandomState(1)).fit(CURVE).proximity()
    assert np.array_equal(a, b)
    GeodesicForest(3, random_state=2**62).fit(CURVE)
    SyntheticForest(3).fit(CURVE)


def test_pickle_keeps_the_forest_but_not_what_is_made_again():
    model = fitted()
    kept = pickle.dumps(model)
    rows = model.kneighbors(None, 3)[1]
    assert len(pickle.dumps(model)) == len(kept)
    again = pickle.loads(kept)
    assert np.array_equal(model.proximity(), again.proximity())
    assert np.array_equal(rows, again.kneighbors(None, 3)[1])


def test_leaves_and_bags_take_few_bytes():
    forest = fitted().forest_
    assert (forest.leaf_of.dtype, forest.in_bag.dtype) == (np.uint16, np.uint8)
    few = (np.zeros((2, 2), np.int32), *[np.zeros(2)] * 2, *[np.zeros(2)] * 2)
    leaf, bag, gains = np.array([1], np.int32), np.array([256], np.int32), np.zeros(0)
    wide = Tree(np.zeros((65_536, 2), np.int32), *few[1:], leaf, bag, gains)
    joined = assemble([Tree(*few, leaf, bag, gains), wide])
    assert (joined.leaf_of.dtype, joined.in_bag.dtype) == (np.int32, np.int32)


@pytest.mark.parametrize("rescale", ["none", "standard"])
def test_layout_precision_and_threads_do_not_matter(rescale):
    X = CURVE.astype(np.float32)
    rules = {"min_parent": 15, "random_state": 1, "rescale": rescale}
    first = GeodesicForest(10, **rules, n_jobs=1).fit(X.astype(float))
    for same in (X, np.asfortranarray(X), X[::-1][::-1], np.asfortranarray(X.astype(float))):
        second = GeodesicForest(10, **rules, n_jobs=2).fit(same)
        assert np.array_equal(first.forest_.leaf_of, second.forest_.leaf_of)
        assert np.array_equal(second.apply(same), first.forest_.leaf_of.T)


@pytest.mark.compiled
def test_one_kernel_for_all_layouts_and_precisions():
    from geoforest_cli.estimators.forests.kernels.grow import grow_trees
    from geoforest_cli.estimators.forests.kernels.leaves import drop

    GeodesicForest(2, random_state=0).fit(CURVE).apply(CURVE)
    compiled = [len(kernel.signatures) for kernel in (grow_trees, drop)]
    fixed = np.asfortranarray(CURVE)
    fixed.flags.writeable = False
    for same in (fixed, CURVE.astype(np.float32), CURVE[::2], CURVE[:, ::-1]):
        GeodesicForest(2, random_state=0, rescale="none").fit(same).apply(same)
    assert [len(kernel.signatures) for kernel in (grow_trees, drop)] == compiled


def test_how_much_memory_a_matrix_needs(monkeypatch):
    model = fitted(n_estimators=3)
    # both counts and the proximities of 80 x 80 pairs
    shared = [(np.bincount(leaf) ** 2).sum() for leaf in model.forest_.leaf_of]
    for sparse, needed in ((False, 12 * 80 * 80), (True, 24 * min(sum(shared), 80 * 80))):
        for free, fits in ((needed, True), (needed - 1, False)):
            memory = type("Memory", (), {"available": int(free)})
            monkeypatch.setattr(psutil, "virtual_memory", memory)
            if fits:
                assert model.proximity(sparse=sparse).shape == (80, 80)
            else:
                with pytest.raises(DataError, match=r"proximity matrix.*: use kneighbors"):
                    model.proximity(sparse=sparse)


def test_neighbours_do_not_depend_on_which_others_are_asked_for(monkeypatch):
    model = fitted(n_estimators=3)
    new = CURVE[::-1] + 0.01
    of_training, of_new = model.kneighbors(None, 6), model.kneighbors(new, 6)
    np.testing.assert_array_equal(model.kneighbors(new[::-1], 6)[1], of_new[1][::-1])
    np.testing.assert_array_equal(model.kneighbors(new[50:53], 6)[1], of_new[1][50:53])
    # in blocks of seven, by one thread or two
    monkeypatch.setattr(proximities, "_BLOCK", 7)
    for jobs in (1, 2):
        model.set_params(n_jobs=jobs)
        np.testing.assert_array_equal(model.kneighbors(None, 6)[1], of_training[1])
        np.testing.assert_array_equal(model.kneighbors(new, 6)[1], of_new[1])


@pytest.mark.compiled
@pytest.mark.nightly
def test_synthetic_forest_proximity_equals_scikit_learns():
    """Same construction on scikit-learn's forest; trees differ, means agree."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 120)
    X = np.c_[np.cos(angle), np.sin(angle), rng.normal(size=(120, 2))]
    ours = SyntheticForest(600, random_state=1).fit(X)
    theirs = SyntheticForest(600, random_state=4, engine="scikit-learn").fit(X)
    upper = np.triu_indices(120, 1)
    a, b = ours.proximity()[upper], theirs.proximity()[upper]
    assert np.corrcoef(a, b)[0, 1] > 0.85
    assert a.mean() == pytest.approx(b.mean(), rel=0.1)
    for model in (ours, theirs):
        assert model._in_bag.mean() == pytest.approx(1 - np.exp(-1), abs=0.02)
        assert np.array_equal(model.distances(), 1 - model.proximity())


@pytest.mark.parametrize("engine", ["geoforest", "scikit-learn"])
def test_the_synthetic_forest_takes_the_rules_of_a_geodesic_one(engine):
    X = np.random.default_rng(0).uniform(size=(300, 1)) * [4, 6, 9]
    rules = {"min_parent": "sqrt", "min_leaf": 4, "pairs": "all", "random_state": 0}
    leaf = SyntheticForest(3, engine=engine, **rules).fit(X)._leaf_of
    assert max(len(set(row)) for row in leaf) < 150


@pytest.mark.parametrize(
    "rules", [{"criterion": "two_means"}, {"criterion": "fast_bic"}, AS_WRITTEN]
)
def test_leaves_do_not_depend_on_the_origin(rules):
    """A side of one value has no variance; far from the origin rounding was taken for one."""
    t = np.random.default_rng(0).uniform(size=400)
    points = np.c_[t, t**2, np.sin(3 * t), np.random.default_rng(1).normal(size=(400, 3))]
    points = np.round(points * 2**20) / 2**20  # so that moved ones have the same digits
    close, far = (
        GeodesicForest(**{**rules, "n_estimators": 15, "random_state": 0}).fit(table).forest_
        for table in (points, points + 1024)
    )
    np.testing.assert_array_equal(close.leaf_of, far.leaf_of)
