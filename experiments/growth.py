"""Time and memory by the number of points and of columns."""

import time
import tracemalloc
from typing import Annotated

import numpy as np
from pydantic import Field

from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise
from geoforest_cli.problems.manifolds.sample import Sample
from geoforest_cli.study.experiment import Count, Experiment, ManifoldName, Params, Row, Task


class GrowthParams(Params):
    """Parameters of one cell."""

    manifold: ManifoldName
    n: Annotated[int, Field(ge=200)] = 1000
    noise_dims: Annotated[int, Field(ge=0)] = 17
    noise_variance: Annotated[float, Field(ge=0)] = 70.0
    k: Count = 15


class Growth(Experiment[GrowthParams]):
    """Fit a forest and list the k nearest of every point without the N x N matrix.

    On one thread, after a small forest has paid for compilation. A second fit is watched for
    memory.
    """

    methods = ("neighbors",)
    yields = ("fit_seconds", "neighbors_seconds", "megabytes", "dense_megabytes", "leaves")
    measured = True

    def run_cell(self, task: Task[GrowthParams]) -> list[Row]:
        """Return processor seconds, megabytes beyond the table itself, and leaves per tree.

        The megabytes are the most that Python and NumPy held at once; a tree's own scratch arrays,
        some twenty numbers per point, are not among them. The dense matrix of float64 proximities
        stands beside them for comparison.
        """
        params = task.params
        rng = task.rng("sample")
        sample: Sample = MANIFOLDS[params.manifold].load()(params.n, task.sample_kind, rng)
        points = add_noise(sample.points, params.noise_dims, params.noise_variance, rng)
        task.build_method().fit(points[:200]).kneighbors(n_neighbors=params.k)
        start = time.process_time()
        forest: GeodesicForest = task.build_method().fit(points)
        fitted = time.process_time()
        forest.kneighbors(n_neighbors=params.k)
        searched = time.process_time()
        n_leaves = np.sum(forest.forest_.children[:, 0] < 0) / forest.forest_.n_trees
        del forest
        tracemalloc.start()
        task.build_method().fit(points).kneighbors(n_neighbors=params.k)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return [
            Row("fit_seconds", fitted - start),
            Row("neighbors_seconds", searched - fitted),
            Row("megabytes", most / 1e6),
            Row("dense_megabytes", params.n**2 * 8 / 1e6),
            Row("leaves", float(n_leaves)),
        ]
