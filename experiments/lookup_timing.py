"""Seconds to find all neighbours in a fitted forest, beside other ways to such lists."""

import copy
import pickle
import warnings
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors

from geoforest_cli.core.machine import Watch
from geoforest_cli.estimators.baselines.isolated import Peer, Session
from geoforest_cli.study.experiment import Count, Experiment, Params, Row, Task

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
_LATENT = 4  # directions that the classes' centres lie in
_ROWS = 500  # of one product
_ENOUGH = 1000  # rows: of fewer a peer's calls would be timed, and not its work


class LookupTimingParams(Params):
    """Parameters of one cell.

    Lists are compared with exact ones, and the product of leaves is taken, for `queries` rows at
    most; the whole sparse matrix is made for tables of up to `whole` rows.
    """

    n: Annotated[int, Field(ge=100)]
    columns: Annotated[int, Field(ge=2)]
    classes: Annotated[int, Field(ge=2)] = 10
    k: Annotated[int, Field(ge=1)] = 15
    queries: Annotated[int, Field(ge=20)] = 5000
    whole: Annotated[int, Field(ge=100)] = 20_000
    new: Count = 5000


class LookupTiming(Experiment[LookupTimingParams]):
    """Fit a forest on classes in a few directions and noise, then find the neighbours of all rows.

    A count is one tree in which a row and another share a leaf. The product is SciPy's, of the
    sparse matrix of rows and leaves with its transpose, and the best k of each of its rows;
    forestgeom's is the same in its own process, where it is set up. Seconds are those of the
    processor, on one thread. `times_pynndescent` is how often as long the forest takes, grown and
    asked for all lists, as pynndescent; `lookup_times_pynndescent` the same for a forest that is
    grown already.
    """

    methods = ("neighbors",)
    yields = (
        "fit_seconds", "lookup_seconds", "lookup_nanoseconds", "two_threads_speedup",
        "new_times_old", "pickle_megabytes", "sparse_seconds", "sparse_seconds_over_product",
        "product_nanoseconds", "times_product", "forestgeom_nanoseconds", "recall", "same_class",
        "exact_same_class", "same_class_below_exact", "pynndescent_seconds", "pynndescent_recall",
        "pynndescent_same_class", "times_pynndescent", "lookup_times_pynndescent",
    )  # fmt: skip
    measured = True

    def run_cell(self, task: Task[LookupTimingParams]) -> list[Row]:
        """Return one measurement of each kind."""
        params, rng = task.params, task.rng("sample")
        centres = 3.0 * rng.normal(size=(params.classes, _LATENT))
        map_ = rng.normal(size=(_LATENT, params.columns))
        classes = rng.integers(params.classes, size=params.n + params.new)
        latent = centres[classes] + rng.normal(size=(len(classes), _LATENT))
        every = latent @ map_ + rng.normal(size=(len(classes), params.columns))
        points, new, classes = every[: params.n], every[params.n :], classes[: params.n]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small forest says that its trees are stumps
            small = task.build_method().fit(points[:100])
            small.kneighbors(None, 5)
            small.kneighbors(new[:5], 5)
            small.proximity(sparse=True)
        method = task.build_method()
        with Watch() as fit:
            method.fit(points)
        rows, found = _ours(method, new, params)
        rows += _products(method.forest_.leaf_of, params, rows)
        asked = rng.choice(params.n, min(params.queries, params.n), replace=False)
        rows.append(Row("fit_seconds", fit.seconds))
        return _beside(rows + _quality(points, classes, found, asked, params.k))


def _ours(method: Any, new: Floats, params: LookupTimingParams) -> tuple[list[Row], Rows]:
    # a copy has no index yet, as a fitted forest that was never asked
    stored = len(pickle.dumps(method))
    again = copy.deepcopy(method).set_params(n_jobs=2)
    with Watch() as watch:
        _, found = method.kneighbors(None, params.k)
    with Watch() as both:
        again.kneighbors(None, params.k)
    with Watch() as of_new:
        method.kneighbors(new, params.k)
    leaf_of = method.forest_.leaf_of
    counts = sum(float((np.bincount(leaf).astype(float) ** 2).sum()) for leaf in leaf_of)
    rows = [
        Row("lookup_seconds", watch.seconds),
        Row("lookup_nanoseconds", 1e9 * watch.seconds / counts),
        Row("two_threads_speedup", watch.wall / both.wall),
        Row("new_times_old", of_new.seconds / len(new) / (watch.seconds / params.n)),
        Row("pickle_megabytes", stored / 1e6),
    ]
    if params.n <= params.whole:
        with Watch() as sparse:
            method.proximity(sparse=True)
        rows.append(Row("sparse_seconds", sparse.seconds))
    return rows, found


def _products(leaf_of: npt.NDArray[Any], params: LookupTimingParams, rows: list[Row]) -> list[Row]:
    ours = {row.metric: row.value for row in rows}
    n_trees, n = leaf_of.shape
    width = int(leaf_of.max()) + 1
    leaf = (leaf_of + width * np.arange(n_trees)[:, None]).T.ravel()
    counts = np.bincount(leaf, minlength=width * n_trees)
    matrix = csr_array(
        (np.ones(len(leaf), np.float32), leaf, np.arange(0, len(leaf) + 1, n_trees)),
        shape=(n, width * n_trees),
    )
    some = min(params.queries, n)
    with Watch() as once:
        transposed = matrix.T.tocsr()
    with Watch() as watch:
        for start in range(0, some, _ROWS):
            _best(matrix[start : min(start + _ROWS, some)] @ transposed, params.k)
    seconds = watch.seconds + once.seconds * some / n  # the transpose serves all rows
    counted = float(counts[leaf[: some * n_trees]].sum())
    found = [
        Row("product_nanoseconds", 1e9 * seconds / counted),
        Row(
            "times_product",
            1e9 * seconds / counted / float(ours["lookup_nanoseconds"] or np.nan),
        ),
    ]
    if n > params.whole:
        return found
    with Watch() as whole:
        matrix @ matrix.T.tocsr()
    share = float(ours["sparse_seconds"] or np.nan) / whole.seconds
    found.append(Row("sparse_seconds_over_product", share))
    peer = Peer("forestgeom")
    if n >= _ENOUGH and not peer.lacking():
        session = Session(peer)
        session.ask("load_forestgeom")
        answer = session.ask("leaf_proximity", {"k": params.k}, leaves=leaf_of.T.astype(np.int32))
        every = float(counts.astype(float) @ counts)
        found.append(Row("forestgeom_nanoseconds", 1e9 * answer.seconds / every))
    return found


def _best(product: csr_array, k: int) -> None:
    for start, stop in zip(product.indptr[:-1], product.indptr[1:], strict=True):
        values = product.data[start:stop]
        if len(values) > k:
            np.argpartition(-values, k)


def _quality(points: Floats, classes: Rows, found: Rows, asked: Rows, k: int) -> list[Row]:
    from pynndescent import NNDescent

    scaled = (points - points.mean(axis=0)) / points.std(axis=0)

    def descent(some: Floats) -> Rows:
        index = NNDescent(some, n_neighbors=k + 1, random_state=0, n_jobs=1)
        near: Rows = index.neighbor_graph[0]
        return near

    descent(scaled[: max(100, k + 2)])
    with Watch() as watch:
        near = descent(scaled)
    exact = NearestNeighbors(n_neighbors=k + 1).fit(scaled).kneighbors(scaled[asked])[1]
    exact = _others(exact, asked, k)
    theirs = _others(near[asked], asked, k)

    def same(lists: Rows) -> float:
        return float((classes[lists] == classes[asked][:, None]).mean())

    return [
        Row("recall", _recall(found[asked], exact)),
        Row("same_class", same(found[asked])),
        Row("exact_same_class", same(exact)),
        Row("same_class_below_exact", same(exact) - same(found[asked])),
        Row("pynndescent_seconds", watch.seconds),
        Row("pynndescent_recall", _recall(theirs, exact)),
        Row("pynndescent_same_class", same(theirs)),
    ]


def _beside(rows: list[Row]) -> list[Row]:
    value = {row.metric: row.value or np.nan for row in rows}
    theirs, lookup = value["pynndescent_seconds"], value["lookup_seconds"]
    return [
        *rows,
        Row("times_pynndescent", (value["fit_seconds"] + lookup) / theirs),
        Row("lookup_times_pynndescent", lookup / theirs),
    ]


def _others(lists: Rows, own: Rows, k: int) -> Rows:
    """Leave each row's own number out of its list, or the last where it is not there."""
    kept = lists != own[:, None]
    kept[kept.all(axis=1), -1] = False
    others: Rows = lists[kept].reshape(len(lists), -1)
    return others[:, :k]


def _recall(lists: Rows, exact: Rows) -> float:
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(exact, lists, strict=True)]))
