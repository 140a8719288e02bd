"""One draw of two ellipses, clustered: every point with its cluster."""

from typing import Annotated

import numpy as np
from pydantic import Field
from sklearn.metrics import adjusted_rand_score

from geoforest_cli.estimators.spherelets.medoids import k_medoids, with_reachable
from geoforest_cli.problems.manifolds import MANIFOLDS, ellipses
from geoforest_cli.study.experiment import Experiment, Params, Row, Scatter, Task


class PictureParams(Params):
    """Parameters of one cell."""

    n: Annotated[int, Field(ge=4)] = 100
    inner_size: Annotated[float, Field(gt=0, lt=1)] = 0.3
    noise: Annotated[float, Field(ge=0)] = 0.0


class ClusterPicture(Experiment[PictureParams]):
    """Cluster one draw of two ellipses into two by one method, from Park and Jun's start.

    Spherelets, Figure 5.
    """

    uses = (MANIFOLDS["ellipses"],)
    methods = ("neighbors", "clusters")
    yields = ("x", "y", "adjusted_rand")
    detail = ("point", "group")
    figure = Scatter

    def run_cell(self, task: Task[PictureParams]) -> list[Row]:
        """Return the score, and each point's place; the first point's cluster is the first."""
        params = task.params
        rng = task.rng("sample")
        sample = ellipses.draw(
            params.n, task.sample_kind, rng, "component", inner=params.inner_size
        )
        points = sample.points + rng.normal(0, params.noise, sample.points.shape)
        method = task.build_method().fit(points)
        if hasattr(method, "clusters"):
            labels = method.clusters(2)
        else:
            labels = k_medoids(with_reachable(method.distances()), 2).labels
        names = np.where(labels == labels[0], "first cluster", "second cluster").tolist()
        return [
            Row("adjusted_rand", float(adjusted_rand_score(sample.latent[:, 0], labels))),
            *(
                Row(axis, float(value), point=i, group=name)
                for axis, values in zip("xy", points.T, strict=True)
                for i, (value, name) in enumerate(zip(values, names, strict=True))
            ),
        ]
