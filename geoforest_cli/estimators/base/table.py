"""The base of estimators that measure lengths in a table of points."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy.typing as npt

from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.scaling import Rescale, Scaling
from geoforest_cli.estimators.base.validation import (
    LARGEST_SINGLE,
    LARGEST_VALUE,
    table_of,
    without_rounding,
)

__all__ = ["TableEstimator"]


class TableEstimator(Estimator):
    """Checks tables of points, and brings their columns to the scale of the fitted one.

    Parameters
    ----------
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    """

    single: ClassVar[bool] = False  # whether lengths are measured in single precision
    rescale: Rescale = "none"

    def _checked_table(self, X: npt.ArrayLike, *, reset: bool) -> npt.NDArray[Any]:
        largest = LARGEST_SINGLE if self.single and self.rescale == "none" else LARGEST_VALUE
        return table_of(self, X, reset=reset, largest=largest)

    def _fit_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        points = without_rounding(self._checked_table(X, reset=True))
        self._scaling = Scaling.fit(points, self.rescale)
        return self._scaling.apply(points)

    def _new_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        return self._scaling.apply(self._checked_table(X, reset=False))
