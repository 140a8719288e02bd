"""Seconds of a screen of columns, beside the matrix product that it cannot do without."""

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.core.machine import Watch
from geoforest_cli.estimators.screening.bins import Binned
from geoforest_cli.study.experiment import Experiment, Params, Row, Task

_COLUMNS = 64  # of a block of the product


class ScreenTimingParams(Params):
    """Parameters of one cell; `bins` are those of the product's indicators."""

    n: Annotated[int, Field(ge=40)]
    columns: Annotated[int, Field(ge=4)]
    bins: Annotated[int, Field(ge=2)] = 8


class ScreenTiming(Experiment[ScreenTimingParams]):
    """Screen normal columns of which a quarter follows a common factor.

    The tables of all pairs of columns are one product of a matrix of indicators with its own
    transpose; it is timed beside, in single precision, block by block, each pair once.
    """

    methods = ("screen",)
    yields = ("fit_seconds", "product_seconds", "times_product", "megabytes", "found")
    measured = True

    def run_cell(self, task: Task[ScreenTimingParams]) -> list[Row]:
        """Return the seconds of the screen and of the product, and the share of columns found."""
        params = task.params
        rng = task.rng("sample")
        points = rng.normal(size=(params.n, params.columns))
        related = params.columns // 4
        points[:, :related] += rng.normal(size=(params.n, 1))
        task.build_method().fit(points[:60, :4])
        screen = task.build_method()
        with Watch() as watch:
            screen.fit(points)
        with Watch() as product:
            _tables(points, params.bins)
        return [
            Row("fit_seconds", watch.seconds),
            Row("product_seconds", product.seconds),
            Row("times_product", watch.seconds / product.seconds),
            Row("megabytes", watch.megabytes),
            Row("found", float(screen.get_support()[:related].mean())),
        ]


def _tables(points: npt.NDArray[np.float64], bins: int) -> float:
    codes = Binned.of(points, bins).codes
    indicators = (codes[:, None, :] == np.arange(bins)[:, None]).astype(np.float32)
    flat = indicators.reshape(-1, points.shape[0])
    step = _COLUMNS * bins
    total = 0.0
    for first in range(0, len(flat), step):
        total += float((flat[first : first + step] @ flat[first:].T)[0, 0])
    return total
