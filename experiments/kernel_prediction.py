"""Conditional density and regression by kernels on geodesic distances.

One cell splits a data set, chooses neighbours, dimension and bandwidths by leave-one-out on the
training half and scores the test half (Spherelets, Figures 6 to 9).
"""

import functools
import inspect
import itertools
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from pydantic import Field

from geoforest_cli import report
from geoforest_cli.config.cells import Task
from geoforest_cli.config.schema import Model
from geoforest_cli.datasets import DATASETS
from geoforest_cli.errors import DataError
from geoforest_cli.report.boxes import Boxes, draw_boxes
from geoforest_cli.spherelets.smoothing import (
    Tuned,
    log_density,
    regression,
    tune_density,
    tune_regression,
)

VERSION = 1
KIND = "neighbors"
INNER = ()
YIELDS = ("log_likelihood", "rmse", "n_neighbors", "dim", "at_edge")
FigureOptions = Boxes

Floats = npt.NDArray[np.float64]


class Params(Model):
    """What one cell of this experiment can be told.

    `neighbors` and `dims` are tried by methods that have these parameters; `sample` draws that
    many rows before the split into halves.
    """

    data: Literal["ccpp", "concrete"]
    task: Literal["density", "regression"]
    scaling: Literal["raw", "standardised"] = "standardised"
    sample: Annotated[int, Field(ge=20)] | None = None
    neighbors: tuple[Annotated[int, Field(ge=1)], ...] = (5, 10, 20)
    dims: tuple[Annotated[int, Field(ge=1)], ...] = (1, 2)


def files(params: Params) -> str | None:
    """Name the data set of the catalogue that a cell reads."""
    return str(DATASETS[params.data].extra["files"])


@functools.cache
def _data(name: str) -> tuple[Floats, Floats]:
    data = DATASETS[name].load()()
    return data.points, data.response


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Tune on one half, score on the other."""
    params: Params = task.params
    points, y = _data(params.data)
    rng = np.random.default_rng(task.sample_seed)
    order = rng.permutation(len(points))[: params.sample or len(points)]
    train, test = np.array_split(order, 2)
    if params.scaling == "standardised":
        points = (points - points[train].mean(axis=0)) / points[train].std(axis=0)
    method, tuned = _tuned(task, params, points[train], y[train])
    to_train = method.transform(points[test])
    if params.task == "density":
        logs = log_density(to_train, y[train], y[test], tuned.h1, tuned.h2)
        score = {"metric": "log_likelihood", "value": float(logs.sum())}
    else:
        errors = regression(to_train, y[train], tuned.h1) - y[test]
        score = {"metric": "rmse", "value": float(np.sqrt(np.mean(errors**2)))}
    return [
        score,
        {"metric": "n_neighbors", "value": getattr(method, "n_neighbors", 0)},
        {"metric": "dim", "value": getattr(method, "dim", 0)},
        {"metric": "at_edge", "value": float(tuned.at_edge)},
    ]


def _tuned(task: Task, params: Params, points: Floats, y: Floats) -> tuple[Any, Tuned]:
    """Fit the method with every setting; return the one with the best leave-one-out score."""
    accepted = inspect.signature(type(task.build_method())).parameters
    local = getattr(task.build_method(), "local", "")
    ks = params.neighbors if "n_neighbors" in accepted else (None,)
    ds = params.dims if "dim" in accepted and local != "euclidean" else (None,)
    tune = tune_density if params.task == "density" else tune_regression
    best: tuple[Any, Tuned] | None = None
    for k, d in itertools.product(ks, ds):
        if k is not None and d is not None and k <= d + 1:
            continue
        method = task.build_method()
        if k is not None:
            method.n_neighbors = k
        if d is not None:
            method.dim = d
        method.fit(points)
        found = tune(method.distances(), y)
        if best is None or found.score > best[1].score:
            best = method, found
    if best is None:
        raise DataError("no number of neighbours is above dim + 1")
    return best


def draw(context: report.Context) -> Figure:
    """Draw a box per method."""
    return draw_boxes(context, FigureOptions(**context.options))
