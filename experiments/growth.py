"""How time and memory grow with the number of points and of columns.

One cell fits a forest and lists the k nearest of every point without the N x N matrix, on one
thread, after a small forest has paid for compilation. A second fit is watched for memory.
"""

import time
import tracemalloc
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
YIELDS = ("fit_seconds", "neighbors_seconds", "megabytes", "dense_megabytes", "leaves")
FigureOptions = report.Curves


class Params(Model):
    """What one cell of this experiment can be told."""

    manifold: Annotated[str, AfterValidator(MANIFOLDS.check)]
    n: Annotated[int, Field(ge=200)] = 1000
    noise_dims: Annotated[int, Field(ge=0)] = 17
    noise_variance: Annotated[float, Field(ge=0)] = 70.0
    k: Annotated[int, Field(ge=1)] = 15


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Return processor seconds, megabytes beyond the table itself, and leaves per tree.

    The megabytes are the most that Python and NumPy held at once; a tree's own scratch arrays,
    some twenty numbers per point, are not among them. The dense matrix of float64 proximities
    stands beside them for comparison.
    """
    params: Params = task.params
    rng = np.random.default_rng(task.sample_seed)
    sample = MANIFOLDS[params.manifold].load()(params.n, task.sample_kind, rng)
    points = add_noise(sample.points, params.noise_dims, params.noise_variance, rng)
    task.build_method().fit(points[:200]).kneighbors(params.k)
    start = time.process_time()
    forest = task.build_method().fit(points)
    fitted = time.process_time()
    forest.kneighbors(params.k)
    searched = time.process_time()
    n_leaves = np.sum(forest.forest_.children[:, 0] < 0) / forest.forest_.n_trees
    del forest
    tracemalloc.start()
    task.build_method().fit(points).kneighbors(params.k)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return [
        {"metric": "fit_seconds", "value": fitted - start},
        {"metric": "neighbors_seconds", "value": searched - fitted},
        {"metric": "megabytes", "value": most / 1e6},
        {"metric": "dense_megabytes", "value": params.n**2 * 8 / 1e6},
        {"metric": "leaves", "value": float(n_leaves)},
    ]


def draw(context: report.Context) -> Figure:
    """Draw the curves that the config's figure section describes."""
    return report.draw_curves(context, FigureOptions(**context.options))
