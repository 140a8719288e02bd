"""scikit-learn's own checks of the relational models."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli.relational.estimators import EdgePartition, NodeAttributeModel
from tests.estimator_checks import FIT_ON_A_VECTOR

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")

NEEDS_A_NETWORK = dict.fromkeys(
    [
        *FIT_ON_A_VECTOR,
        "check_complex_data",
        "check_estimators_empty_data_messages",
        "check_fit2d_1sample",
    ],
    "fits a square, symmetric matrix of zeros and ones, the checks have a table of points",
)


@parametrize_with_checks(
    [EdgePartition(3, n_burnin=3, n_samples=3), NodeAttributeModel(3, n_burnin=3, n_samples=3)],
    expected_failed_checks=lambda estimator: NEEDS_A_NETWORK,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
