"""Supervised forests against scikit-learn, closed forms and themselves."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_sample_weight

from geoforest_cli.estimators.forests.classifiers import (
    MorfClassifier,
    RandomForestClassifier,
    SporfClassifier,
)
from geoforest_cli.estimators.forests.growth import Growth, grow_forest
from geoforest_cli.estimators.forests.kernels.gini import MOST_CELLS, values_that_fit
from geoforest_cli.estimators.forests.patches import Patches
from tests.estimators.forests.sampling import Drawing, cuts_of, walk


def gain(y):
    shares = np.bincount(y) / len(y)
    return len(y) * (1 - (shares**2).sum())


@pytest.mark.parametrize("seed", range(20))
def test_every_cut_has_the_best_gain(seed):
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(10, 60)), int(rng.integers(1, 5)), int(rng.integers(2, 4))
    X = rng.normal(size=(n, p)).astype(np.float32).astype(float)
    if seed % 2:
        X = X.round()
    y = rng.integers(k, size=n)
    y[:k] = np.arange(k)
    ours = RandomForestClassifier(1, max_features="all", bootstrap=False, random_state=seed).fit(
        X, y
    )
    for rows, cut in walk(ours.forest_, X):
        part = y[rows]
        gains = [gain(part) - gain(part[left]) - gain(part[~left]) for left in cuts_of(X[rows])]
        if cut is None:
            assert len(set(part)) == 1 or max(gains, default=0) < 1e-9
        else:
            reached = gain(part) - gain(part[cut[0]]) - gain(part[~cut[0]])
            assert reached == pytest.approx(max(gains), abs=1e-9)
    peer = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert np.mean(ours.predict(X) != y) == pytest.approx(np.mean(peer.predict(X) != y))


@pytest.mark.parametrize(
    ("sampler", "span"), [("axis", 50), ("axis", 100_000), ("oblique", 50), ("poisson", 50)]
)
def test_counting_whole_values_gives_the_same_trees_as_sorting(sampler, span):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, size=(300, 6)).astype(float)
    X[:, 3] = rng.integers(0, span, 300)
    y = (X[:, 0] + X[:, 1] > 50).astype(np.int32) + (X[:, 2] > 40)
    growth = Growth("gini", sampler, n_projections=4, n_nonzeros=6, min_parent=2, poisson_mean=1.5)
    whole = grow_forest(X, growth, 5, 7, target=y.astype(np.int32))
    # halves are not whole: the same cuts, found by sorting
    halves = grow_forest(X + 0.5, growth, 5, 7, target=y.astype(np.int32))
    assert np.array_equal(whole.features, halves.features)
    assert np.array_equal(whole.children, halves.children)
    assert np.array_equal(whole.leaf_of, halves.leaf_of)


CLASSIFIERS = [
    RandomForestClassifier(20, random_state=0),
    SporfClassifier(20, random_state=0),
    SporfClassifier(20, nonzeros="poisson", random_state=0),
    MorfClassifier(20, image_shape=(8, 8), patch_height=(1, 3), patch_width=(1, 3), random_state=0),
]


@pytest.mark.compiled
@pytest.mark.parametrize("forest", CLASSIFIERS, ids=lambda f: type(f).__name__)
def test_digits(forest):
    X, y = load_digits(return_X_y=True)
    names = np.array(list("abcdefghij"))[y]
    forest.fit(X[:600], names[:600])
    assert forest.score(X[600:1200], names[600:1200]) > 0.83
    proba = forest.predict_proba(X[:5])
    assert np.allclose(proba.sum(axis=1), 1)
    assert forest.feature_importances_.sum() == pytest.approx(1)
    assert (forest.feature_importances_ >= 0).all()
    again = pickle.loads(pickle.dumps(forest))
    assert np.array_equal(again.predict(X), forest.predict(X))
    assert np.array_equal(forest.apply(X[:600]), forest.forest_.leaf_of.T)
    two = type(forest)(**{**forest.get_params(), "n_jobs": 2}).fit(X[:600], names[:600])
    assert np.array_equal(two.predict_proba(X), forest.predict_proba(X))


@pytest.mark.parametrize(
    ("given", "weight", "words"),
    [
        ({"bootstrap": False}, 1.0, "sample weights need bootstrap=True"),
        ({"bootstrap": False, "class_weight": "balanced"}, None, "need bootstrap=True"),
        ({"bootstrap": False, "oob_score": True}, None, "oob_score=True needs bootstrap=True"),
        ({}, -1.0, "must not be negative"),
        ({"class_weight": "balance"}, None, "class_weight"),
    ],
)
def test_weights_and_bags_that_cannot_be(given, weight, words):
    X, y = np.zeros((6, 1)), np.arange(6) % 2
    weights = None if weight is None else np.full(6, weight)
    with pytest.raises(ValueError, match=words):
        RandomForestClassifier(2, **given).fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="this y has one class"):
        RandomForestClassifier(2).fit(X, np.zeros(6))


def test_candidates_of_a_node():
    rules = (("sqrt", 3), ("all", 9), (0.5, 4), (2, 2))
    assert [RandomForestClassifier(max_features=m)._candidates(9) for m, _ in rules] == [
        d for _, d in rules
    ]
    assert RandomForestClassifier(max_features=50)._growth(9).n_projections == 9
    # one and a half columns for each, rounded down
    assert [SporfClassifier()._growth(p).n_nonzeros for p in (1, 9, 25, 50)] == [1, 4, 7, 12]
    assert SporfClassifier(density=2.0)._growth(25).n_nonzeros == 10
    poisson = SporfClassifier(nonzeros="poisson", density=2.5)._growth(25)
    assert (poisson.sampler, poisson.poisson_mean) == ("poisson", 2.5)
    # the default patch is no wider than a short series
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    assert MorfClassifier(2, random_state=0).fit(X, y)._images.patches.widths == (1, 3)
    assert values_that_fit(20_000, 1000) * 1000 <= MOST_CELLS


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_out_of_bag_by_the_definition():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(25, 3)), np.array(list("bca"))[rng.integers(0, 3, 25)]
    for voting in ("mean", "majority"):
        forest = RandomForestClassifier(
            2, min_parent=8, voting=voting, oob_score=True, random_state=0
        ).fit(X, y)
        grown, right = forest.forest_, []
        probabilities = np.full((25, 3), np.nan)
        for i in range(25):
            votes = []
            for bag, leaf in zip(grown.in_bag, grown.leaf_of, strict=True):
                if not bag[i]:
                    # each row of the leaf as often as it was drawn
                    mates = np.repeat(y, bag * (leaf == leaf[i]))
                    shares = (mates[:, None] == forest.classes_).mean(axis=0)
                    votes.append(np.eye(3)[shares.argmax()] if voting == "majority" else shares)
            if votes:
                probabilities[i] = np.mean(votes, axis=0)
                right.append(forest.classes_[probabilities[i].argmax()] == y[i])
        np.testing.assert_allclose(forest.oob_decision_function_, probabilities, rtol=1e-6)
        # rows in both bags are nobody's to judge
        assert 5 < len(right) < 25
        assert forest.oob_score_ == pytest.approx(np.mean(right))


def test_of_equals_the_first_class_is_named():
    X, y = np.zeros((4, 1)), ["b", "c", "c", "b"]
    for voting, shares in (("mean", [0.5, 0.5]), ("majority", [1.0, 0.0])):
        forest = RandomForestClassifier(2, bootstrap=False, voting=voting).fit(X, y)
        assert forest.predict_proba(X[:1]).tolist() == [shares]
        assert forest.predict(X).tolist() == ["b"] * 4


def drawn(patches, times=400_000):
    """Rectangles as the sampler draws them, from the corners."""
    drawing = Drawing("patch", 4, times, seed=1, patch=patches.shape())
    drawing.draw()
    first, features, weights, *_ = drawing.candidates
    return first, features[: first[times]], weights[: first[times]]


@pytest.mark.compiled
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("width", "sizes", "order", "wrap", "edges"),
    [
        (100, (1, 15), "corner_first", False, (0.0100, 0.0800, 0.0332)),
        (100, (1, 15), "size_first", False, (0.0108, 0.0884, 0.0108)),
        (100, (1, 15), "size_first", True, (0.0800, 0.0800, 0.0800)),
        (28, (1, 4), "corner_first", False, (0.0357, 0.0893, 0.0744)),
        (28, (1, 4), "size_first", False, (0.0378, 0.0963, 0.0378)),
    ],
)
def test_coverage_of_a_pixel(width, sizes, order, wrap, edges):
    patches = Patches(1, width, (1, 1), sizes, wrap, order)
    times = 400_000
    _, features, weights = drawn(patches, times)
    size = patches.table(np.zeros((1, width))).shape[1]
    corners = np.bincount(features, weights=weights, minlength=size)
    covered = patches.spread(corners) / times
    middle = covered[width // 2 - 4 : width // 2 + 4].mean()
    assert covered[0] == pytest.approx(edges[0], abs=0.0016)
    assert middle == pytest.approx(edges[1], abs=0.0016)
    assert covered[-1] == pytest.approx(edges[2], abs=0.0016)
    exact = patches.coverage()
    assert np.allclose(exact[[0, width // 2, -1]], edges, atol=6e-5)
    assert np.allclose(covered, exact, atol=0.0025)


@pytest.mark.parametrize("order", ["size_first", "corner_first"])
@pytest.mark.parametrize("wrap", [False, True])
def test_coverage_by_all_patches(order, wrap):
    side, (least, most) = 9, (2, 5)
    starts = range(side if wrap else side - least + 1)
    patches = [(u, w) for u in starts for w in range(least, most + 1) if wrap or u + w <= side]
    shares = np.zeros(side)
    for u, w in patches:
        # a size, then one of the corners it fits at, or a corner, then one of the sizes
        which = 1 if order == "size_first" else 0
        same = [patch for patch in patches if patch[which] == (u, w)[which]]
        kinds = {patch[which] for patch in patches}
        shares[(u + np.arange(w)) % side] += 1 / len(kinds) / len(same)
    assert Patches(1, side, (1, 1), (least, most), wrap, order).coverage() == pytest.approx(shares)


@pytest.mark.parametrize("wrap", [False, True])
def test_a_patch_is_the_sum_of_its_pixels(wrap):
    rng = np.random.default_rng(0)
    patches = Patches(5, 7, (1, 3), (2, 4), wrap)
    images = rng.integers(0, 9, size=(4, 35)).astype(float)
    table = patches.table(images)
    first, features, weights = drawn(patches, 200)
    for c in range(200):
        part = slice(first[c], first[c + 1])
        corners = np.zeros(table.shape[1])
        np.add.at(corners, features[part], weights[part])
        indicator = patches.spread(corners)
        assert set(np.unique(indicator)) <= {0.0, 1.0}
        assert indicator.sum() in {h * w for h in (1, 2, 3) for w in (2, 3, 4)}
        assert np.allclose(table @ corners, images @ indicator)


def test_bag_counts_above_255_weigh_what_they_are():
    X = np.zeros((400, 1))
    y = np.repeat([0, 1], [1, 399])
    heavy = np.r_[3 * 399.0, np.ones(399)]
    forest = RandomForestClassifier(20, random_state=0).fit(X, y, sample_weight=heavy)
    assert forest.forest_.in_bag[:, 0].min() > 255
    shares = forest.forest_.in_bag[:, 0].astype(float).mean() / 400
    assert forest.predict_proba(X[:1])[0, 0] == pytest.approx(shares, abs=1e-6)
    assert shares == pytest.approx(0.75, abs=0.03)


def test_class_weights_are_weights_of_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + rng.normal(size=300) > 1.5, "rare", "usual")
    rules = {"n_estimators": 20, "random_state": 0, "min_leaf": 5}
    for weight, by_row in (
        ({"rare": 4.0}, np.where(y == "rare", 4.0, 1.0)),
        ("balanced", compute_sample_weight("balanced", y)),
    ):
        weighted = RandomForestClassifier(class_weight=weight, **rules).fit(X, y)
        same = RandomForestClassifier(**rules).fit(X, y, by_row)
        assert np.array_equal(weighted.predict_proba(X), same.predict_proba(X))
        both = RandomForestClassifier(class_weight=weight, **rules).fit(X, y, np.full(300, 2.0))
        assert np.array_equal(both.predict_proba(X), same.predict_proba(X))
        theirs = TheirForest(100, class_weight=weight, min_samples_leaf=5, random_state=0)
        shares = [(forest.fit(X, y).predict(X) == "rare").mean() for forest in (weighted, theirs)]
        assert abs(np.subtract(*shares)) < 0.08


def test_verbose_forests_say_how_many_trees_are_grown(capsys):
    X, y = make_classification(60, random_state=0)
    for n_jobs in (1, 2):
        RandomForestClassifier(20, verbose=True, n_jobs=n_jobs, random_state=0).fit(X, y)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 10
        assert lines[-1].startswith("[RandomForestClassifier] 20 of 20 trees: ")
    RandomForestClassifier(20, random_state=0).fit(X, y)
    assert not capsys.readouterr().out
