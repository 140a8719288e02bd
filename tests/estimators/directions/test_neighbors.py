"""Euclidean distance in directions, and the baselines' projections."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli.estimators.directions.neighbors import ProjectedNeighbors

BASELINES = ["fast_ica", "fobi", "ics", "random"]
pytestmark = pytest.mark.compiled


@parametrize_with_checks([ProjectedNeighbors("directions", random_state=0)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def clusters():
    """Two clusters among normal columns, all of them mixed."""
    rng = np.random.default_rng(0)
    source = rng.choice([-3.0, 3.0], 600)
    clean = np.c_[source + rng.normal(size=600), rng.normal(size=(600, 4))]
    return clean @ rng.normal(size=(5, 5)), source


@pytest.mark.parametrize("projection", ["directions", "fast_ica", "fobi", "ics"])
def test_the_first_component_is_the_one_that_is_not_normal(clusters, projection):
    table, source = clusters
    model = ProjectedNeighbors(projection, n_components=1, random_state=0).fit(table)
    assert model.n_directions_ == 1
    assert abs(np.corrcoef(model.points_[:, 0], source)[0, 1]) > 0.9
    _, neighbors = model.kneighbors(n_neighbors=5)
    assert (source[neighbors] == source[:, None]).mean() > 0.97
    again = model.kneighbors(table[:20], n_neighbors=1)[1]
    assert again[:, 0].tolist() == list(range(20))


@pytest.mark.parametrize("projection", BASELINES)
def test_baselines_have_as_many_components_as_asked_for(clusters, projection):
    model = ProjectedNeighbors(projection, n_components=3, random_state=0).fit(clusters[0])
    assert model.components_.shape == (3, 5)
    assert model.points_.shape == (600, 3)
    if projection == "random":
        np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("projection", ["directions", *BASELINES[:3]])
def test_without_any_direction_all_columns_count(projection):
    table = np.ones((30, 3))
    model = ProjectedNeighbors(projection, random_state=0).fit(table)
    assert model.n_directions_ == 0
    assert model.points_.shape == (30, 3)
