"""scikit-learn's own checks of the relational models."""

import pytest

from geoforest_cli.estimators.relational.estimators import EdgePartition, NodeAttributeModel
from tests.estimator_checks import FIT_ON_A_VECTOR, conventions

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


@conventions(
    [EdgePartition(3, n_burnin=3, n_samples=3), NodeAttributeModel(3, n_burnin=3, n_samples=3)],
    failing=lambda estimator: NEEDS_A_NETWORK,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
