"""Conditional density and regression by kernels on geodesic distances."""

import functools
import itertools
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.spherelets.smoothing import (
    Tuned,
    log_density,
    regression,
    tune_density,
    tune_regression,
)
from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.datasets.uci import Responses
from geoforest_cli.study.experiment import Boxes, Count, Experiment, Params, Row, Task, Uses

Floats = npt.NDArray[np.float64]


class KernelParams(Params):
    """Parameters of one cell.

    `neighbors` and `dims` are tried by methods that have these parameters; `sample` draws that
    many rows before the split into halves.
    """

    data: Annotated[Literal["ccpp", "concrete"], Uses(DATASETS)]
    task: Literal["density", "regression"]
    scaling: Literal["raw", "standardised"] = "standardised"
    sample: Annotated[int, Field(ge=20)] | None = None
    neighbors: tuple[Count, ...] = (5, 10, 20)
    dims: tuple[Count, ...] = (1, 2)


class KernelPrediction(Experiment[KernelParams]):
    """Split a data set, choose neighbours, dimension and bandwidths on one half, score the other.

    They are chosen by leave-one-out (Spherelets, Figures 6 to 9).
    """

    methods = ("neighbors",)
    yields = ("log_likelihood", "rmse", "n_neighbors", "dim", "at_edge")
    figure = Boxes

    def run_cell(self, task: Task[KernelParams]) -> list[Row]:
        """Tune on one half, score on the other."""
        params = task.params
        data = _data(params.data)
        points, y = data.points, data.response
        rng = task.rng("sample")
        order = rng.permutation(len(points))[: params.sample or len(points)]
        train, test = np.array_split(order, 2)
        if params.scaling == "standardised":
            points = (points - points[train].mean(axis=0)) / points[train].std(axis=0)
        method, tuned = _tuned(task, points[train], y[train])
        to_train = method.transform(points[test])
        if params.task == "density":
            logs = log_density(to_train, y[train], y[test], tuned.h1, tuned.h2)
            score = Row("log_likelihood", float(logs.sum()))
        else:
            errors = regression(to_train, y[train], tuned.h1) - y[test]
            score = Row("rmse", float(np.sqrt(np.mean(errors**2))))
        return [
            score,
            Row("n_neighbors", getattr(method, "n_neighbors", 0)),
            Row("dim", getattr(method, "dim", 0)),
            Row("at_edge", float(tuned.at_edge)),
        ]


@functools.cache
def _data(name: str) -> Responses:
    data: Responses = DATASETS[name].load()()
    return data


def _tuned(task: Task[KernelParams], points: Floats, y: Floats) -> tuple[Any, Tuned]:
    """Fit the method with every setting; return the one with the best leave-one-out score."""
    params, given = task.params, task.method_params
    ks = params.neighbors if "n_neighbors" in given else (None,)
    ds = params.dims if "dim" in given and given.get("local") != "euclidean" else (None,)
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
