"""scikit-learn's own checks of our estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli.baselines.random_forest import SyntheticForest
from geoforest_cli.forests.geodesic_forest import GeodesicForest

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:.*columns have only two values"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]


@parametrize_with_checks([GeodesicForest(n_estimators=5), SyntheticForest(n_estimators=5)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
