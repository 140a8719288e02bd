"""Errors of estimated geodesic distances against the exact ones, and against a dense graph's."""

import functools
import math
import re
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator
from scipy.sparse.csgraph import dijkstra
from sklearn.neighbors import kneighbors_graph

from geoforest_cli.problems.manifolds import MANIFOLDS, arc, euler_spiral, torus
from geoforest_cli.problems.manifolds.sample import Curve, Geodesic, Sample, SampleKind
from geoforest_cli.study.experiment import Count, Experiment, Inner, Params, Row, Task, Uses

Floats = npt.NDArray[np.float64]
_INTERVAL = re.compile(r"\s*([-0-9.]+)\s+to\s+([-0-9.]+)\s*")
_ERRORS = ("max_error", "frobenius", "relative_frobenius", "relative_bias")


class ErrorParams(Params):
    """Parameters of one cell.

    `noise` is the standard deviation in every coordinate. With `dense_n`, the points are `n` of so
    many noisy ones drawn at random. The truth "dense" is the shortest path over chords in the
    graph of `dense_k` neighbours of all of these; the exact truth is the noise-free geodesic.
    A piece of a curve is an `interval` of its arc length, or so much `length` around a `middle`,
    which is the mean curvature of a piece of the Euler spiral.
    """

    manifold: Annotated[Literal["euler_spiral", "torus", "arc"], Uses(MANIFOLDS)]
    n: Annotated[int, Field(ge=4)] = 500
    interval: str = "0 to 2"
    middle: float | None = None
    length: Annotated[float, Field(gt=0)] = 1.0
    curvature: Annotated[float, Field(gt=0)] = 1.0
    spacing: Literal["even", "random"] = "even"
    noise: Inner[Annotated[float, Field(ge=0)]] = (0.0,)
    truth: Inner[Literal["exact", "dense"]] = ("exact",)
    dense_n: Annotated[int, Field(ge=10)] | None = None
    dense_k: Count = 20

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        low, high = self.ends()
        if not low < high:
            raise ValueError(f"the interval {self.interval!r} has no length")
        if self.manifold == "arc" and self.curvature * (high - low) >= 2 * np.pi:
            raise ValueError(f"an arc of curvature {self.curvature:g} closes on {self.interval!r}")
        if self.dense_n is None and "dense" in self.truth:
            raise ValueError("the truth 'dense' needs dense_n, the size of the dense sample")
        if self.dense_n is not None and self.n > self.dense_n:
            raise ValueError(f"n = {self.n} points of dense_n = {self.dense_n}")
        return self

    def ends(self) -> tuple[float, float]:
        """Return the ends of the piece."""
        if self.middle is not None:
            return self.middle - self.length / 2, self.middle + self.length / 2
        match = _INTERVAL.fullmatch(self.interval)
        if match is None:
            raise ValueError(f"an interval is written '0 to 2', not {self.interval!r}")
        return float(match[1]), float(match[2])

    def outer(self) -> Self:
        """Return the same with one noise and one truth: what the drawn points depend on."""
        return self.model_copy(update={"noise": (0.0,), "truth": ("exact",)})


class GeodesicErrors(Experiment[ErrorParams]):
    """Draw points, add noise of each size in turn, fit, compare distances with the truth.

    A graph that falls into pieces gives no number: its rows say "disconnected" (Spherelets,
    section 5).
    """

    methods = ("neighbors",)
    yields = (*_ERRORS, "components", "collapsed")

    def run_cell(self, task: Task[ErrorParams]) -> list[Row]:
        """Fit one method at every noise level; return its errors against each truth."""
        outer, seed = task.params.outer(), task.seed("sample")
        drawn = _drawn(outer, seed)
        rows = []
        for noise in task.params.noise:
            method = task.build_method().fit(drawn.among(_noisy(outer, seed, noise)))
            distances = method.distances()
            pieces = getattr(method, "n_connected_components_", 1)
            collapsed = getattr(method, "collapsed_", np.zeros(1)).mean()
            for kind in task.params.truth:
                truth = drawn.exact if kind == "exact" else _dense(outer, seed, noise)
                whole = pieces == 1 and bool(np.isfinite(truth).all())
                status = "ok" if whole else "disconnected"
                errors = _errors(distances, truth, whole=whole)
                rows += [
                    *(Row(m, v, status, noise=noise, truth=kind) for m, v in errors.items()),
                    Row("components", pieces, noise=noise, truth=kind),
                    Row("collapsed", float(collapsed), noise=noise, truth=kind),
                ]
        return rows


@dataclass(frozen=True)
class _Drawn:
    """All clean points, those that a method sees among them, and the truth of the latter."""

    clean: Floats
    chosen: npt.NDArray[np.int64] | None
    truth: Geodesic

    @functools.cached_property
    def exact(self) -> Floats:
        return self.truth.distances()

    def among(self, points: Floats) -> Floats:
        """Return those of all points that a method sees."""
        return points if self.chosen is None else points[self.chosen]


# what follows is drawn once for all the cells that share it
@functools.lru_cache(maxsize=2)
def _drawn(params: ErrorParams, seed: int) -> _Drawn:
    rng = np.random.default_rng(seed)
    size, low, high = params.dense_n or params.n, *params.ends()
    even = params.spacing == "even" and params.dense_n is None
    kind: SampleKind = "as_written" if even else "as_run"
    if params.manifold == "torus":
        sample = torus.draw(size, kind, rng)
    elif params.manifold == "arc":
        sample = arc.draw(size, kind, rng, curvature=params.curvature, length=high - low)
    else:
        sample = euler_spiral.draw(size, kind, rng, interval=(low, high))
    chosen = None if params.dense_n is None else np.sort(rng.choice(size, params.n, replace=False))
    return _Drawn(sample.points, chosen, _truth(sample, chosen))


def _truth(sample: Sample, chosen: npt.NDArray[np.int64] | None) -> Geodesic:
    truth = sample.truth
    assert isinstance(truth, Curve | torus.TorusGeodesic)
    if chosen is None:
        return truth
    if isinstance(truth, Curve):
        return replace(truth, arc=truth.arc[chosen])
    return replace(truth, u=truth.u[chosen], v=truth.v[chosen])


@functools.lru_cache(maxsize=8)
def _noisy(params: ErrorParams, seed: int, noise: float) -> Floats:
    clean = _drawn(params, seed).clean
    rng = np.random.default_rng([seed, round(noise * 1e9)])
    return clean + rng.normal(0.0, noise, clean.shape) if noise else clean


@functools.lru_cache(maxsize=8)
def _dense(params: ErrorParams, seed: int, noise: float) -> Floats:
    chosen = _drawn(params, seed).chosen
    assert chosen is not None
    graph = kneighbors_graph(_noisy(params, seed, noise), params.dense_k, mode="distance")
    paths: Floats = dijkstra(graph, directed=False, indices=chosen)
    return paths[:, chosen]


def _errors(distances: Floats, truth: Floats, *, whole: bool) -> dict[str, float]:
    if not whole:
        return dict.fromkeys(_ERRORS, float("nan"))
    gap = distances - truth
    size = _length(gap)
    return {
        "max_error": float(np.abs(gap).max()),
        "frobenius": size,
        "relative_frobenius": size / _length(truth),
        "relative_bias": float(gap.sum() / truth.sum()),
    }


def _length(matrix: Floats) -> float:
    # not as numpy.linalg.norm has it: BLAS adds in an order that depends on the processor
    return math.sqrt(np.square(matrix).sum())
