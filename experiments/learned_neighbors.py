"""Nearest neighbours under a learned distance, against other predictors, on bundled data."""

from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn import datasets

from geoforest_cli.study.experiment import Boxes, Experiment, Params, Row, Task

Floats = npt.NDArray[np.float64]


class LearnedParams(Params):
    """Parameters of one cell.

    `outliers` is the share of training responses of a numeric data set that are replaced by
    draws of ten times their standard deviation; `share` of the rows are for training.
    """

    data: Literal["iris", "wine", "breast_cancer", "digits", "diabetes", "friedman"]
    outliers: Annotated[float, Field(ge=0, lt=1)] = 0.0
    share: Annotated[float, Field(gt=0, lt=1)] = 0.7
    rows: Annotated[int, Field(ge=20)] = 600


class LearnedNeighbors(Experiment[LearnedParams]):
    """Split a data set of scikit-learn, or a simulated one, and predict the held-out part.

    Beyond the paper on SMERF, which names it as future work.
    """

    methods = ("response",)
    yields = ("error",)
    figure = Boxes

    def run_cell(self, task: Task[LearnedParams]) -> list[Row]:
        """Return the share of wrong classes, or the error relative to that of the mean response."""
        params = task.params
        rng = task.rng("sample")
        X, y = _load(params, rng)
        order = rng.permutation(len(X))[: params.rows]
        size = round(params.share * len(order))
        train, test = order[:size], order[size:]
        seen = y[train].copy()
        if y.dtype.kind == "f" and params.outliers > 0:
            wrong = rng.random(size) < params.outliers
            seen[wrong] += rng.normal(0, 10 * seen.std(), int(wrong.sum()))
        found = task.build_method().fit(X[train], seen).predict(X[test])
        if y.dtype.kind == "f":
            scale = np.sqrt(np.mean((y[test] - y[train].mean()) ** 2))
            error = float(np.sqrt(np.mean((found - y[test]) ** 2)) / scale)
        else:
            error = float(np.mean(found != y[test]))
        return [Row("error", error)]


def _load(params: LearnedParams, rng: np.random.Generator) -> tuple[Floats, npt.NDArray[Any]]:
    if params.data == "friedman":
        seed = int(rng.integers(2**31))
        X, y = datasets.make_friedman1(params.rows, noise=1.0, random_state=seed)
        return X, y
    X, y = getattr(datasets, f"load_{params.data}")(return_X_y=True)
    return X, y.astype(float) if params.data == "diabetes" else y.astype(int)
