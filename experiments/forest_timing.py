"""Seconds and megabytes of unsupervised forests, ours and a peer's, and the machine's bound."""

import warnings
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from geoforest_cli.core.machine import Watch, bound, searched
from geoforest_cli.estimators.baselines.isolated import PeerMethod
from geoforest_cli.estimators.forests.sizes import n_candidates
from geoforest_cli.estimators.forests.unsupervised import UnsupervisedForest
from geoforest_cli.estimators.methods import build
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise
from geoforest_cli.problems.manifolds.sample import Sample
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import rank_neighbors
from geoforest_cli.study.experiment import Count, Experiment, Params, Row, Task

_HELIX = 3  # columns


class ForestTimingParams(Params):
    """Parameters of one cell.

    `columns` of a helix beyond its own are noise; pairs are compared for up to `compared` points,
    two threads tried from `threaded` points on. Fits are repeated until `repeats` are there, or
    have taken `enough` seconds of the processor.
    """

    data: Literal["helix", "normal"]
    n: Annotated[int, Field(ge=40)]
    columns: Annotated[int, Field(ge=_HELIX)]
    noise_variance: Annotated[float, Field(ge=0)] = 70.0
    compared: Annotated[int, Field(ge=0)] = 5000
    threaded: Annotated[int, Field(ge=40)] = 20_000
    k: Annotated[int, Field(ge=1)] = 50
    repeats: Count = 5
    enough: Annotated[float, Field(ge=0)] = 3.0


class ForestTiming(Experiment[ForestTimingParams]):
    """Fit a forest, after a small fit that pays for compilation and imports.

    Seconds are those of the processor, on one thread, the median of several fits. A peer times
    itself, in a process of its own. Megabytes are those by which the process grows while it fits.
    The bound is what NumPy's own kernels take for the same rows and candidates (see
    `machine.bound`); it is measured beside forests that draw the candidates of a node once.
    """

    methods = ("neighbors",)
    yields = (
        "fit_seconds", "proximity_seconds", "megabytes", "precision", "bound_seconds",
        "times_bound", "speedup",
    )  # fmt: skip
    uses = (MANIFOLDS["helix"],)
    measured = True

    def run_cell(self, task: Task[ForestTimingParams]) -> list[Row]:
        """Return one measurement of each kind."""
        params = task.params
        rng = task.rng("sample")
        sample: Sample = MANIFOLDS["helix"].load()(params.n, task.sample_kind, rng)
        if params.data == "helix":
            more = params.columns - _HELIX
            points = add_noise(sample.points, more, params.noise_variance, rng)
        else:
            points = rng.normal(size=(params.n, params.columns))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small forest says that its trees are stumps
            method = task.build_method().fit(points[:400])
            method.distances()
            rows, method = _fitted(task, points)
        if params.n <= params.compared:
            with Watch() as watch:
                distances = method.distances()
            seconds = watch.seconds
            if isinstance(method, PeerMethod):
                seconds = method.spent["distances"].seconds
            rows.append(Row("proximity_seconds", seconds))
            if params.data == "helix":
                ties = task.rng("ties")
                k = min(params.k, params.n - 1)
                near = rank_neighbors(distances, k, "random", ties)
                (score,) = precision_recall(sample.truth, near, (k,), task.sample_kind, ties)
                rows.append(Row("precision", score.precision))
        return rows


def _fitted(task: Task[ForestTimingParams], points: Any) -> tuple[list[Row], Any]:
    params, megabytes = task.params, 0.0
    seconds: list[float] = []
    while len(seconds) < params.repeats and sum(seconds) < params.enough:
        method = task.build_method()
        with Watch() as watch:
            method.fit(points)
        spent: Any = method.spent["fit"] if isinstance(method, PeerMethod) else watch
        seconds.append(spent.seconds)
        # later fits find memory that the first has left
        megabytes = max(megabytes, spent.megabytes)
    taken = float(np.median(seconds))
    rows = [Row("fit_seconds", taken), Row("megabytes", megabytes)]
    if isinstance(method, UnsupervisedForest):
        if params.n >= params.threaded:
            rows.append(Row("speedup", _speedup(task, points)))
        if method.max_projections is None:
            least = sum(_bound_of(method, points.shape[1]).values())
            rows += [Row("bound_seconds", least), Row("times_bound", taken / least)]
    return rows, method


def _speedup(task: Task[ForestTimingParams], points: Any) -> float:
    """Return how many times as fast two threads fit as one, each in turn, by the clock."""
    found = []
    for _ in range(task.params.repeats):
        seconds = []
        for n_jobs in (1, 2):
            method = build(task.method, task.method_params, seed=task.seed("method"), n_jobs=n_jobs)
            with Watch() as watch:
                method.fit(points)
            seconds.append(watch.wall)
        found.append(seconds[0] / seconds[1])
    return float(np.median(found))


def _bound_of(method: UnsupervisedForest, columns: int) -> dict[str, float]:
    forest = method.forest_
    rows = searched(forest, method.min_parent if isinstance(method.min_parent, int) else 2)
    nonzeros = np.diff(forest.first)
    return bound(
        rows, n_candidates(method.n_projections, columns), float(nonzeros[nonzeros > 0].mean())
    )
