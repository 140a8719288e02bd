"""Precision and recall of neighbour methods on a real data set with classes.

Two points are truly near if they are of one class; a cell fits one method and asks how many of
the k points it holds nearest share the query's class (Geodesic Forests, section 4.4).
"""

from typing import Annotated, Any

import numpy as np
from matplotlib.figure import Figure
from pydantic import AfterValidator, Field

from geoforest_cli import report
from geoforest_cli.config.cells import Task
from geoforest_cli.config.schema import Model
from geoforest_cli.datasets import DATASETS
from geoforest_cli.manifolds.sample import Components
from geoforest_cli.metrics.geodesic import precision_recall
from geoforest_cli.metrics.ranking import retrieved

VERSION = 1
KIND = "neighbors"
INNER = ("k",)
YIELDS = ("precision", "recall", "chance")
FigureOptions = report.Curves


class Params(Model):
    """What one cell of this experiment can be told."""

    dataset: Annotated[str, AfterValidator(DATASETS.check)]
    k: tuple[Annotated[int, Field(ge=1)], ...] = (50,)


def files(params: Params) -> str | None:
    """Name the data set of the catalogue that a cell reads."""
    return str(DATASETS[params.dataset].extra["files"])


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Fit one method on the data; return precision, recall and chance at each k."""
    params: Params = task.params
    data = DATASETS[params.dataset].load()()
    _, classes = np.unique(data.labels, return_inverse=True)
    method = task.build_method().fit(data.points)
    ties = "index" if task.variant == "as_run" else "random"
    rng = np.random.default_rng(task.metric_seed)
    neighbors = retrieved(method, max(params.k), ties, rng)
    scores = precision_recall(Components(classes), neighbors, params.k, task.sample_kind, rng)
    return [
        {"metric": metric, "value": getattr(score, metric), "k": score.k}
        for score in scores
        for metric in ("precision", "recall", "chance")
    ]


def draw(context: report.Context) -> Figure:
    """Draw the curves that the config's figure section describes."""
    return report.draw_curves(context, FigureOptions(**context.options))
