"""Seconds to fit a method and find its neighbours, or to screen the columns of a table."""

import time
import tracemalloc
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise
from geoforest_cli.problems.manifolds.sample import Sample
from geoforest_cli.study.experiment import Count, Experiment, ManifoldName, Params, Row, Task


class TimingParams(Params):
    """Parameters of one cell."""

    manifold: ManifoldName
    n: Annotated[int, Field(ge=40)] = 1000
    noise_dims: Annotated[int, Field(ge=0)] = 0
    noise_variance: Annotated[float, Field(ge=0)] = 70.0
    repeats: Count = 3


class Timing(Experiment[TimingParams]):
    """Warm the method up on a few rows of its sample, then take the median of several fits.

    Compilation is not timed; seconds are those of the processor, on one thread. A screen has no
    distances; a screened method's fit includes its screen.
    """

    methods = ("neighbors", "screen")
    yields = ("fit_seconds", "distances_seconds", "megabytes")
    measured = True

    def run_cell(self, task: Task[TimingParams]) -> list[Row]:
        """Return the median processor seconds of a fit and of the distances after it.

        The megabytes are the most that Python and NumPy held at once in one more fit, the table
        itself not counted; what a library allocates by itself is not among them.
        """
        params = task.params
        rng = task.rng("sample")
        sample: Sample = MANIFOLDS[params.manifold].load()(params.n, task.sample_kind, rng)
        points = add_noise(sample.points, params.noise_dims, params.noise_variance, rng)
        find = _nothing if task.kind == "screen" else _distances
        find(task.build_method().fit(points[:400]))
        fits, distances = [], []
        for _ in range(params.repeats):
            method = task.build_method()
            start = time.process_time()
            method.fit(points)
            fitted = time.process_time()
            find(method)
            fits.append(fitted - start)
            distances.append(time.process_time() - fitted)
        tracemalloc.start()
        find(task.build_method().fit(points))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        rows = [
            Row("fit_seconds", float(np.median(fits))),
            Row("distances_seconds", float(np.median(distances))),
            Row("megabytes", most / 1e6),
        ]
        return rows if task.kind != "screen" else [rows[0], rows[2]]


def _distances(method: Any) -> None:
    method.distances()


def _nothing(screen: Any) -> None:
    """Ask nothing of a screen: it has no distances."""
