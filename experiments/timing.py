"""Seconds and megabytes of a fit, and of what is asked after it, ours and peers', on one thread."""

import math
import pickle
import warnings
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors

from geoforest_cli.core.machine import Watch, bound, searched
from geoforest_cli.estimators.baselines.isolated import Peer, PeerMethod, Session
from geoforest_cli.estimators.forests.sizes import n_candidates
from geoforest_cli.estimators.forests.unsupervised import UnsupervisedForest
from geoforest_cli.estimators.methods import build
from geoforest_cli.estimators.screening.bins import Binned
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise
from geoforest_cli.problems.metrics.distances import mean_spearman
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.kinds import positive
from geoforest_cli.problems.metrics.ranking import rank_neighbors
from geoforest_cli.problems.simulations import SIMILARITIES, SIMULATIONS
from geoforest_cli.study.experiment import Count, Experiment, Params, Row, Task, Uses

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
_SMALL = 200  # rows of the fit that pays for compilation and imports
_HELIX = 3  # columns
_NOISE_VARIANCE = 70.0
_CLASSES, _LATENT = 10, 4  # directions that the classes' centres lie in
_BINS, _COLUMNS = 8, 64  # of a column, and of a block of the product of indicators
_ROWS = 500  # of one product of leaves
_ENOUGH = 1000  # rows: of fewer a peer's calls would be timed, and not its work


class TimingParams(Params):
    """Parameters of one cell.

    `columns` are those of made-up tables, and of a helix and the noise beside it. Predictions are
    made for `test` new rows. All pairs are compared for up to `compared` rows, two threads tried
    from `threaded` rows on, lists of neighbours judged for `queries` rows at most. Fits are
    repeated until `repeats` are there, or have taken `enough` seconds of the processor.
    """

    data: Annotated[
        Literal[
            "helix", "normal", "factor", "surface", "classes", "circle", "bars", "impulse",
            "regression", "bilinear", "radial",
        ],
        Uses(MANIFOLDS, SIMULATIONS, SIMILARITIES),
    ]  # fmt: skip
    n: Annotated[int, Field(ge=20)]
    stages: tuple[
        Literal["distances", "threads", "bound", "predict", "indicators", "lookup"], ...
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
    lookup
        The neighbours of all rows in a forest. A count is one tree in which a row and another
        share a leaf. Beside it the product, by SciPy, of the sparse matrix of rows and leaves with
        its transpose and the best k of each of its rows (`times_lookup`: how often as long as the
        lookup); forestgeom's same in its own process, where it is set up; and pynndescent:
        `times_pynndescent` is how often as long the forest takes, grown and asked for all lists,
        `lookup_times_pynndescent` the same for a forest that is grown already.
    """

    methods = ("neighbors", "local", "screen", "classifier", "metric")
    yields = (
        "fit_seconds", "megabytes", "proximity_seconds", "precision", "speedup", "bound_seconds",
        "times_bound", "predict_seconds", "error", "spearman", "product_seconds", "times_product",
        "found", "pickle_megabytes", "lookup_seconds", "lookup_nanoseconds", "new_times_old",
        "sparse_seconds", "sparse_seconds_over_product", "product_nanoseconds",
        "times_lookup", "forestgeom_nanoseconds", "recall", "same_class",
        "exact_same_class", "same_class_below_exact", "pynndescent_seconds", "pynndescent_recall",
        "pynndescent_same_class", "times_pynndescent", "lookup_times_pynndescent",
    )  # fmt: skip
    metric_kinds: ClassVar = {"times_lookup": positive}
    measured = True

    def run_cell(self, task: Task[TimingParams]) -> list[Row]:
        """Return one measurement of each kind."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small forest says that its trees are stumps
            _measured(task, min(_SMALL, task.params.n))
            values = _measured(task, task.params.n)
        return [Row(metric, value) for metric, value in values.items()]


class _Table(NamedTuple):
    """What a method is fitted to, new rows, and what is true of the one or the other."""

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
    if data == "classes":
        centres = 3.0 * rng.normal(size=(_CLASSES, _LATENT))
        map_ = rng.normal(size=(_LATENT, columns))
        classes = rng.integers(_CLASSES, size=n + task.params.test)
        latent = centres[classes] + rng.normal(size=(len(classes), _LATENT))
        points = latent @ map_ + rng.normal(size=(len(classes), columns))
        return _Table((points[:n],), points[n:], classes[:n])
    points = rng.normal(size=(n, columns))
    if data == "factor":
        points[:, : columns // 4] += rng.normal(size=(n, 1))
    return _Table((points,))


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
    if len(run.points) < task.params.threaded or not isinstance(run.method, UnsupervisedForest):
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


def _lookup(run: _Run) -> None:
    method, values, k = run.method, run.values, run.task.params.k
    # before the index is made
    values["pickle_megabytes"] = len(pickle.dumps(method)) / 1e6
    with Watch() as lookup:
        _, lists = method.kneighbors(None, k)
    with Watch() as of_new:
        method.kneighbors(run.table.new, k)
    per_row = lookup.seconds / len(run.points)
    counts = sum(float((np.bincount(leaf) ** 2.0).sum()) for leaf in method.forest_.leaf_of)
    values["lookup_seconds"] = lookup.seconds
    values["lookup_nanoseconds"] = 1e9 * lookup.seconds / counts
    values["new_times_old"] = of_new.seconds / len(run.table.new) / (per_row or math.nan)
    _product(run, method.forest_.leaf_of, counts)
    _pynndescent(run, lists)


def _product(run: _Run, leaf_of: npt.NDArray[Any], counts: float) -> None:
    values, k = run.values, run.task.params.k
    n_trees, n = leaf_of.shape
    width = int(leaf_of.max()) + 1
    leaf = (leaf_of + width * np.arange(n_trees)[:, None]).T.ravel()
    sizes = np.bincount(leaf, minlength=width * n_trees)
    matrix = csr_array(
        (np.ones(len(leaf), np.float32), leaf, np.arange(0, len(leaf) + 1, n_trees)),
        shape=(n, width * n_trees),
    )
    queries = min(run.task.params.queries, n)
    with Watch() as once:
        transposed = matrix.T.tocsr()
    with Watch() as watch:
        for start in range(0, queries, _ROWS):
            _best(matrix[start : min(start + _ROWS, queries)] @ transposed, k)
    seconds = watch.seconds + once.seconds * queries / n  # the transpose serves all rows
    values["product_nanoseconds"] = 1e9 * seconds / float(sizes[leaf[: queries * n_trees]].sum())
    values["times_lookup"] = values["product_nanoseconds"] / (
        values["lookup_nanoseconds"] or math.nan
    )
    if n > run.task.params.compared:
        return
    with Watch() as sparse:
        run.method.proximity(sparse=True)
    with Watch() as whole:
        matrix @ matrix.T.tocsr()
    values["sparse_seconds"] = sparse.seconds
    values["sparse_seconds_over_product"] = (sparse.seconds or math.nan) / whole.seconds
    peer = Peer("forestgeom")
    if n >= _ENOUGH and not peer.lacking():
        session = Session(peer)
        session.ask("load_forestgeom")
        answer = session.ask("leaf_proximity", {"k": k}, leaves=leaf_of.T.astype(np.int32))
        values["forestgeom_nanoseconds"] = 1e9 * answer.seconds / counts


def _best(product: csr_array, k: int) -> None:
    for start, stop in zip(product.indptr[:-1], product.indptr[1:], strict=True):
        values = product.data[start:stop]
        if len(values) > k:
            np.argpartition(-values, k)


def _pynndescent(run: _Run, lists: Rows) -> None:
    """Compare lists of neighbours with exact ones and those of pynndescent."""
    from pynndescent import NNDescent

    values, points, classes, k = run.values, run.points, run.table.truth, run.task.params.k
    scaled = (points - points.mean(axis=0)) / points.std(axis=0)
    with Watch() as watch:
        index = NNDescent(scaled, n_neighbors=k + 1, random_state=0, n_jobs=1)
        near: Rows = index.neighbor_graph[0]
    queries = run.task.rng("ties").choice(
        len(points), min(run.task.params.queries, len(points)), replace=False
    )
    exact = NearestNeighbors(n_neighbors=k + 1).fit(scaled).kneighbors(scaled[queries])[1]
    exact, near = _others(exact, queries, k), _others(near[queries], queries, k)
    for name, rows in (("", lists[queries]), ("exact_", exact), ("pynndescent_", near)):
        same = classes[rows] == classes[queries][:, None]
        values[f"{name}same_class"] = float(same.mean())
        if name != "exact_":
            values[f"{name}recall"] = _recall(rows, exact)
    values["same_class_below_exact"] = values["exact_same_class"] - values["same_class"]
    values["pynndescent_seconds"] = watch.seconds
    lookup = values["lookup_seconds"]
    values["times_pynndescent"] = (values["fit_seconds"] + lookup) / watch.seconds
    values["lookup_times_pynndescent"] = (lookup or math.nan) / watch.seconds


def _others(lists: Rows, themselves: Rows, k: int) -> Rows:
    """Leave each row's own number out of its list, or the last where it is not there."""
    kept = lists != themselves[:, None]
    kept[kept.all(axis=1), -1] = False
    others: Rows = lists[kept].reshape(len(lists), -1)
    return others[:, :k]


def _recall(lists: Rows, exact: Rows) -> float:
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(lists, exact, strict=True)]))


_STAGES = {
    "distances": _distances,
    "threads": _threads,
    "bound": _bound,
    "predict": _predict,
    "indicators": _indicators,
    "lookup": _lookup,
}
