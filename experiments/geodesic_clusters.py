"""k-medoids on geodesic distances, scored against known classes."""

from typing import Annotated, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn import metrics as scores

from geoforest_cli.estimators.spherelets.medoids import (
    Clustering,
    best_of_random_starts,
    k_medoids,
    with_reachable,
)
from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.datasets.drosophila import Labelled
from geoforest_cli.problems.manifolds import MANIFOLDS, ellipses
from geoforest_cli.problems.manifolds.sample import SampleKind
from geoforest_cli.study.experiment import Experiment, Inner, Params, Row, Task, Uses

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64] | npt.NDArray[np.str_]
Start: TypeAlias = Literal["park_jun", "random"]
_RANDOM_STARTS = 30


class ClusterParams(Params):
    """Parameters of one cell.

    `rows` draws that many rows of a data set; by default all are taken.
    """

    data: Annotated[Literal["ellipses", "banknote", "galaxy_zoo"], Uses(MANIFOLDS, DATASETS)]
    n: Annotated[int, Field(ge=4)] = 100
    inner_size: Annotated[float, Field(gt=0, lt=1)] = 0.3
    angles: Literal["even", "uniform"] = "even"
    noise: Annotated[float, Field(ge=0)] = 0.0
    rows: Annotated[int, Field(ge=10)] | None = None
    scaling: Literal["raw", "standardised"] = "raw"
    clusters: Annotated[int, Field(ge=2)] = 2
    start: Inner[Start] = ("park_jun",)


class GeodesicClusters(Experiment[ClusterParams]):
    """Draw two ellipses or take a data set, fit one method, cluster from several starts.

    Spherelets, Figure 5 and Tables 2 and 3.
    """

    methods = ("neighbors", "clusters")
    yields = (
        "adjusted_rand", "adjusted_mutual_information", "normalized_mutual_information",
        "homogeneity", "completeness", "v_measure", "fowlkes_mallows", "components", "tied", "cost",
    )  # fmt: skip

    def run_cell(self, task: Task[ClusterParams]) -> list[Row]:
        """Cluster one sample from every start; return six scores, the cost and what was tied."""
        params = task.params
        points, labels = _points(params, task.rng("sample"))
        method = task.build_method().fit(points)
        pieces = getattr(method, "n_connected_components_", 1)
        rows = []
        for start in params.start:
            values: dict[str, float]
            if hasattr(method, "clusters"):
                values = _scores(labels, method.clusters(params.clusters))
            else:
                rng = task.rng("ties")
                found = _clustering(method.distances(), params.clusters, start, rng)
                values = {
                    **_scores(labels, found.labels), "tied": found.tied, "cost": found.cost,
                }  # fmt: skip
            values["components"] = pieces
            rows += [Row(metric, float(value), start=start) for metric, value in values.items()]
        return rows


def _points(params: ClusterParams, rng: np.random.Generator) -> tuple[Floats, Labels]:
    labels: Labels
    if params.data == "ellipses":
        kind: SampleKind = "as_written" if params.angles == "even" else "as_run"
        sample = ellipses.draw(params.n, kind, rng, "component", inner=params.inner_size)
        points = sample.points + rng.normal(0, params.noise, sample.points.shape)
        labels = sample.latent[:, 0].astype(np.int64)
    else:
        data: Labelled = DATASETS[params.data].load()()
        points, labels = data.points, data.labels
        if params.rows is not None and params.rows < len(points):
            chosen = np.sort(rng.choice(len(points), params.rows, replace=False))
            points, labels = points[chosen], labels[chosen]
    if params.scaling == "standardised":
        points = (points - points.mean(axis=0)) / points.std(axis=0)
    return points, labels


def _clustering(
    distances: Floats, n_clusters: int, start: Start, rng: np.random.Generator
) -> Clustering:
    finite = with_reachable(distances)
    if start == "park_jun":
        return k_medoids(finite, n_clusters)
    return best_of_random_starts(finite, n_clusters, _RANDOM_STARTS, rng)


def _scores(labels: Labels, found: npt.NDArray[np.int64]) -> dict[str, float]:
    return {
        "adjusted_rand": scores.adjusted_rand_score(labels, found),
        "adjusted_mutual_information": scores.adjusted_mutual_info_score(labels, found),
        "normalized_mutual_information": scores.normalized_mutual_info_score(labels, found),
        "homogeneity": scores.homogeneity_score(labels, found),
        "completeness": scores.completeness_score(labels, found),
        "v_measure": scores.v_measure_score(labels, found),
        "fowlkes_mallows": scores.fowlkes_mallows_score(labels, found),
    }
