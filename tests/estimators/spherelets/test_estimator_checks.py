"""scikit-learn's own checks of the spherelets."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli.estimators.spherelets import GraphGeodesic, SphericalDistance

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")


@parametrize_with_checks([SphericalDistance(3), GraphGeodesic(3)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", [SphericalDistance(3), GraphGeodesic(3)])
def test_transformed_tables_may_be_data_frames(method):
    X = np.random.default_rng(0).normal(size=(12, 2))
    frame = method.set_output(transform="pandas").fit(X).transform(X)
    assert list(frame.columns) == list(method.get_feature_names_out())
    assert frame.shape == (12, 12)
