"""How much the trees of a regression forest differ, against the noise's variance.

s_n = 1/2 Var over trees of m(x) - m(x'), averaged over pairs of test points: the distance that a
SMERF forest of fully grown trees adds to that of the forest's means (SMERF, equation 15 and
Figure 3). By Proposition 2 its trees are regression trees; scikit-learn grows them here.
"""

from typing import Annotated, Any

import numpy as np
from matplotlib.figure import Figure
from pydantic import Field

from geoforest_cli import report
from geoforest_cli.config.cells import Task, derive_seed
from geoforest_cli.config.schema import Model

VERSION = 1
KIND = "regressor"
INNER = ()
YIELDS = ("variance", "relative_to_noise", "rmse")
FigureOptions = report.Curves

_NOISE = 0.01


class Params(Model):
    """What one cell of this experiment can be told."""

    n: Annotated[int, Field(ge=8)]
    test: Annotated[int, Field(ge=10)] = 200


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Return the trees' variance, its ratio to the noise's, and the forest's error."""
    params: Params = task.params
    rng = np.random.default_rng(derive_seed("train", task.sample_seed))
    X = rng.uniform(size=(params.n, 2))
    y = (X**2).sum(axis=1) + rng.normal(0, np.sqrt(_NOISE), params.n)
    test = np.random.default_rng(derive_seed("test", task.sample_seed)).uniform(
        size=(params.test, 2)
    )
    values = task.build_method().fit(X, y).tree_values(test)
    spread = np.cov(values, rowvar=False)
    own = np.diag(spread)
    pairs = own[:, None] + own[None, :] - 2 * spread
    variance = float(pairs[np.triu_indices(params.test, 1)].mean() / 2)
    error = values.mean(axis=0) - (test**2).sum(axis=1)
    return [
        {"metric": "variance", "value": variance},
        {"metric": "relative_to_noise", "value": variance / _NOISE},
        {"metric": "rmse", "value": float(np.sqrt(np.mean(error**2)))},
    ]


def draw(context: report.Context) -> Figure:
    """Draw the curves that the config's figure section describes."""
    return report.draw_curves(context, FigureOptions(**context.options))
