"""Seconds and megabytes of a fit, and of what is asked after it, ours and peers', on one thread."""

import warnings
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.neighbors import NearestNeighbors

from geoforest_cli.core.machine import Watch, bound, searched
from geoforest_cli.estimators.baselines.isolated import PeerMethod
from geoforest_cli.estimators.forests.sizes import n_candidates
from geoforest_cli.estimators.forests.unsupervised import UnsupervisedForest
from geoforest_cli.estimators.methods import build
from geoforest_cli.estimators.screening.bins import Binned
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise
from geoforest_cli.problems.metrics.distances import mean_spearman
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import rank_neighbors
from geoforest_cli.problems.simulations import SIMILARITIES, SIMULATIONS
from geoforest_cli.study.experiment import Count, Experiment, Params, Row, Task, Uses

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
_SMALL = 200  # rows of the fit that pays for compilation and imports
_HELIX = 3  # columns
_NOISE_VARIANCE = 70.0
_CLASSES = 10
_SPREADS = {"blobs": 4.0, "overlapping": 0.6, "noisy": 1.3}  # of the centres of classes
_BINS, _COLUMNS = 8, 64  # of a column, and of a block of the product of indicators


class TimingParams(Params):
    """Parameters of one cell.

    `columns` are those of made-up tables, and of a helix and the noise beside it. Predictions are
    made for `test` new rows. All pairs are compared for up to `compared` rows, two threads tried
    from `threaded` rows on, lists of neighbours judged for `queries` rows at most. Fits are
    repeated until `repeats` are there, or have taken `enough` seconds of the processor.
    """

    data: Annotated[
        Literal[
            "helix", "normal", "factor", "surface", "blobs", "overlapping", "noisy", "roll",
            "circle", "bars", "impulse", "regression", "bilinear", "radial",
        ],
        Uses(MANIFOLDS, SIMULATIONS, SIMILARITIES),
    ]  # fmt: skip
    n: Annotated[int, Field(ge=20)]
    stages: tuple[
        Literal["distances", "threads", "bound", "predict", "indicators", "lists"], ...
    ] = ()
    columns: Annotated[int, Field(ge=_HELIX)] = _HELIX
    test: Annotated[int, Field(ge=10)] = 10_000
    compared: Annotated[int, Field(ge=0)] = 5000
    threaded: Annotated[int, Field(ge=40)] = 20_000
    queries: Annotated[int, Field(ge=20)] = 5000
    k: Count = 50
    repeats: Count = 3
    enough: Annotated[float, Field(gt=0)] = 3600.0


class Timing(Experiment[TimingParams]):
    """Fit a method, after a small fit that is not counted, and time the stages after it.

    Seconds are those of the processor, on one thread, the median of several fits; a screened
    method's fit includes its screen. A peer times itself, in a process of its own. Megabytes are
    those by which the process grows while it fits. Stages:

    distances
        All pairs are compared; on a helix, the precision of the nearest along it.
    threads
        How many times as fast two threads fit as one, by the clock.
    bound
        What NumPy's own kernels take for the same rows and candidates (see `machine.bound`),
        beside forests that draw the candidates of a node once.
    predict
        Classes, or distances, of new rows; the error, or Spearman's rho.
    indicators
        Beside a screen, the product of a matrix of indicators with its own transpose: the tables
        of all pairs of columns, in single precision, block by block, each pair once.
    lists
        The neighbours of all rows, and of `test` new ones: seconds of both, `all_seconds` with the
        fit; the share of neighbours of the row's class, and of the nearest by exact Euclidean
        distance of standardised columns that are listed (recall).
    """

    methods = ("neighbors", "local", "screen", "classifier", "metric")
    yields = (
        "fit_seconds", "megabytes", "proximity_seconds", "precision", "speedup", "bound_seconds",
        "times_bound", "predict_seconds", "error", "spearman", "product_seconds", "times_product",
        "found", "list_seconds", "all_seconds", "new_microseconds", "recall", "same_class",
        "same_class_below_exact",
    )  # fmt: skip
    measured = True

    def run_cell(self, task: Task[TimingParams]) -> list[Row]:
        """Return one measurement of each kind."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small forest says that its trees are stumps
            _measured(task, min(_SMALL, task.params.n))
            values = _measured(task, task.params.n)
        return [Row(metric, value) for metric, value in values.items()]


class _Table(NamedTuple):
    """Points that a method is fitted to, new rows, and what is true of the one or the other."""

    given: tuple[Any, ...]
    new: Any = None
    truth: Any = None


@dataclass
class _Run:
    """A method that is measured, and the values so far."""

    task: Task[TimingParams]
    table: _Table
    method: Any = None
    values: dict[str, float] = field(default_factory=dict)

    @property
    def points(self) -> Floats:
        points: Floats = self.table.given[0]
        return points


def _measured(task: Task[TimingParams], n: int) -> dict[str, float]:
    run = _Run(task, _drawn(task, n))
    _fit(run)
    for stage in task.params.stages:
        _STAGES[stage](run)
    return run.values


def _drawn(task: Task[TimingParams], n: int) -> _Table:
    data, columns, rng = task.params.data, task.params.columns, task.rng("sample")
    if data in SIMULATIONS or data in SIMILARITIES:
        simulate = (SIMULATIONS if data in SIMULATIONS else SIMILARITIES)[data].load()
        new, truth = simulate(task.params.test, task.rng("sample", "test"))
        return _Table(simulate(n, task.rng("sample", "train")), new, truth)
    if data == "helix":
        sample = MANIFOLDS["helix"].load()(n, task.sample_kind, rng)
        points = add_noise(sample.points, columns - _HELIX, _NOISE_VARIANCE, rng)
        return _Table((points,), truth=sample.truth)
    if data == "surface":
        s, t = rng.uniform(size=(2, n))
        surface = [np.cos(3 * s), np.sin(3 * s), np.cos(2 * t), np.sin(2 * t), s, t]
        return _Table((np.column_stack(surface) @ rng.normal(size=(6, columns)),))
    if data in _SPREADS or data == "roll":
        points, classes = _of_classes(data, n + task.params.test, columns, rng)
        return _Table((points[:n],), points[n:], classes[:n])
    points = rng.normal(size=(n, columns))
    if data == "factor":
        points[:, : columns // 4] += rng.normal(size=(n, 1))
    return _Table((points,))


def _of_classes(data: str, n: int, columns: int, rng: np.random.Generator) -> tuple[Floats, Rows]:
    """Draw ten normal classes, or a Swiss roll turned into all columns and cut across."""
    points = rng.normal(size=(n, columns))
    if data == "roll":
        angle, height = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n)), 21 * rng.uniform(size=n)
        roll = np.column_stack([angle * np.cos(angle), height, angle * np.sin(angle)])
        return roll @ rng.normal(size=(3, columns)) + 2 * points, (2 * angle).astype(np.int64)
    informative = columns // 5 if data == "noisy" else columns
    classes = rng.integers(_CLASSES, size=n)
    centres = _SPREADS[data] * rng.normal(size=(_CLASSES, informative))
    points[:, :informative] += centres[classes]
    return points, classes


def _spent(method: Any, what: str, watch: Watch) -> Any:
    return method.spent[what] if isinstance(method, PeerMethod) else watch


def _fit(run: _Run) -> None:
    params = run.task.params
    fits: list[Any] = []
    while len(fits) < params.repeats and sum(fit.seconds for fit in fits) < params.enough:
        run.method = run.task.build_method()
        with Watch() as watch:
            run.method.fit(*run.table.given)
        fits.append(_spent(run.method, "fit", watch))
    run.values["fit_seconds"] = float(np.median([fit.seconds for fit in fits]))
    # later fits find memory that the first has left
    run.values["megabytes"] = max(fit.megabytes for fit in fits)


def _distances(run: _Run) -> None:
    if len(run.points) > run.task.params.compared:
        return
    with Watch() as watch:
        distances = run.method.distances()
    run.values["proximity_seconds"] = _spent(run.method, "distances", watch).seconds
    if run.task.params.data == "helix":
        ties = run.task.rng("ties")
        k = min(run.task.params.k, len(distances) - 1)
        near = rank_neighbors(distances, k, "random", ties)
        (score,) = precision_recall(run.table.truth, near, (k,), run.task.sample_kind, ties)
        run.values["precision"] = score.precision


def _threads(run: _Run) -> None:
    task = run.task
    threaded = hasattr(run.method, "n_jobs") and not isinstance(run.method, PeerMethod)
    if len(run.points) < task.params.threaded or not threaded:
        return
    ratios = []
    for _ in range(task.params.repeats):
        seconds = []
        for n_jobs in (1, 2):
            method = build(task.method, task.method_params, seed=task.seed("method"), n_jobs=n_jobs)
            with Watch() as watch:
                method.fit(run.points)
            seconds.append(watch.wall)
        ratios.append(seconds[0] / seconds[1])
    run.values["speedup"] = float(np.median(ratios))


def _bound(run: _Run) -> None:
    method = run.method
    if not isinstance(method, UnsupervisedForest) or method.max_projections is not None:
        return
    forest = method.forest_
    rows = searched(forest, method.min_parent if isinstance(method.min_parent, int) else 2)
    nonzeros = np.diff(forest.first)
    candidates = n_candidates(method.n_projections, run.points.shape[1])
    least = sum(bound(rows, candidates, float(nonzeros[nonzeros > 0].mean())).values())
    run.values["bound_seconds"] = least
    run.values["times_bound"] = run.values["fit_seconds"] / least


def _predict(run: _Run) -> None:
    learned = run.task.kind == "metric"
    predict = run.method.pairwise_distances if learned else run.method.predict
    seconds = []
    for _ in range(run.task.params.repeats):
        with Watch() as watch:
            predicted = predict(run.table.new)
        seconds.append(_spent(run.method, "predict", watch).seconds)
    run.values["predict_seconds"] = float(np.median(seconds))
    if learned:
        run.values["spearman"] = mean_spearman(run.table.truth, predicted)
    else:
        run.values["error"] = float(np.mean(predicted != run.table.truth))


def _indicators(run: _Run) -> None:
    with Watch() as product:
        codes = Binned.of(run.points, _BINS).codes
        indicators = (codes[:, None, :] == np.arange(_BINS)[:, None]).astype(np.float32)
        flat = indicators.reshape(-1, len(run.points))
        step = _COLUMNS * _BINS
        for first in range(0, len(flat), step):
            flat[first : first + step] @ flat[first:].T
    run.values["product_seconds"] = product.seconds
    run.values["times_product"] = run.values["fit_seconds"] / product.seconds
    related = run.points.shape[1] // 4
    run.values["found"] = float(run.method.get_support()[:related].mean())


def _lists(run: _Run) -> None:
    method, values, points, k = run.method, run.values, run.points, run.task.params.k
    with Watch() as of_all:
        lists = method.kneighbors(None, k, return_distance=False)
    with Watch() as of_new:
        method.kneighbors(run.table.new, k)
    values["list_seconds"] = of_all.seconds
    values["all_seconds"] = values["fit_seconds"] + of_all.seconds
    values["new_microseconds"] = 1e6 * of_new.seconds / len(run.table.new)
    judged = min(run.task.params.queries, len(points))
    queries = run.task.rng("ties").choice(len(points), judged, replace=False)
    scaled = (points - points.mean(axis=0)) / points.std(axis=0)
    exact = NearestNeighbors(n_neighbors=k + 1).fit(scaled).kneighbors(scaled[queries])[1][:, 1:]
    classes, asked = run.table.truth, run.table.truth[queries][:, None]
    values["recall"] = _recall(lists[queries], exact)
    values["same_class"] = float((classes[lists[queries]] == asked).mean())
    values["same_class_below_exact"] = (
        float((classes[exact] == asked).mean()) - values["same_class"]
    )


def _recall(lists: Rows, exact: Rows) -> float:
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(lists, exact, strict=True)]))


_STAGES = {
    "distances": _distances,
    "threads": _threads,
    "bound": _bound,
    "predict": _predict,
    "indicators": _indicators,
    "lists": _lists,
}
