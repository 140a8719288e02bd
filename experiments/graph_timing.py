"""Seconds to find local distances, and to find all graph distances, on one thread.

One cell fits a method on a curved surface of two dimensions in a space of many, after a small fit
that pays for compilation (Spherelets, section 2.4: the same order as the Euclidean distance).
"""

import time
from typing import Annotated, Any

import numpy as np
from matplotlib.figure import Figure
from pydantic import Field

from geoforest_cli import report
from geoforest_cli.config.cells import Task
from geoforest_cli.config.schema import Model

VERSION = 1
KIND = ("neighbors", "local")
INNER = ()
YIELDS = ("seconds",)
FigureOptions = report.Curves


class Params(Model):
    """What one cell of this experiment can be told; `dims` is the dimension of the space."""

    n: Annotated[int, Field(ge=200)] = 5000
    dims: Annotated[int, Field(ge=6)] = 50
    repeats: Annotated[int, Field(ge=1)] = 3


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Return the median processor seconds of a fit."""
    params: Params = task.params
    rng = np.random.default_rng(task.sample_seed)
    s, t = rng.uniform(size=(2, params.n))
    surface = np.column_stack([np.cos(3 * s), np.sin(3 * s), np.cos(2 * t), np.sin(2 * t), s, t])
    points = surface @ rng.normal(size=(6, params.dims))
    task.build_method().fit(points[:200])
    seconds = []
    for _ in range(params.repeats):
        start = time.process_time()
        task.build_method().fit(points)
        seconds.append(time.process_time() - start)
    return [{"metric": "seconds", "value": float(np.median(seconds))}]


def draw(context: report.Context) -> Figure:
    """Draw the curves that the config's figure section describes."""
    return report.draw_curves(context, FigureOptions(**context.options))
