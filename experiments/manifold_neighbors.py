"""Geodesic precision and recall of neighbour methods on simulated manifolds."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from geoforest_cli.errors import DataError
from geoforest_cli.experiment import (
    AfterDraw,
    Count,
    Experiment,
    Inner,
    ManifoldName,
    Params,
    Row,
    Task,
)
from geoforest_cli.forests.smerf import response_distances
from geoforest_cli.manifolds import MANIFOLDS
from geoforest_cli.manifolds.noise import NoiseKind, add_noise, min_max, rotate
from geoforest_cli.manifolds.sample import Components, Sample, SampleKind, Truth
from geoforest_cli.metrics.geodesic import precision_recall
from geoforest_cli.metrics.ranking import Ties, retrieved

Floats = npt.NDArray[np.float64]


class NeighborParams(Params):
    """What one cell can be told."""

    manifold: ManifoldName
    n: Annotated[int, Field(ge=4)] = 1000
    noise_dims: Annotated[int, Field(ge=0)] = 0
    noise_variance: AfterDraw[Annotated[float, Field(ge=0)]] = 70.0
    noise_kind: AfterDraw[NoiseKind] = "normal"
    rotated: AfterDraw[bool] = False
    rescale: AfterDraw[Literal["none", "min_max"]] = "none"
    truth: Truth = "default"
    k: Inner[Count] = (50,)

    @model_validator(mode="after")
    def _has_that_truth(self) -> Self:
        if self.truth != "default" and self.manifold != "gaussian_mixture":
            raise ValueError(f"truth {self.truth!r} is for gaussian_mixture, not {self.manifold!r}")
        return self


class ManifoldNeighbors(Experiment[NeighborParams]):
    """Draw a manifold, append noise columns, fit one method, compare lists of neighbours.

    The k points that it holds nearest with the k nearest along the manifold (Geodesic Forests,
    section 4).
    """

    methods = ("neighbors", "metric")
    yields = ("precision", "recall", "chance")

    def run_cell(self, task: Task[NeighborParams]) -> list[Row]:
        """Fit one method on one sample; return precision, recall and chance at each k."""
        sample = draw_sample(task.params, task.sample_kind, task.sample_seed)
        if not isinstance(sample.truth, Components):
            sample = replace(sample, truth=_Known(sample.truth.distances()))
        method = _fitted(task, sample)
        ties: Ties = "index" if task.variant == "as_run" else "random"
        rows = []
        for k in task.params.k:
            rng = np.random.default_rng([task.metric_seed, k])
            neighbors = retrieved(method, k, ties, rng)
            (score,) = precision_recall(sample.truth, neighbors, (k,), task.sample_kind, rng)
            rows += [
                Row("precision", score.precision, k=k),
                Row("recall", score.recall, k=k),
                Row("chance", score.chance, k=k),
            ]
        return rows


def draw_sample(params: NeighborParams, sample_kind: SampleKind, seed: int) -> Sample:
    """Draw the manifold, append its noise columns, turn the whole space, rescale."""
    rng = np.random.default_rng(seed)
    manifold = MANIFOLDS[params.manifold].load()
    sample: Sample = manifold(params.n, sample_kind, rng, truth=params.truth)
    points = add_noise(
        sample.points, params.noise_dims, params.noise_variance, rng, params.noise_kind
    )
    if params.rotated:
        points = rotate(points, rng)
    return sample.with_points(min_max(points) if params.rescale == "min_max" else points)


@dataclass(frozen=True)
class _Known:
    """Distances that are computed once for all k."""

    table: Floats
    kind: ClassVar[str] = "continuous"

    def distances(self) -> Floats:
        return self.table


def _fitted(task: Task[NeighborParams], sample: Sample) -> Any:
    """Fit; a method that learns distances is told the true ones: an upper bound, not a rival."""
    method = task.build_method()
    if task.kind != "metric":
        method = method.fit(sample.points)
        return _Known(method.distances()) if hasattr(method, "distances") else method
    if isinstance(sample.truth, Components):
        Z = response_distances(sample.truth.labels, "class")
    else:
        Z = sample.truth.distances()
        # between pieces: farther than anything else
        Z = np.where(np.isfinite(Z), Z, 2 * Z[np.isfinite(Z)].max())
    fitted = method.fit(sample.points, Z)
    if not hasattr(fitted, "oob_distances_"):
        raise DataError(f"{task.method} has no out-of-bag distances to be judged by")
    # each pair told by the trees that have not seen either point
    return _Known(fitted.oob_distances_)
