"""Seconds to fit a method and find its neighbours, side by side with its peers.

One cell warms the method up on a few rows of its sample (compilation is not timed), then
times `repeats` fits on one thread and reports their median in processor seconds.
"""

import time
from typing import Annotated, Any

import numpy as np
from matplotlib.figure import Figure
from pydantic import AfterValidator, Field

from geoforest_cli import report
from geoforest_cli.config.cells import Task
from geoforest_cli.config.schema import Model
from geoforest_cli.manifolds import MANIFOLDS
from geoforest_cli.manifolds.noise import add_noise

VERSION = 1
KIND = "neighbors"
INNER = ()
YIELDS = ("fit_seconds", "distances_seconds")
FigureOptions = report.Curves


class Params(Model):
    """What one cell of this experiment can be told."""

    manifold: Annotated[str, AfterValidator(MANIFOLDS.check)]
    n: Annotated[int, Field(ge=40)] = 1000
    noise_dims: Annotated[int, Field(ge=0)] = 0
    noise_variance: Annotated[float, Field(ge=0)] = 70.0
    repeats: Annotated[int, Field(ge=1)] = 3


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Return the median processor seconds of a fit and of the distances after it."""
    params: Params = task.params
    rng = np.random.default_rng(task.sample_seed)
    sample = MANIFOLDS[params.manifold].load()(params.n, task.sample_kind, rng)
    points = add_noise(sample.points, params.noise_dims, params.noise_variance, rng)
    task.build_method().fit(points[:40]).distances()
    fits, distances = [], []
    for _ in range(params.repeats):
        method = task.build_method()
        start = time.process_time()
        method.fit(points)
        fitted = time.process_time()
        method.distances()
        fits.append(fitted - start)
        distances.append(time.process_time() - fitted)
    return [
        {"metric": "fit_seconds", "value": float(np.median(fits))},
        {"metric": "distances_seconds", "value": float(np.median(distances))},
    ]


def draw(context: report.Context) -> Figure:
    """Draw the curves that the config's figure section describes."""
    return report.draw_curves(context, FigureOptions(**context.options))
