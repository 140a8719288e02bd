"""Nearest rows of large tables: a forest's leaf mates, ranked by distance."""

from __future__ import annotations

import math
from dataclasses import field
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.core.threads import mapped, n_threads
from geoforest_cli.estimators.base.copies import Copies
from geoforest_cli.estimators.base.neighbors import DistinctNeighbors, Neighbors
from geoforest_cli.estimators.base.parameters import Jobs, PositiveInt, TwoOrMore
from geoforest_cli.estimators.base.scaling import Rescale, Scaling
from geoforest_cli.estimators.base.search import NearestRows
from geoforest_cli.estimators.base.validation import names_of, without_rounding
from geoforest_cli.estimators.forests.kernels.binned import (
    BEGIN,
    BINS_PER_DEVIATION,
    CENTRE,
    CHILD,
    END,
    BinnedRules,
    drop_binned,
    grow_binned,
)
from geoforest_cli.estimators.forests.kernels.mates import (
    measure,
    rank_leaf_of_new,
    rank_leaves,
    rank_neighbors_of_neighbors,
)
from geoforest_cli.estimators.forests.presets import BY_MEAN
from geoforest_cli.estimators.screening.auto import auto_screen

__all__ = ["LeafMates"]

_MIN_PARENT, _MATES_PER_NEIGHBOR = 160, 4
_CANDIDATES = 2.0  # times sqrt(p)
_COLUMNS_AT_ONCE = 4  # by the kernels
_ROWS_AT_ONCE = 16_384

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.int64]
Lists = tuple[Singles, npt.NDArray[np.int32]]


def _looked_at(k: int) -> int:
    """Return how many neighbours of how many neighbours are looked at: two thirds of k."""
    return -(-2 * k // 3)


class _Tree(NamedTuple):
    """Rows leaf by leaf, and nodes as `grow_binned` returns them."""

    rows: npt.NDArray[np.int32]
    nodes: npt.NDArray[np.int32]

    @property
    def leaves(self) -> Rows:
        """Where the rows of each leaf begin and end."""
        return self.bounds(np.flatnonzero(self.nodes[:, CHILD] < 0))

    def bounds(self, nodes: npt.NDArray[Any]) -> Rows:
        return self.nodes[nodes, BEGIN : END + 1].astype(np.int64)


class LeafMates(DistinctNeighbors):
    """Nearest rows among those that share a leaf: an index for large tables.

    A few trees are grown as those of `GeodesicForest`, by mean-BIC, on columns of 256 values. All
    pairs of rows that share a leaf are compared by Euclidean distance, and then each row with the
    neighbours of its neighbours. Lists are approximate, distances exact. Columns that depend on no
    other are dropped first.

    Parameters
    ----------
    n_neighbors : int
        Default of `kneighbors`, and neighbours that are looked for in `fit`; more are looked for
        when they are asked for.
    n_estimators : int
        Trees.
    min_parent : int or "auto"
        Nodes with fewer rows are leaves; "auto" is 160, but at least four times `n_neighbors`.
    max_search : int
        Nodes with more rows choose their cut on so many of them.
    screen : "auto" or None
        None keeps all columns.
    rescale : {"standardise", "min_max", "none"}
        Scale of the columns before distances are measured, see `Scaling`.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    random_state : int, optional
        Of the trees, and of draws among rows that are copies of one another.

    Attributes
    ----------
    kept_, dropped_ : arrays of int
        Numbers of the columns that the screen has kept and dropped.
    note_ : str
        A sentence about what was dropped; empty if there is nothing to say.
    n_features_in_ : int
    n_samples_fit_ : int
    feature_names_in_ : (p,) array of str
        If X is a data frame with text column names.

    Notes
    -----
    Lists of a table of fewer than `min_parent` rows are exact.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=1000)
    >>> X = np.c_[np.cos(9 * t), np.sin(9 * t), 3 * t, rng.normal(size=(1000, 5))]
    >>> index = LeafMates(10, random_state=0).fit(X)
    >>> index.kept_.tolist()
    [0, 1, 2]
    >>> rows = index.kneighbors(return_distance=False)
    >>> bool(np.abs(t[rows] - t[:, None]).max() < 0.1)
    True
    """

    single: ClassVar[bool] = True
    n_neighbors: PositiveInt = field(default=15, kw_only=False)
    n_estimators: PositiveInt = 10
    min_parent: TwoOrMore | Literal["auto"] = "auto"
    max_search: Annotated[int, Field(ge=100)] = 300
    screen: Literal["auto"] | None = "auto"
    rescale: Rescale = "standardise"
    n_jobs: Jobs = None

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Grow the trees on the points X (N, p), and rank leaf mates; y is ignored."""
        table = without_rounding(self._checked_table(X, reset=True))
        self._keep_columns(table)
        kept = table if len(self.kept_) == table.shape[1] else table[:, self.kept_]
        self._scaling = Scaling.fit(kept, self.rescale)
        distinct = self._keep_distinct(self._scaling.apply(kept))
        assert self._copies is not None
        trees = self._grown(distinct)
        # rows that lie together in a leaf of the first tree lie together in memory
        order = trees[0].rows
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.arange(len(order))
        self._copies = Copies(self._copies.row[order], numbers[self._copies.node])
        self._trees = [_Tree(numbers[tree.rows].astype(np.int32), tree.nodes) for tree in trees]
        self._distinct = distinct[order]
        self._centre = self._distinct.mean(axis=0, dtype=np.float64)
        self._points = self._single(self._distinct)
        self._lists = self._ranked(max(1, min(self.n_neighbors, len(order) - 1)))
        return self

    def _grown(self, points: npt.NDArray[Any]) -> list[_Tree]:
        self._bins = Scaling.fit(points, "standardise")
        codes = self._codes(points)
        parent = max(_MIN_PARENT, _MATES_PER_NEIGHBOR * self.n_neighbors)
        rules = BinnedRules(
            parent if self.min_parent == "auto" else self.min_parent,
            self.max_search,
            math.ceil(_CANDIDATES * math.sqrt(codes.shape[1])),
            BY_MEAN["min_share"],
            BY_MEAN["variance_floor"],
        )
        seeds = np.random.SeedSequence(self._seed).generate_state(self.n_estimators, np.uint64)
        grow: Any = partial(grow_binned, codes)
        return [_Tree(*tree) for tree in mapped(lambda s: grow(s, rules), list(seeds), self.n_jobs)]

    def _keep_columns(self, table: npt.NDArray[Any]) -> None:
        self.kept_, self.dropped_ = np.arange(table.shape[1]), np.empty(0, np.intp)
        self.note_ = ""
        if self.screen is not None:
            names = getattr(self, "feature_names_in_", None)
            screened = auto_screen(table, self.n_jobs)
            self.kept_, self.dropped_ = screened.kept, screened.dropped
            self.note_ = screened.sentence(lambda columns: names_of(columns, names))

    def _new_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        return self._scaling.apply(self._checked_table(X, reset=False)[:, self.kept_])

    def _codes(self, points: npt.NDArray[Any]) -> Codes:
        codes = np.empty(points.shape, np.uint8)
        for start in range(0, len(points), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            bins = np.rint(self._bins.apply(points[part]) * BINS_PER_DEVIATION) + CENTRE
            codes[part] = np.clip(bins, 0, 255)
        return codes

    def _single(self, points: npt.NDArray[Any]) -> Singles:
        """Return points about 0 in single precision, filled up with columns of zeros."""
        n, p = points.shape
        single = np.zeros((n, -(-p // _COLUMNS_AT_ONCE) * _COLUMNS_AT_ONCE), np.float32)
        np.subtract(points, self._centre, out=single[:, :p], casting="same_kind")
        return single

    def _ranked(self, width: int) -> Lists:
        """Return the lists of all distinct points."""
        n = len(self._points)
        lengths = np.full((n, width), np.inf, np.float32)
        rows = np.full((n, width), -1, np.int32)
        for tree in self._trees:
            # every row is in one leaf: no two threads write the same list
            parts = np.array_split(tree.leaves, n_threads(self.n_jobs))
            rank = partial(self._rank_leaves, tree.rows, lengths, rows)
            list(mapped(rank, parts, self.n_jobs))
        graph, points = rows.copy(), self._points
        starts = range(0, n, _ROWS_AT_ONCE)

        def look_further(start: int) -> None:
            part = slice(start, start + _ROWS_AT_ONCE)
            rank_neighbors_of_neighbors(
                points, graph, _looked_at(width), points[part], start, lengths[part], rows[part]
            )

        list(mapped(look_further, starts, self.n_jobs))
        return lengths, rows

    def _rank_leaves(
        self, order: npt.NDArray[np.int32], lengths: Singles, rows: npt.NDArray[np.int32],
        leaves: Rows,
    ) -> None:  # fmt: skip
        rank_leaves(self._points, order, leaves, lengths, rows)

    def _search(self, points: npt.NDArray[Any] | None, count: int) -> Neighbors:
        if points is None:
            held = self._lists[1].shape[1]
            lists = (self._lists if count - 1 <= held else self._ranked(count - 1))[1]
            themselves = np.arange(len(lists), dtype=np.int32)[:, None]
            nodes = np.concatenate([themselves, lists[:, : count - 1]], axis=1)
            points = self._distinct
        else:
            nodes = self._nodes_of_new(points, count)
        short = np.flatnonzero((nodes < 0).any(axis=1))
        if len(short):
            exact = NearestRows(n_neighbors=count).fit(self._distinct)
            nodes[short] = exact.kneighbors(points[short], return_distance=False)
        return self._measured(points, nodes)

    def _nodes_of_new(self, points: npt.NDArray[Any], count: int) -> npt.NDArray[np.int32]:
        new, codes = self._single(points), self._codes(points)
        lengths = np.full((len(new), count), np.inf, np.float32)
        rows = np.full((len(new), count), -1, np.int32)
        reached = np.empty(len(new), np.int64)
        for tree in self._trees:
            drop_binned(codes, tree.nodes, reached)
            bounds = tree.bounds(reached)
            rank_leaf_of_new(self._points, new, tree.rows, bounds, lengths, rows)
        graph = self._lists[1]
        looked_at = min(_looked_at(count), graph.shape[1])
        rank_neighbors_of_neighbors(self._points, graph, looked_at, new, -1, lengths, rows)
        return rows

    def _measured(self, points: npt.NDArray[Any], nodes: npt.NDArray[Any]) -> Neighbors:
        """Return the distances in double precision, ascending, and the nodes in their order."""
        squares = np.empty(nodes.shape)
        measure(self._distinct, points, nodes, squares)
        order = np.argsort(squares, axis=1, kind="stable")
        lengths: Floats = np.sqrt(np.take_along_axis(squares, order, axis=1))
        return lengths, np.take_along_axis(nodes, order, axis=1).astype(np.int64)
