"""scikit-learn's own checks of our estimators."""

import numpy as np
import pytest

from geoforest_cli.estimators.forests.classifiers import (
    MorfClassifier,
    RandomForestClassifier,
    SporfClassifier,
)
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.geodesic_neighbors import GeodesicNeighbors
from geoforest_cli.estimators.forests.learned_neighbors import LearnedNeighbors
from geoforest_cli.estimators.forests.regressor import RandomForestRegressor
from geoforest_cli.estimators.forests.smerf import Smerf, response_distances
from geoforest_cli.estimators.forests.structured_forest import StructuredGeodesicForest
from geoforest_cli.estimators.forests.supervised import SupervisedForest
from tests.estimator_checks import FIT_ON_A_VECTOR, conventions

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:.*columns have only two values"),
    pytest.mark.filterwarnings("ignore:most trees have at most"),
    pytest.mark.filterwarnings("ignore:.*never share a leaf"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]


BY_WEIGHT = "weights draw the bags: they are not the same as repeated rows"
A_VECTOR = "fit takes an N x N table of distances, the check gives a vector"


class SmerfOfResponses(Smerf):
    """SMERF that makes its distances of a vector: what the checks ask then holds."""

    def fit(self, X, y=None):
        response = np.arange(len(X)) if y is None else np.ravel(y)
        return super().fit(X, response_distances(response, "class"))


def failing(estimator):
    """Return what a check cannot ask of an estimator, and why."""
    if type(estimator) is Smerf:
        return dict.fromkeys(FIT_ON_A_VECTOR, A_VECTOR)
    if isinstance(estimator, SupervisedForest):
        return {"check_sample_weight_equivalence_on_dense_data": BY_WEIGHT}
    return {}


@conventions(
    [
        GeodesicForest(n_estimators=5),
        StructuredGeodesicForest(n_estimators=5),
        GeodesicNeighbors(3, n_estimators=5),
        LearnedNeighbors(n_estimators=5),
        RandomForestClassifier(n_estimators=5),
        SporfClassifier(n_estimators=5),
        MorfClassifier(n_estimators=5),
        RandomForestRegressor(n_estimators=5),
        Smerf(3),
        SmerfOfResponses(3),
    ],
    failing,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
