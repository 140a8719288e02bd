"""k-medoids on geodesic distances, scored against known classes.

One cell draws two ellipses or takes a data set, fits one method and clusters its distances from
several starts (Spherelets, Figure 5 and Tables 2 and 3).
"""

from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from pydantic import Field
from sklearn import metrics as scores

from geoforest_cli import report
from geoforest_cli.config.cells import Task
from geoforest_cli.config.schema import Model
from geoforest_cli.datasets import DATASETS
from geoforest_cli.manifolds import ellipses
from geoforest_cli.spherelets.medoids import (
    Clustering,
    best_of_random_starts,
    k_medoids,
    with_reachable,
)

VERSION = 1
KIND = ("neighbors", "clusters")
INNER = ("start",)
YIELDS = (
    "adjusted_rand", "adjusted_mutual_information", "normalized_mutual_information",
    "homogeneity", "completeness", "v_measure", "fowlkes_mallows", "components", "tied", "cost",
)  # fmt: skip
FigureOptions = report.Curves

Floats = npt.NDArray[np.float64]
_RANDOM_STARTS = 30


class Params(Model):
    """What one cell of this experiment can be told.

    `rows` draws that many rows of a data set; by default all are taken.
    """

    data: Literal["ellipses", "banknote", "galaxy_zoo"]
    n: Annotated[int, Field(ge=4)] = 100
    inner_size: Annotated[float, Field(gt=0, lt=1)] = 0.3
    angles: Literal["even", "uniform"] = "even"
    noise: Annotated[float, Field(ge=0)] = 0.0
    rows: Annotated[int, Field(ge=10)] | None = None
    scaling: Literal["raw", "standardised"] = "raw"
    clusters: Annotated[int, Field(ge=2)] = 2
    start: tuple[Literal["park_jun", "random"], ...] = ("park_jun",)


def files(params: Params) -> str | None:
    """Name the data set of the catalogue that a cell reads."""
    return None if params.data == "ellipses" else str(DATASETS[params.data].extra["files"])


def _points(params: Params, rng: np.random.Generator) -> tuple[Floats, npt.NDArray[Any]]:
    if params.data == "ellipses":
        kind = "as_written" if params.angles == "even" else "as_run"
        sample = ellipses.draw(params.n, kind, rng, "component", inner=params.inner_size)
        points = sample.points + rng.normal(0, params.noise, sample.points.shape)
        labels: npt.NDArray[Any] = sample.latent[:, 0].astype(int)
    else:
        data = DATASETS[params.data].load()()
        points, labels = data.points, data.labels
        if params.rows is not None and params.rows < len(points):
            chosen = np.sort(rng.choice(len(points), params.rows, replace=False))
            points, labels = points[chosen], labels[chosen]
    if params.scaling == "standardised":
        points = (points - points.mean(axis=0)) / points.std(axis=0)
    return points, labels


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Cluster one sample from every start; return six scores, the cost and what was tied."""
    params: Params = task.params
    points, labels = _points(params, np.random.default_rng(task.sample_seed))
    method = task.build_method().fit(points)
    rng = np.random.default_rng(task.metric_seed)
    pieces = getattr(method, "n_connected_components_", 1)
    rows = []
    for start in params.start:
        if hasattr(method, "clusters"):
            found, extra = method.clusters(params.clusters), {}
        else:
            clustering = _clustering(method.distances(), params.clusters, start, rng)
            found = clustering.labels
            extra = {"tied": clustering.tied, "cost": clustering.cost}
        values = {**_scores(labels, found), "components": pieces, **extra}
        rows += [{"metric": m, "value": float(v), "start": start} for m, v in values.items()]
    return rows


def _clustering(
    distances: Floats, n_clusters: int, start: str, rng: np.random.Generator
) -> Clustering:
    finite = with_reachable(distances)
    if start == "park_jun":
        return k_medoids(finite, n_clusters)
    return best_of_random_starts(finite, n_clusters, _RANDOM_STARTS, rng)


def _scores(labels: npt.NDArray[Any], found: npt.NDArray[np.int64]) -> dict[str, float]:
    return {
        "adjusted_rand": scores.adjusted_rand_score(labels, found),
        "adjusted_mutual_information": scores.adjusted_mutual_info_score(labels, found),
        "normalized_mutual_information": scores.normalized_mutual_info_score(labels, found),
        "homogeneity": scores.homogeneity_score(labels, found),
        "completeness": scores.completeness_score(labels, found),
        "v_measure": scores.v_measure_score(labels, found),
        "fowlkes_mallows": scores.fowlkes_mallows_score(labels, found),
    }


def draw(context: report.Context) -> Figure:
    """Draw the curves that the config's figure section describes."""
    return report.draw_curves(context, FigureOptions(**context.options))
