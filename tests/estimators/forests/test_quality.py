"""Quality of the forests in numbers: neighbours among noise, steps and ordinary tables."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from geoforest_cli.estimators.forests import growth as growing
from geoforest_cli.estimators.forests.classifiers import MorfClassifier, RandomForestClassifier
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.structured_forest import StructuredGeodesicForest
from geoforest_cli.problems.simulations.structured import circle, impulse

pytestmark = [pytest.mark.compiled, pytest.mark.nightly]
UNCAPPED = {"criterion": "fast_bic", "min_parent": 100}


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def curve(name, n):
    """Points of a curve, and the lengths between them along it."""
    t = (np.arange(n) + 0.5) / n
    if name == "linear":
        return np.c_[4 * t, 6 * t, 9 * t], np.abs(t[:, None] - t)
    if name == "helix":
        t = np.pi * (2 + 7 * t)
        s = t * np.sqrt(t**2 + 2) / 2 + np.arcsinh(t / np.sqrt(2))
        return np.c_[t * np.cos(t), t * np.sin(t), t], np.abs(s[:, None] - s)

    def knot(t):
        return np.c_[
            np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)
        ]  # fmt: skip

    grid = np.linspace(0, 2 * np.pi, 5001)
    steps = np.linalg.norm(np.diff(knot(grid), axis=0), axis=1)
    arc = np.interp(2 * np.pi * t, grid, np.r_[0, np.cumsum(steps)])
    gap = np.abs(arc[:, None] - arc)
    return standardised(knot(2 * np.pi * t)), np.minimum(gap, steps.sum() - gap)


def precision(X, D, k, n_estimators, **rules):
    forest = GeodesicForest(n_estimators, random_state=1, n_jobs=2, **rules).fit(X)
    lists = forest.kneighbors(None, k, return_distance=False)
    neighbors = np.argpartition(D + np.diag(np.full(len(D), np.inf)), k, axis=1)[:, :k]
    return np.mean([len(np.intersect1d(a, b)) / k for a, b in zip(neighbors, lists, strict=True)])


def share(model, X, y, k=10):
    """Share of the neighbours that are of the class of their point."""
    neighbors = model.fit(X).kneighbors(n_neighbors=k, return_distance=False)
    return float((y[neighbors] == y[:, None]).mean())


@pytest.mark.parametrize("name", ["linear", "helix"])
def test_precision_among_a_hundred_noise_columns(name):
    X, D = curve(name, 1000)
    X = np.c_[X, np.random.default_rng(0).normal(0, np.sqrt(70), (1000, 100))]
    ours = precision(X, D, 50, 120, screen=None)
    assert ours > 0.91
    assert ours > precision(X, D, 50, 120, **UNCAPPED)


NOISE = {
    "Laplace": lambda rng, size: rng.laplace(size=size),
    "Poisson": lambda rng, size: rng.poisson(6.0, size),
    "t2": lambda rng, size: rng.standard_t(2, size),
    "uniform": lambda rng, size: rng.uniform(size=size),
    "lognormal": lambda rng, size: rng.lognormal(size=size),
    "two normals": lambda rng, size: rng.normal(size=size) + 6 * (rng.random(size) < 0.5),
    "uneven": lambda rng, size: rng.choice([0.0, 1, 3, 9], size),
}


@pytest.mark.parametrize("kind", NOISE)
def test_no_kind_of_noise_drowns_a_knot_behind_the_screen(kind):
    X, D = curve("knot", 400)
    noisy = np.c_[X, NOISE[kind](np.random.default_rng(1), (400, 30))]
    clean = precision(X, D, 20, 60)
    assert clean > 0.8
    assert precision(noisy, D, 20, 60) >= 0.85 * clean
    if kind == "lognormal":
        assert precision(noisy, D, 20, 60, screen=None) < 0.3


STEPS = {
    "two": (lambda rng: rng.integers(0, 2, (1000, 3)), 0.92),
    "five": (lambda rng: rng.integers(0, 5, (1000, 3)), 0.85),
    "counts": (lambda rng: rng.poisson(0.7, (1000, 3)), 0.92),
    "many": (lambda rng: rng.integers(0, 2, (1000, 100)), 0.90),
    "category": (lambda rng: np.eye(10)[rng.integers(0, 10, 1000)], 0.92),
    "copies": (lambda rng: np.repeat(rng.integers(0, 2, (1000, 1)), 3, axis=1) * 0.1, 0.92),
}


@pytest.mark.parametrize("kind", STEPS)
def test_columns_recorded_in_steps_do_not_drown_a_curve(kind):
    X, D = curve("helix", 1000)
    draw, least = STEPS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # and nobody is warned of them
        quality = precision(np.c_[X, draw(np.random.default_rng(5))], D, 50, 150, screen=None)
    assert quality > least


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_iris, load_digits])
def test_ordinary_tables_are_no_worse_than_standardised_euclid(load):
    X, y = load(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # digits has pixels of two values
        ours = share(GeodesicForest(random_state=0, n_jobs=2), X, y)
    assert ours > share(NearestNeighbors(), StandardScaler().fit_transform(X), y) - 0.01


def test_a_weak_signal_over_many_steps_is_found():
    X, y = impulse(400, np.random.default_rng(4))
    ours = share(StructuredGeodesicForest(200, random_state=1, n_jobs=2), X, y)
    assert ours > 0.68
    assert ours > share(NearestNeighbors(), X, y) + 0.07
    assert ours > share(GeodesicForest(100, random_state=1, n_jobs=2), X, y) + 0.1
    # it is the order of the steps that tells
    order = np.random.default_rng(5).permutation(100)
    assert share(StructuredGeodesicForest(100, random_state=1), X[:, order], y) < ours - 0.07


def test_series_of_yes_and_no_are_not_drowned_by_their_steps():
    """Without the variance within a step every sum of a few zeros and ones is two clusters."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    often = np.full((400, 100), 0.3)
    often[y == 1, 30:60] = 0.55
    X = (rng.random((400, 100)) < often).astype(float)
    ours = share(StructuredGeodesicForest(60, random_state=1, n_jobs=2), X, y)
    # off their steps by a hundredth no two values are one
    shaken = X + rng.uniform(-0.01, 0.01, X.shape)
    unaware = share(StructuredGeodesicForest(60, random_state=1, n_jobs=2), shaken, y)
    assert ours > 0.82
    assert ours > max(unaware, share(NearestNeighbors(), X, y)) + 0.05


def test_permuting_columns_changes_morf():
    X, y = circle(300, np.random.default_rng(0))
    test, truth = circle(300, np.random.default_rng(1))
    order = np.random.default_rng(2).permutation(100)
    morf = MorfClassifier(40, max_features=40, patch_width=(1, 15), wrap=True, random_state=0)
    assert morf.fit(X, y).score(test, truth) > 0.8
    assert morf.fit(X[:, order], y).score(test[:, order], truth) < 0.7


def test_sorted_rows_are_as_good_as_rows_in_the_tables_order(monkeypatch):
    rng = np.random.default_rng(0)
    classes = rng.integers(10, size=20_000)
    centres, mixing = 3 * rng.normal(size=(10, 4)), rng.normal(size=(4, 20))
    X = (centres[classes] + rng.normal(size=(20_000, 4))) @ mixing + rng.normal(size=(20_000, 20))
    shares = []
    for most in (19_999, 20_000):
        monkeypatch.setattr(growing, "_MANY_ROWS", most)
        forest = GeodesicForest(20, screen=None, random_state=1, n_jobs=2).fit(X)
        neighbors = forest.kneighbors(X[:2000], 16, return_distance=False)[:, 1:]
        shares.append((classes[neighbors] == classes[:2000, None]).mean())
    assert min(shares) > 0.9
    assert abs(shares[0] - shares[1]) < 0.01


@pytest.mark.parametrize("how", ["at random", "large values"])
def test_as_accurate_as_scikit_learn_with_missing_values(how):
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(1)
    chance = 0.2 if how == "at random" else 0.4 * X.argsort(0).argsort(0) / len(X)
    holes = np.where(rng.random(X.shape) < chance, np.nan, X)
    ours, theirs = (
        forest(60, random_state=0).fit(holes[::2], y[::2]).score(holes[1::2], y[1::2])
        for forest in (RandomForestClassifier, TheirForest)
    )
    assert ours > theirs - 0.02
