"""Screens test independent rows, and say so where rows are not."""

import warnings

import numpy as np
import pytest

from geoforest_cli.estimators.adaptive import AdaptiveNeighbors
from geoforest_cli.estimators.directions import DirectionScreen
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.screening import ColumnScreen, CorrelationScreen, PairScreen
from geoforest_cli.estimators.screening.row_order import DependentRowsWarning

SCREENS = [ColumnScreen("auto"), CorrelationScreen(), PairScreen(), DirectionScreen(random_state=0)]


def series(coefficient, seed=0, n=300, p=8):
    """Columns that are independent of each other, of the first order in time."""
    steps = np.random.default_rng(seed).normal(size=(n, p))
    for row in range(1, n):
        steps[row] += coefficient * steps[row - 1]
    return steps


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: type(screen).__name__)
@pytest.mark.parametrize("coefficient", [0.8, 1.0])
def test_all_columns_of_a_series_are_named(screen, coefficient):
    names = "x0, x1, x2, x3, x4, x5, x6, x7"
    with pytest.warns(DependentRowsWarning, match=f"those before them in {names}: p-values"):
        screen.fit(series(coefficient))


def test_independent_rows_are_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error", DependentRowsWarning)
        for seed in range(40):
            CorrelationScreen().fit(series(0.0, seed))


def test_methods_that_choose_columns_by_a_screen_say_nothing():
    table = series(0.8)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DependentRowsWarning)
        AdaptiveNeighbors(random_state=0).fit(table)
        GeodesicForest(3, random_state=0).fit(table)
