"""scikit-learn's own checks of the adaptive neighbours."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli import AdaptiveNeighbors

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
    pytest.mark.filterwarnings("ignore:most trees have at most"),
]


@parametrize_with_checks([AdaptiveNeighbors(2), AdaptiveNeighbors(2, forest_share=0.2)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
