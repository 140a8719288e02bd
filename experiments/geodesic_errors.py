"""Errors of estimated geodesic distances against the exact ones, and against a dense graph's.

One cell draws points of a manifold, adds noise of each size in turn, fits one method and
compares its matrix of distances with the truth (Spherelets, section 5). A graph that falls into
pieces gives no number: its rows say "disconnected".
"""

import functools
import re
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from pydantic import Field, model_validator
from scipy.sparse.csgraph import dijkstra
from sklearn.neighbors import kneighbors_graph

from geoforest_cli import report
from geoforest_cli.config.cells import Task
from geoforest_cli.config.schema import Model
from geoforest_cli.manifolds import arc, euler_spiral, torus
from geoforest_cli.manifolds.sample import SampleKind

VERSION = 1
KIND = "neighbors"
INNER = ("noise", "truth")
YIELDS = (
    "max_error", "frobenius", "relative_frobenius", "relative_bias", "components", "collapsed",
)  # fmt: skip
FigureOptions = report.Curves

Floats = npt.NDArray[np.float64]
_INTERVAL = re.compile(r"\s*([-0-9.]+)\s+to\s+([-0-9.]+)\s*")


class Params(Model):
    """What one cell of this experiment can be told.

    `noise` is the standard deviation in every coordinate. With the truth "dense", the points are
    `n` of `dense_n` noisy ones drawn at random, and the truth is the shortest path over chords in
    the graph of `dense_k` neighbours of all of them; the exact truth of the same points is the
    noise-free geodesic.
    """

    manifold: Literal["euler_spiral", "torus", "arc"]
    n: Annotated[int, Field(ge=4)] = 500
    interval: str = "0 to 2"
    curvature: Annotated[float, Field(gt=0)] = 1.0
    spacing: Literal["even", "random"] = "even"
    noise: tuple[Annotated[float, Field(ge=0)], ...] = (0.0,)
    truth: tuple[Literal["exact", "dense"], ...] = ("exact",)
    dense_n: Annotated[int, Field(ge=10)] = 5000
    dense_k: Annotated[int, Field(ge=1)] = 20

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        low, high = self.ends()
        if not low < high:
            raise ValueError(f"the interval {self.interval!r} has no length")
        if self.manifold == "arc" and self.curvature * (high - low) >= 2 * np.pi:
            raise ValueError(f"an arc of curvature {self.curvature:g} closes on {self.interval!r}")
        if "dense" in self.truth and self.n > self.dense_n:
            raise ValueError(f"n = {self.n} points of dense_n = {self.dense_n}")
        return self

    def ends(self) -> tuple[float, float]:
        """Return the ends of the interval."""
        match = _INTERVAL.fullmatch(self.interval)
        if match is None:
            raise ValueError(f"an interval is written '0 to 2', not {self.interval!r}")
        return float(match[1]), float(match[2])


@dataclass(frozen=True)
class _Drawn:
    """Clean points and their truths; dense ones around them if wanted."""

    clean: Floats
    exact: Floats
    chosen: npt.NDArray[np.int64] | None


@functools.lru_cache(maxsize=2)
def _drawn(params: Params, seed: int) -> _Drawn:
    """Draw points once for all the cells that share them."""
    rng = np.random.default_rng(seed)
    dense = "dense" in params.truth
    size = params.dense_n if dense else params.n
    kind: SampleKind = "as_written" if params.spacing == "even" and not dense else "as_run"
    low, high = params.ends()
    if params.manifold == "torus":
        sample = torus.draw(size, kind, rng)
    elif params.manifold == "arc":
        sample = arc.draw(size, kind, rng, curvature=params.curvature, length=high - low)
    else:
        sample = euler_spiral.draw(size, kind, rng, interval=(low, high))
    chosen = np.sort(rng.choice(size, params.n, replace=False)) if dense else None
    truth: Any = sample.truth
    if chosen is not None and params.manifold == "torus":
        truth = replace(truth, u=truth.u[chosen], v=truth.v[chosen])
    elif chosen is not None:
        truth = type(truth)(truth.arc[chosen])
    return _Drawn(sample.points, truth.distances(), chosen)


@functools.lru_cache(maxsize=8)
def _noisy(params: Params, seed: int, noise: float) -> tuple[Floats, dict[str, Floats]]:
    """Return the noisy points and the truths they are judged by."""
    drawn = _drawn(params, seed)
    rng = np.random.default_rng([seed, round(noise * 1e9)])
    points = drawn.clean + rng.normal(0.0, noise, drawn.clean.shape) if noise else drawn.clean
    truths = {"exact": drawn.exact}
    if drawn.chosen is not None:
        graph = kneighbors_graph(points, params.dense_k, mode="distance")
        paths = dijkstra(graph, directed=False, indices=drawn.chosen)
        truths["dense"] = paths[:, drawn.chosen]
        points = points[drawn.chosen]
    return points, truths


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Fit one method at every noise level; return its errors against each truth."""
    params: Params = task.params
    rows = []
    for noise in params.noise:
        points, truths = _noisy(params, task.sample_seed, noise)
        method = task.build_method().fit(points)
        distances = method.distances()
        pieces = getattr(method, "n_connected_components_", 1)
        collapsed = getattr(method, "collapsed_", np.zeros(1)).mean()
        for truth in params.truth:
            at = {"noise": noise, "truth": truth}
            whole = pieces == 1 and bool(np.isfinite(truths[truth]).all())
            for metric, value in _errors(distances, truths[truth], whole=whole).items():
                row = {**at, "metric": metric, "value": value}
                rows.append(row if whole else row | {"status": "disconnected"})
            rows.append({**at, "metric": "components", "value": pieces})
            rows.append({**at, "metric": "collapsed", "value": float(collapsed)})
    return rows


def _errors(distances: Floats, truth: Floats, *, whole: bool) -> dict[str, float]:
    if not whole:
        return dict.fromkeys(YIELDS[:4], float("nan"))
    gap = distances - truth
    size = float(np.linalg.norm(gap))
    return {
        "max_error": float(np.abs(gap).max()),
        "frobenius": size,
        "relative_frobenius": size / float(np.linalg.norm(truth)),
        "relative_bias": float(gap.sum() / truth.sum()),
    }


def draw(context: report.Context) -> Figure:
    """Draw the curves that the config's figure section describes."""
    return report.draw_curves(context, FigureOptions(**context.options))
