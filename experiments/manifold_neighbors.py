"""Geodesic precision and recall of neighbour methods on simulated manifolds.

One cell draws a manifold, appends noise columns, fits one method and compares the k
points it holds nearest with the k nearest along the manifold (Geodesic Forests, section 4).
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from pydantic import AfterValidator, Field, model_validator

from geoforest_cli import report
from geoforest_cli.config.cells import Task
from geoforest_cli.config.schema import Model
from geoforest_cli.errors import DataError
from geoforest_cli.forests.smerf import response_distances
from geoforest_cli.manifolds import MANIFOLDS
from geoforest_cli.manifolds.noise import add_noise, min_max, rotate
from geoforest_cli.manifolds.sample import Components, Sample
from geoforest_cli.methods import METHODS
from geoforest_cli.metrics.geodesic import precision_recall
from geoforest_cli.metrics.ranking import retrieved

VERSION = 1
KIND = ("neighbors", "metric")
INNER = ("k",)
AFTER_DRAW = ("noise_variance", "rotated", "rescale")
YIELDS = ("precision", "recall", "chance")
FigureOptions = report.Curves


class Params(Model):
    """What one cell of this experiment can be told."""

    manifold: Annotated[str, AfterValidator(MANIFOLDS.check)]
    n: Annotated[int, Field(ge=4)] = 1000
    noise_dims: Annotated[int, Field(ge=0)] = 0
    noise_variance: Annotated[float, Field(ge=0)] = 70.0
    rotated: bool = False
    rescale: Literal["none", "min_max"] = "none"
    truth: Literal["default", "component", "euclidean"] = "default"
    k: tuple[Annotated[int, Field(ge=1)], ...] = (50,)

    @model_validator(mode="after")
    def _has_that_truth(self) -> Self:
        if self.truth != "default" and self.manifold != "gaussian_mixture":
            raise ValueError(f"truth {self.truth!r} is for gaussian_mixture, not {self.manifold!r}")
        return self


def draw_sample(params: Params, sample_kind: str, seed: int) -> Sample:
    """Draw the manifold, append its noise columns, turn the whole space, rescale."""
    rng = np.random.default_rng(seed)
    manifold = MANIFOLDS[params.manifold].load()
    sample: Sample = manifold(params.n, sample_kind, rng, truth=params.truth)
    points = add_noise(sample.points, params.noise_dims, params.noise_variance, rng)
    if params.rotated:
        points = rotate(points, rng)
    return sample.with_points(min_max(points) if params.rescale == "min_max" else points)


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Fit one method on one sample; return precision, recall and chance at each k."""
    params: Params = task.params
    sample = draw_sample(params, task.sample_kind, task.sample_seed)
    method = _fitted(task, sample)
    ties = "index" if task.variant == "as_run" else "random"
    rng = np.random.default_rng(task.metric_seed)
    neighbors = retrieved(method, max(params.k), ties, rng)
    scores = precision_recall(sample.truth, neighbors, params.k, task.sample_kind, rng)
    return [
        {"metric": metric, "value": getattr(score, metric), "k": score.k}
        for score in scores
        for metric in ("precision", "recall", "chance")
    ]


@dataclass(frozen=True)
class _OutOfBag:
    """A learned distance, each pair told by the trees that have not seen either point."""

    table: npt.NDArray[np.float64]

    def distances(self) -> npt.NDArray[np.float64]:
        return self.table


def _fitted(task: Task, sample: Sample) -> Any:
    """Fit; a method that learns distances is told the true ones: an upper bound, not a rival."""
    method = task.build_method()
    if METHODS[task.method].extra["kind"] == "neighbors":
        return method.fit(sample.points)
    if isinstance(sample.truth, Components):
        Z = response_distances(sample.truth.labels, "class")
    else:
        Z = sample.truth.distances()
        # between pieces: farther than anything else
        Z = np.where(np.isfinite(Z), Z, 2 * Z[np.isfinite(Z)].max())
    fitted = method.fit(sample.points, Z)
    if not hasattr(fitted, "oob_distances_"):
        raise DataError(f"{task.method} has no out-of-bag distances to be judged by")
    return _OutOfBag(fitted.oob_distances_)


def draw(context: report.Context) -> Figure:
    """Draw the curves that the config's figure section describes."""
    return report.draw_curves(context, FigureOptions(**context.options))
