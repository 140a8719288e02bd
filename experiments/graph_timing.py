"""Seconds to find local distances, and to find all graph distances, on one thread."""

import time
from typing import Annotated

import numpy as np
from pydantic import Field

from geoforest_cli.study.experiment import Count, Experiment, Params, Row, Task


class TimingParams(Params):
    """Parameters of one cell; `dims` is the dimension of the space."""

    n: Annotated[int, Field(ge=200)] = 5000
    dims: Annotated[int, Field(ge=6)] = 50
    repeats: Count = 3


class GraphTiming(Experiment[TimingParams]):
    """Fit a method on a curved surface of two dimensions in a space of many.

    A small fit before pays for compilation (Spherelets, section 2.4: the same order as the
    Euclidean distance).
    """

    methods = ("neighbors", "local")
    yields = ("seconds",)
    measured = True

    def run_cell(self, task: Task[TimingParams]) -> list[Row]:
        """Return the median processor seconds of a fit."""
        params = task.params
        rng = task.rng("sample")
        s, t = rng.uniform(size=(2, params.n))
        surface = np.column_stack(
            [np.cos(3 * s), np.sin(3 * s), np.cos(2 * t), np.sin(2 * t), s, t]
        )
        points = surface @ rng.normal(size=(6, params.dims))
        task.build_method().fit(points[:200])
        seconds = []
        for _ in range(params.repeats):
            start = time.process_time()
            task.build_method().fit(points)
            seconds.append(time.process_time() - start)
        return [Row("seconds", float(np.median(seconds)))]
