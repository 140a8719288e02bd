"""The exponent of a power law."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from geoforest_cli.study.claims.base import BoundsClaim, GridColumn, Method, Metric
from geoforest_cli.study.claims.points import Contrast, GridPoint
from geoforest_cli.study.claims.spread import along, complete
from geoforest_cli.study.frames import Table

__all__ = ["Slope"]


class Slope(BoundsClaim):
    """The exponent b of metric = a * axis^b, fitted by least squares in logarithms, lies in bounds.

    Parameters
    ----------
    metric : str
    method : Method
    axis : str
        A numeric grid column with positive values (leave out zero in ``where``).
    at_least, at_most : float, optional
        Bounds of the exponent; at least one of them.
    """

    check: Literal["slope"]
    metric: Metric
    method: Method
    axis: GridColumn

    def points(self, table: Table) -> list[GridPoint]:
        """The exponent in each repetition that has the whole axis."""
        series = table.series(self.method.name, self.method.variant, self.metric)
        found = []
        for point, curve in along(table, series, self.axis).items():
            values = {r: _exponent(list(curve), y) for r, y in complete(curve).items()}
            fitted = {r: b for r, b in values.items() if math.isfinite(b)}
            missing = sum(s.missing for s in curve.values()) + len(values) - len(fitted)
            contrast = Contrast({}, fitted, missing if fitted else max(1, missing))
            found.append(GridPoint(dict(point), [contrast]))
        return found

    def quantity(self) -> str:
        """Name the exponent."""
        return f"exponent of the {self.metric} of {self.method} in {self.axis}"


def _exponent(x: list[object], y: list[float]) -> float:
    numbers = [value for value in x if isinstance(value, int | float) and value > 0]
    if len(numbers) < len(x) or len(x) < 2 or min(y) <= 0:
        return math.nan
    return float(np.polyfit(np.log(numbers), np.log(y), 1)[0])
