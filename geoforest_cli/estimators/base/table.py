"""The base of estimators that measure lengths in a table of points."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.scaling import Rescale, Scaling
from geoforest_cli.estimators.base.validation import LARGEST, table_of

__all__ = ["TableEstimator"]


class TableEstimator(Estimator):
    """Checks tables of points, and brings their columns to the scale of the fitted one.

    Parameters
    ----------
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    """

    rescale: Rescale = "none"

    def _fit_points(self, X: npt.ArrayLike, largest: float = LARGEST) -> npt.NDArray[Any]:
        points = table_of(self, X, reset=True, largest=largest)
        self._scaling = Scaling.fit(points, self.rescale)
        return self._scaling.apply(points)

    def _new_points(self, X: npt.ArrayLike, largest: float = LARGEST) -> npt.NDArray[Any]:
        return self._scaling.apply(table_of(self, X, reset=False, largest=largest))
