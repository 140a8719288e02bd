"""Variance between the trees of a regression forest, against the noise's."""

from typing import Annotated

import numpy as np
from pydantic import Field

from geoforest_cli.study.experiment import Experiment, Params, Row, Task

_NOISE = 0.01


class VarianceParams(Params):
    """Parameters of one cell."""

    n: Annotated[int, Field(ge=8)]
    test: Annotated[int, Field(ge=10)] = 200


class ForestVariance(Experiment[VarianceParams]):
    """Average s_n = 1/2 Var over trees of m(x) - m(x') over pairs of test points.

    It is the distance that a SMERF forest of fully grown trees adds to that of the forest's means
    (SMERF, equation 15 and Figure 3). By Proposition 2 its trees are regression trees;
    scikit-learn grows them here.
    """

    methods = ("regressor",)
    yields = ("variance", "relative_to_noise", "rmse")

    def run_cell(self, task: Task[VarianceParams]) -> list[Row]:
        """Return the trees' variance, its ratio to the noise's, and the forest's error."""
        params = task.params
        rng = task.rng("sample", "train")
        X = rng.uniform(size=(params.n, 2))
        y = (X**2).sum(axis=1) + rng.normal(0, np.sqrt(_NOISE), params.n)
        test = task.rng("sample", "test").uniform(size=(params.test, 2))
        values = task.build_method().fit(X, y).tree_values(test)
        spread = np.cov(values, rowvar=False)
        own = np.diag(spread)
        pairs = own[:, None] + own[None, :] - 2 * spread
        variance = float(pairs[np.triu_indices(params.test, 1)].mean() / 2)
        error = values.mean(axis=0) - (test**2).sum(axis=1)
        return [
            Row("variance", variance),
            Row("relative_to_noise", variance / _NOISE),
            Row("rmse", float(np.sqrt(np.mean(error**2)))),
        ]
