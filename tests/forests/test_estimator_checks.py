"""scikit-learn's own checks of our estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli.baselines.random_forest import SyntheticForest
from geoforest_cli.forests.classifiers import (
    MorfClassifier,
    RandomForestClassifier,
    SporfClassifier,
)
from geoforest_cli.forests.geodesic_forest import AS_RUN, AS_WRITTEN, GeodesicForest
from geoforest_cli.forests.geodesic_neighbors import GeodesicNeighbors
from geoforest_cli.forests.learned_neighbors import LearnedNeighbors
from geoforest_cli.forests.regressor import RandomForestRegressor
from geoforest_cli.spherelets import GraphGeodesic, SphericalDistance

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:.*columns have only two values"),
    pytest.mark.filterwarnings("ignore:most trees have at most"),
    pytest.mark.filterwarnings("ignore:.*never share a leaf"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]


def failing(estimator):
    """Weights draw the bags, so that they are not the same as repeated rows."""
    if isinstance(estimator, RandomForestClassifier | RandomForestRegressor):
        return {"check_sample_weight_equivalence_on_dense_data": "weights draw the bags"}
    return {}


@parametrize_with_checks(
    [
        GeodesicForest(n_estimators=5),
        GeodesicForest(n_estimators=5, **AS_WRITTEN),
        GeodesicForest(n_estimators=5, **AS_RUN),
        GeodesicNeighbors(3, n_estimators=5),
        GeodesicNeighbors(3, mode="connectivity", n_estimators=5),
        LearnedNeighbors(n_estimators=5),
        LearnedNeighbors(n_estimators=5, vote="leaves"),
        SyntheticForest(n_estimators=5),
        RandomForestClassifier(n_estimators=5),
        SporfClassifier(n_estimators=5),
        MorfClassifier(n_estimators=5),
        RandomForestRegressor(n_estimators=5),
        SphericalDistance(3),
        GraphGeodesic(3),
        GraphGeodesic(3, local="euclidean"),
    ],
    expected_failed_checks=failing,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
