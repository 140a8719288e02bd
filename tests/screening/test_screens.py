"""What all screens promise."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli.screening import ColumnScreen, ForestScreen, PairScreen
from geoforest_cli.screening.rivals import (
    AllColumns,
    KurtosisScreen,
    LaplacianScreen,
    VarianceScreen,
)

SCREENS = [
    PairScreen(),
    ForestScreen(random_state=0),
    ColumnScreen(random_state=0),
    ColumnScreen("both", random_state=0),
    KurtosisScreen(),
    VarianceScreen(),
    LaplacianScreen(random_state=0),
    AllColumns(),
]

pytestmark = pytest.mark.filterwarnings("ignore:No features were selected")


@parametrize_with_checks(SCREENS)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
