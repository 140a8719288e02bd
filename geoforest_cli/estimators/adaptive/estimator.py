"""Neighbours without settings."""

from __future__ import annotations

import time
from dataclasses import field
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.sparse import csr_matrix
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.estimators.adaptive.columns import Kept, kept_columns, varying_columns
from geoforest_cli.estimators.adaptive.graph import GuardedGraph, Starts
from geoforest_cli.estimators.adaptive.groups import groups_in_words
from geoforest_cli.estimators.adaptive.lists import blend
from geoforest_cli.estimators.adaptive.scales import Scale, TableScale, chosen_scale
from geoforest_cli.estimators.base.copies import Copies, distinct_points
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.neighbors import KNeighborsMixin, Neighbors
from geoforest_cli.estimators.base.parameters import Jobs, PositiveInt, root_seed
from geoforest_cli.estimators.base.validation import LARGEST_VALUE, check_points, without_rounding
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.neighbors import rows_of

__all__ = ["AdaptiveNeighbors"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

_WIDTH, _WIDER = 75, 1.5  # neighbours that the guard judges: at least, and times n_neighbors
_MAX_SHARE, _FROM, _OVER = 0.3, 1.33, 0.1  # share of the forest: at most, and where it sets in
_LISTED, _MORE = 300, 2  # rows whose ranks are joined: at least, and times those asked for
_ROWS_AT_ONCE = 4096  # rows whose lists are made at once


class AdaptiveNeighbors(
    KNeighborsMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator
):
    r"""Neighbours without settings: columns, scale and distance are chosen for the table.

    Each step is an estimator that can be had alone:

    1. **Columns.** `ColumnScreen("auto")` drops those that depend on no other; where it keeps fewer
       than two of twenty columns or more, those of related sizes are kept: far from their medians
       where others are far, or near. Those come back that depend on several of the kept ones
       together: their values are alike where these are near, by Moran's I. Where these form
       independent groups, a group of three columns or more that looks like sums of normal causes (a
       Gaussian copula is not rejected) is left out beside one that does not, or that is twice as
       predictable. All that vary are kept where at most one, or one in twenty, would be dropped,
       fewer than two be kept, or of fewer than 10 rows. In a wide table, where at least half as
       many columns as rows are found, and rows spread in at least six directions (by the
       participation ratio of their variances), the level is instead a false discovery rate of
       .05.
    2. **Scale.** Columns as they are ("raw") where their spreads differ by at most three times,
       else "standardised"; "transformed", with a Box-Cox power for skewed columns first, where
       most columns are skewed. Another one if rows lie much more evenly on it: "transformed",
       "logarithm" of positive columns, or "cube_root" of columns less their modes. In a wide
       table "correlation" of rows, after each column's mean is taken off: many columns, as those of
       gene expression, share a level and a size of the row that say little.
    3. **Distance.** Shortest paths over the ten nearest neighbours and a spanning tree. A pair
       whose detour is short, up to `detour_limit_` times the straight way, is joined directly: in
       flat data paths become straight. The limit is smaller where detours grow with the rank of the
       neighbour, as they do along bent data; but not where detours are longer than those of normal
       rows with the same covariance: then there are many dimensions, and nothing is bent.
    4. **Forest.** Where paths are long detours, lengths fail: rows are then ranked by

       .. math:: (1 - w) \sqrt{r_\text{graph}} + w \sqrt{r_\text{forest}}

       with the ranks of the graph and of `GeodesicForest` on the same scale, and w up to 0.3. If
       none of twenty columns or more depends on another, the forest decides alone.

    Parameters
    ----------
    n_neighbors : int
        Default of `kneighbors`, and neighbours in `transform`.
    mode : {"distance", "connectivity"}
        Entries of `transform`: distances, the row itself at 0 and not counted; or ones, the row
        itself counted.
    screen : {"auto", None}
        None keeps all columns that vary.
    level : float
        Bound on the probability that the screen keeps any column that is independent of all others,
        by pairs and correlations; and again by sizes, where these keep fewer than two. Not for wide
        tables, see step 1.
    scale : {"auto", "raw", "standardised", "transformed", "logarithm", "cube_root", "correlation"}
        "auto" chooses as above.
    forest_share : float or "auto"
        w. With 0 no forest is grown, with 1 it decides alone; "auto" is 0 with correlations.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    random_state : int, RandomState or None
        For the forest, and for rows that are drawn of many.
    verbose : bool
        Print when each step is done, and at the end what was chosen.

    Attributes
    ----------
    kept_, dropped_ : (q,), (p - q,) int64
        Numbers of the columns.
    groups_ : (p,) int64
        The group of each column that depends on others in pairs, as in `ColumnScreen`, left out or
        not; -1 for others.
    left_out_ : (l,) int64
        Numbers of the columns that were dropped with their group, not by the screen.
    scale_ : {"raw", "standardised", "transformed", "logarithm", "cube_root", "correlation"}
    forest_share_ : float
        w.
    detour_ : float
        Median of path length over distance, for the nearest pairs that are no edges.
    detour_growth_ : float
        From 0, as in flat data, to 1.
    detour_limit_ : float
        Pairs whose path is at most this many times their distance are joined.
    forest_ : GeodesicForest
        Only with a share of forest.
    n_features_in_ : int
    n_samples_fit_ : int
    feature_names_in_ : (p,) array of str
        If X is a data frame with text column names.

    Notes
    -----
    Distances are path lengths on the chosen scale where the forest has no share, one minus its
    proximity where it decides alone, and else the mean square root of the ranks: then only their
    order means something. Equal rows are at distance 0. All rows are connected.

    New rows are brought to the scale of the fitted ones, and joined to the graph by the same
    rules; its own edges stay as they are. A new row that equals a fitted one is that one; where the
    forest decides alone, other rows that share all its leaves may stand before it.

    No matrix of all pairs is built: the 75 nearest of every row, or 1.5 times `n_neighbors` if
    these are more, are found, and paths are followed from a row to the nearest ones only. Ranks
    beyond 300, or twice the neighbours asked for, count as equal.

    What no screen can do holds here too: a column that is independent of all others is dropped,
    even if it is a coordinate of the manifold. Noise columns that depend on one another are left
    out only if they are independent of all others and look like sums of normal causes. Such a group
    may be what was wanted: ``describe()`` names what was left out, and who wants these columns
    passes them alone.

    References
    ----------
    Tenenbaum, de Silva and Langford, Science 290, 2000.

    Cliff and Ord, Spatial Processes: Models and Applications, 1981.

    Box and Cox, An analysis of transformations, JRSS B 26, 1964.

    Bickel and Frühwirth, On a fast, robust estimator of the mode, 2006.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=200)
    >>> X = np.c_[np.cos(9 * t), np.sin(9 * t), 3 * t, rng.lognormal(size=(200, 20))]
    >>> model = AdaptiveNeighbors(random_state=0).fit(X)
    >>> model.describe()
    'kept 3 of 23 columns; columns raw; graph geodesic, no forest'
    >>> rows = model.kneighbors(n_neighbors=5, return_distance=False)
    >>> bool(np.abs(t[rows] - t[:, None]).max() < 0.1)
    True
    """

    n_neighbors: PositiveInt = field(default=10, kw_only=False)
    mode: Literal["distance", "connectivity"] = "distance"
    screen: Literal["auto"] | None = "auto"
    level: Annotated[float, Field(gt=0, lt=1)] = 0.001
    scale: Scale | Literal["auto"] = "auto"
    forest_share: Annotated[float, Field(ge=0, le=1)] | Literal["auto"] = "auto"
    n_jobs: Jobs = None
    random_state: Any = None
    verbose: bool = False

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Choose columns, scale and distance for the rows of X (N, p); y is ignored.

        Raises
        ------
        ValueError
            For NaN, infinities, values beyond 1e150, text, an empty table or one row.
        """
        began = time.perf_counter()
        table: Floats = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        table = without_rounding(check_points(table, LARGEST_VALUE))
        self.n_samples_fit_ = self._n_features_out = len(table)
        self._seed = root_seed(self.random_state) % 2**64
        rng = np.random.default_rng(self._seed)
        kept = self._screened(table, rng)
        self.kept_: Rows = kept.columns
        self.dropped_: Rows = np.setdiff1d(np.arange(table.shape[1]), kept.columns)
        self.groups_, self.left_out_ = kept.groups, kept.left_out
        self._report("columns", began)
        kept_columns = table[:, self.kept_]
        self.scale_: Scale = self._chosen_scale(kept_columns, kept)
        self._scaling = TableScale.fit(kept_columns, self.scale_)
        points = self._scaling.apply(kept_columns)
        self._report("scale", began)
        self._copies: Copies = distinct_points(points, self._seed)
        width = max(_WIDTH, round(_WIDER * self.n_neighbors))
        self._graph = GuardedGraph.fit(points[self._copies.row], width, rng, self.n_jobs)
        self.detour_, self.detour_growth_, self.detour_limit_, flat = self._graph.guard
        self._numbers = {row.tobytes(): i for i, row in enumerate(self._graph.points)}
        self._report("graph", began)
        self.forest_share_ = self._share(independent=kept.independent, flat=flat)
        if self.forest_share_ > 0:
            self.forest_ = GeodesicForest(
                n_neighbors=self.n_neighbors,
                screen=None,
                n_jobs=self.n_jobs,
                random_state=self._seed,
            ).fit(points)
        elif hasattr(self, "forest_"):
            del self.forest_
        self._report("forest", began)
        if self.verbose:
            print(f"[AdaptiveNeighbors] {self.describe()}")
        return self

    def describe(self) -> str:
        """Return what was chosen, in a sentence."""
        check_is_fitted(self)
        kept, p = len(self.kept_), self.n_features_in_
        columns = f"all {p} columns" if kept == p else f"{kept} of {p} columns"
        if self.screen is not None and kept > 1 and not (self.groups_ > 0).any():
            columns += ", as no two were found to depend on each other"
        names = getattr(self, "feature_names_in_", None)
        groups = groups_in_words(self.groups_, self.left_out_, names)
        if self.forest_share_ == 1:
            distance = "forest alone"
        elif self.forest_share_ > 0:
            distance = f"graph geodesic, forest share {self.forest_share_:.2g}"
        else:
            distance = "graph geodesic, no forest"
        scale = {"logarithm": "by logarithm", "cube_root": "by cube root"}.get(self.scale_)
        scaled = f"columns {scale or self.scale_}"
        if self.scale_ == "correlation":
            scaled = "rows by correlation"
        return f"kept {columns}; {scaled}; {distance}{groups}"

    def _screened(self, table: Floats, rng: np.random.Generator) -> Kept:
        if self.screen is None:
            return Kept(varying_columns(table), np.full(table.shape[1], -1, np.int64))
        return kept_columns(table, rng, self.n_jobs, self._seed, self.level)

    def _chosen_scale(self, columns: Floats, kept: Kept) -> Scale:
        if self.scale != "auto":
            return self.scale
        return "correlation" if kept.wide else chosen_scale(columns, independent=kept.independent)

    def _share(self, *, independent: bool, flat: bool) -> float:
        if self.forest_share != "auto":
            return float(self.forest_share)
        if self.scale_ == "correlation":
            return 0.0
        if independent or flat:
            return float(independent)
        return float(_MAX_SHARE * np.clip((self.detour_ - _FROM) / _OVER, 0.0, 1.0))

    def _report(self, step: str, began: float) -> None:
        if self.verbose:
            print(f"[AdaptiveNeighbors] {step}: {time.perf_counter() - began:.2f} s")

    def _find_neighbors(self, X: npt.ArrayLike | None, k: int) -> Neighbors:
        if X is None:
            rows = np.arange(self.n_samples_fit_)
            return self._listed(Starts.at(self._copies.node), rows, None, k)
        table: Floats = validate_data(self, X, dtype=np.float64, reset=False)
        check_points(table, LARGEST_VALUE, at_least=1)
        points = self._scaling.apply(table[:, self.kept_])
        numbers = np.array([self._numbers.get(row.tobytes(), -1) for row in points], np.int64)
        return self._listed(self._starts(points, numbers), np.full(len(numbers), -1), points, k)

    def _starts(self, points: Floats, numbers: Rows) -> Starts:
        """Start at the point that a row equals, or by edges to its neighbours."""
        new = np.flatnonzero(numbers < 0)
        if not len(new):
            return Starts.at(numbers)
        edges = self._graph.starts(points[new])
        sizes = np.ones(len(numbers), np.int64)
        sizes[new] = np.diff(edges.first)
        theirs = np.repeat(numbers < 0, sizes)
        first = np.concatenate([[0], np.cumsum(sizes)])
        nodes, lengths = np.empty(first[-1], np.int64), np.zeros(first[-1])
        nodes[~theirs], nodes[theirs] = numbers[numbers >= 0], edges.nodes
        lengths[theirs] = edges.lengths
        return Starts(first, nodes, lengths)

    def _listed(self, starts: Starts, rows: Rows, points: Floats | None, k: int) -> Neighbors:
        """Return the k lists of sources, which leave out their own rows; -1 for none."""
        distances, indices = np.empty((len(rows), k)), np.empty((len(rows), k), np.int64)
        share = self.forest_share_
        most = self._most_neighbors(new=points is not None)
        width = k if share in {0, 1} else min(max(_LISTED, _MORE * k), most)
        leaves = None
        if share > 0:
            forest = self.forest_
            leaves = forest.forest_.leaf_of if points is None else forest.apply(points).T
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            if leaves is not None:
                best = self.forest_._nearest(leaves[:, part], rows[part], width)
            if share < 1:
                nodes = min(width + 1, len(self._graph.points))
                lists = self._graph.nearest(starts.rows(part), nodes)
                lists = self._copies.listed(*lists, rows[part], width)
                best = lists if leaves is None else blend(lists, best, share, k, self._copies.node)
            distances[part], indices[part] = best
        return distances, indices

    def transform(self, X: npt.ArrayLike) -> csr_matrix:
        """Return the distances from the rows of X to their nearest training points (m, N).

        A row that is among the training points counts as that point: it comes first, at
        distance 0, but for the forest alone.
        """
        check_is_fitted(self)
        counted = self.mode == "distance"
        k = min(self.n_neighbors + counted, self.n_samples_fit_)
        distances, rows = self.kneighbors(X, k)
        return rows_of(distances if counted else np.ones_like(distances), rows, self.n_samples_fit_)
