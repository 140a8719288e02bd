"""Geodesic precision and recall of neighbour methods on simulated manifolds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests.smerf import response_distances
from geoforest_cli.estimators.methods import build
from geoforest_cli.estimators.screening.neighbors import ScreenedNeighbors
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import NoiseKind, add_noise, min_max, rotate
from geoforest_cli.problems.manifolds.sample import Components, Sample, SampleKind, Truth
from geoforest_cli.problems.metrics.geodesic import Score, precision_recall
from geoforest_cli.problems.metrics.ranking import Ties, retrieved
from geoforest_cli.problems.metrics.screening import selection_scores
from geoforest_cli.study.experiment import (
    AfterDraw,
    Count,
    Curves,
    Experiment,
    Inner,
    ManifoldName,
    Params,
    Row,
    Task,
    drawing,
)

if TYPE_CHECKING:  # not used; the digest of this code is a part of what a cell is
    from matplotlib.figure import Figure  # noqa: F401

    from geoforest_cli.study.experiment import Context  # noqa: F401

Floats = npt.NDArray[np.float64]


class NeighborParams(Params):
    """Parameters of one cell."""

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


@drawing
class Pictures(Curves):
    """As `Curves`; its name is in the digest of this code."""


class ManifoldNeighbors(Experiment[NeighborParams]):
    """Draw a manifold, append noise columns, fit one method, compare lists of neighbours.

    The k points that it holds nearest with the k nearest along the manifold (Geodesic Forests,
    section 4). A screened method also tells what its screen kept, and how much precision is
    `lost` against the same method, without a screen, on the same points without noise columns.
    """

    methods = ("neighbors", "metric")
    yields = (
        "precision", "recall", "chance", "lost", "kept_share", "power", "false_share", "found_all",
    )  # fmt: skip
    figure = Pictures

    def run_cell(self, task: Task[NeighborParams]) -> list[Row]:
        """Fit one method on one sample; return precision, recall and chance at each k."""
        params = task.params
        sample = draw_sample(params, task.sample_kind, task.seed("sample"))
        signal = sample.points.shape[1] - params.noise_dims
        if not isinstance(sample.truth, Components):
            sample = replace(sample, truth=_Known(sample.truth.distances()))
        method = _fitted(task, sample)
        known = _known(method)
        rows = []
        for k in params.k:
            score = _score(task, sample, known, k)
            rows += [
                Row("precision", score.precision, k=k),
                Row("recall", score.recall, k=k),
                Row("chance", score.chance, k=k),
            ]
        if isinstance(method, ScreenedNeighbors):
            carries = (np.arange(sample.points.shape[1]) < signal) | params.rotated
            told = selection_scores(method.screen_.get_support(), carries)
            names = "kept_share", "power", "false_share", "found_all"
            rows += [Row(name, getattr(told, name), k=k) for name in names for k in params.k]
            clean = _clean(task)
            for row in [row for row in rows if row.metric == "precision"]:
                at = row.at["k"]
                rows.append(
                    Row("lost", _score(task, sample, clean, at).precision - row.value, k=at)
                )
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


def _score(task: Task[NeighborParams], sample: Sample, method: Any, k: Any) -> Score:
    ties: Ties = "index" if task.variant == "as_run" else "random"
    rng = np.random.default_rng([task.seed("ties"), k])
    neighbors = retrieved(method, k, ties, rng)
    (score,) = precision_recall(sample.truth, neighbors, (k,), task.sample_kind, rng)
    return score


def _clean(task: Task[NeighborParams]) -> Any:
    """Fit the method behind a screen on the same points without noise columns."""
    params = task.params.model_copy(update={"noise_dims": 0})
    sample = draw_sample(params, task.sample_kind, task.seed("sample"))
    given = task.method_params
    method = build(given["method"], given["params"] or {}, seed=task.seed("method"), n_jobs=1)
    return _known(method.fit(sample.points))


def _known(method: Any) -> Any:
    return _Known(method.distances()) if hasattr(method, "distances") else method


def _fitted(task: Task[NeighborParams], sample: Sample) -> Any:
    """Fit; a method that learns distances is told the true ones: an upper bound, not a baseline."""
    method = task.build_method()
    if task.kind != "metric":
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
    # each pair told by the trees that have not seen either point
    return _Known(fitted.oob_distances_)
