"""Principal components and correlation of rows against scikit-learn and SciPy."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.baselines.projected import (
    Correlation,
    Cosine,
    FirstComponents,
    NormalScores,
    PrincipalComponents,
)

NOISE, FACTORS, WEIGHTS, NEW = np.split(
    np.random.default_rng(2).normal(size=(607, 26)), [300, 600, 602]
)
X = np.hstack([FACTORS[:, :2] @ WEIGHTS[:, :6] + 0.3 * NOISE[:, :6], NOISE[:, 6:]])


def test_two_factors_among_noise_are_two_components():
    fitted = PrincipalComponents(random_state=0).fit(X)
    assert fitted.n_components_ == 2
    theirs = PCA(2).fit(X)
    expected = cdist(theirs.transform(X), theirs.transform(X))
    np.testing.assert_allclose(fitted.distances(), expected, atol=1e-9)
    search = NearestNeighbors(n_neighbors=4).fit(theirs.transform(X))
    distances, rows = fitted.kneighbors(NEW, 4)
    np.testing.assert_allclose(distances, search.kneighbors(theirs.transform(NEW))[0], atol=1e-9)
    assert rows.shape == (5, 4)


def test_components_of_standardised_columns_are_of_correlations():
    scale = np.geomspace(1e-3, 1e3, 26)
    plain, scaled = (
        PrincipalComponents(random_state=0, rescale="standardise").fit(table)
        for table in (X, X * scale)
    )
    np.testing.assert_allclose(plain.distances(), scaled.distances(), atol=1e-6)
    # at each rank noise is held against shuffled noise of that rank, which lets some more in
    assert 2 <= plain.n_components_ == scaled.n_components_ <= 6


def test_columns_are_shuffled_apart_so_that_wide_ones_are_none():
    wide = np.random.default_rng(1).normal(size=(200, 12)) * np.r_[100.0, np.ones(11)]
    assert PrincipalComponents(random_state=1).fit(wide).n_components_ == 12
    # more columns than rows
    assert 1 <= PrincipalComponents(random_state=0).fit(NOISE[:20]).n_components_ <= 20


@pytest.mark.parametrize("shuffles", [1, 20])
def test_components_are_kept_up_to_the_range_of_shuffled_tables(shuffles):
    fitted = PrincipalComponents(shuffles=shuffles, random_state=3).fit(X[:, :12])
    centred = X[:, :12] - X[:, :12].mean(axis=0)
    rng = np.random.default_rng(3)
    variances = np.linalg.eigvalsh(centred.T @ centred)[::-1]
    shuffled = [np.linalg.svd(rng.permuted(centred, axis=0))[1] ** 2 for _ in range(shuffles)]
    above = variances > np.quantile(np.sqrt(shuffled), 0.95, axis=0) ** 2
    assert fitted.n_components_ == list(above).index(False) == 2
    np.testing.assert_allclose(fitted.components_.T @ fitted.components_, np.eye(2), atol=1e-12)
    assert fitted.points_.shape == (300, 2)


def test_correlation_distances_are_scipys():
    D = Correlation().fit(X).distances()
    np.testing.assert_allclose(D**2 / 2, cdist(X, X, "correlation"), atol=1e-9)
    search = NearestNeighbors(n_neighbors=3, metric="correlation").fit(X)
    fitted = Correlation().fit(X)
    assert np.array_equal(fitted.kneighbors(NEW, 3)[1], search.kneighbors(NEW)[1])
    standardised = Correlation(rescale="standardise").fit(X).distances()
    Z = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(standardised**2 / 2, cdist(Z, Z, "correlation"), atol=1e-9)
    flat = Correlation().fit([[1.0, 1, 1], [2, 2, 2], [0, 1, 2], [0, 0, 0]]).distances()
    np.testing.assert_allclose(flat[0], [0, 0, 1, 0])
    for size in (1e-300, 1e149):
        of_size = Correlation().fit(size * X[:20]).distances()
        np.testing.assert_allclose(of_size, Correlation().fit(X[:20]).distances(), atol=1e-7)


def test_first_components_are_scikit_learns():
    fitted = FirstComponents(4, rescale="standardise", random_state=0).fit(X)
    scaler = StandardScaler().fit(X)
    theirs = PCA(4).fit(scaler.transform(X))
    placed = theirs.transform(scaler.transform(X))
    np.testing.assert_allclose(fitted.distances(), cdist(placed, placed), atol=1e-9)
    new = theirs.transform(scaler.transform(NEW))
    np.testing.assert_allclose(fitted.transform(NEW), cdist(new, placed), atol=1e-9)
    for points in (X[:40, :9], X[:9]):
        assert FirstComponents(9).fit(points).points_.shape == (len(points), 9)
        with pytest.raises(DataError, match=r"n_components = 10, but a table of .* has at most 9"):
            FirstComponents(10).fit(points)


def test_cosine_distances_are_scipys():
    D = Cosine().fit(X).distances()
    np.testing.assert_allclose(D**2 / 2, cdist(X, X, "cosine"), atol=1e-9)
    new = Cosine().fit(X).transform(NEW)
    np.testing.assert_allclose(new**2 / 2, cdist(NEW, X, "cosine"), atol=1e-9)
    D = Cosine().fit([[0.0, 0.0], [1e150, 1e150], [1.0, 1.0], [-3.0, 3.0]]).distances()
    np.testing.assert_allclose(D[0], [0, 1, 1, 1], atol=1e-12)
    np.testing.assert_allclose(D[1], [1, 0, 0, np.sqrt(2)], atol=1e-12)


def test_normal_scores_by_their_definition():
    steps = np.round(X[:, :3])
    scores = ndtri((rankdata(steps, axis=0) - 0.5) / len(steps))
    fitted = NormalScores().fit(steps)
    np.testing.assert_allclose(fitted.distances(), cdist(scores, scores), atol=1e-12)
    np.testing.assert_allclose(fitted.transform(steps), cdist(scores, scores), atol=1e-12)
    beyond = fitted.transform([[-99.0, 0, 99]])
    assert np.isfinite(beyond).all()
    # of columns that rise with others they are the same
    plain, bent = (NormalScores().fit(points).distances() for points in (X, np.exp(3 * X)))
    np.testing.assert_array_equal(plain, bent)
