"""Geodesic Forests: neighbours along a latent manifold, without labels."""

import math
import warnings
from typing import Annotated, Any, Literal, Self, overload

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.errors import DataError
from geoforest_cli.forests.forest import Forest, Pairs
from geoforest_cli.forests.forest import merge as merge_trees
from geoforest_cli.forests.growth import Growth, grow_forest
from geoforest_cli.forests.proximity import LeafIndex, leaf_counts, sparse_proximity

Criterion = Literal[
    "fast_bic", "two_means", "delta_bic", "mclust_bic", "fast_bic_legacy", "mclust_bic_legacy"
]
PositiveInt = Annotated[int, Field(ge=1)]
_MANY_ROWS = 2_000


class GeodesicForest(BaseEstimator):
    """Geodesic Forest (GF, alias URerF); with ``projection="axis"``, URF.

    Each tree cuts sparse one-dimensional projections of a bootstrap sample where two
    clusters separate best; two points are near when they often share a leaf:
    S_ij = L_ij / T_ij, distance 1 - S_ij. Only neighbour sets are meaningful, not the
    distances themselves.

    Parameters
    ----------
    n_estimators : int
        Trees T.
    criterion : str
        ``"fast_bic"`` (corrected form), ``"two_means"``, ``"delta_bic"`` (scale-free; not in
        the paper), ``"mclust_bic"``; and as the authors' programs compute them,
        ``"fast_bic_legacy"``, ``"mclust_bic_legacy"``.
    projection : {"oblique", "axis"}
        Candidates are sparse combinations with weights +-1, or single columns.
    n_projections : int, float or "sqrt"
        Candidates d per node (mtry): a number, a multiple of sqrt(p), or ceil(sqrt(p)).
    nonzeros : "scattered", "one_per_projection" or float
        Non-zeros over the p x d matrix of a node: round(1.5 d), d (as run), or the share
        lambda of all cells, max(1, round(lambda p d)) (as written: 0.05).
    min_parent : int or "sqrt"
        Nodes with fewer bag rows are leaves; "sqrt" is round(sqrt(N)).
    min_leaf : int
        Fewest bag rows on each side of a cut.
    variance_floor : float
        Fast-BIC, delta-BIC and Mclust-BIC: lower bound of a side's variance relative to
        the node's along the projection. 0 skips cuts with a zero-variance side.
    max_depth : int, "auto" or None
        "auto" is ceil(4 log2 N) + 8, a guard against chains of end cuts: in structureless
        nodes Fast-BIC peels off single points. Above 2000 rows what is left at that depth would
        be leaves of thousands of points; it is cut by two-means instead.
    max_search : int, optional
        Nodes with more distinct bag rows choose their cut on this many of them, drawn at random;
        by default on all. For tables of hundreds of thousands of rows.
    bootstrap : bool
        Draw N of N rows with replacement for each tree.
    pairs : {"all", "in_bag", "oob"}
        Which pairs a tree counts; T_ij is the number of trees that count the pair.
    rescale : {"none", "min_max"}
        Bring every column to [0, 1] first.
    binary_columns : {"warn", "keep", "exclude"}
        A column with two values is a perfect two-cluster projection and drowns all others.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    random_state : int, RandomState or None

    Attributes
    ----------
    forest_ : Forest
    n_features_in_ : int

    References
    ----------
    Madhyastha et al., Geodesic Forests, KDD 2020.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.linspace(0, 1, 200)
    >>> X = np.c_[4 * t, 6 * t, 9 * t]
    >>> forest = GeodesicForest(n_estimators=50, min_parent=20, random_state=1).fit(X)
    >>> distances, indices = forest.kneighbors(5)
    >>> bool(np.abs(indices - np.arange(200)[:, None]).max() < 60)
    True
    """

    def __init__(
        self,
        n_estimators: PositiveInt = 300,
        *,
        criterion: Criterion = "fast_bic",
        projection: Literal["oblique", "axis"] = "oblique",
        n_projections: PositiveInt | Annotated[float, Field(gt=0)] | Literal["sqrt"] = "sqrt",
        nonzeros: Literal["scattered", "one_per_projection"]
        | Annotated[float, Field(gt=0, le=1)] = "scattered",
        min_parent: Annotated[int, Field(ge=2)] | Literal["sqrt"] = 100,
        min_leaf: PositiveInt = 1,
        variance_floor: Annotated[float, Field(ge=0, lt=1)] = 1e-3,
        max_depth: PositiveInt | Literal["auto"] | None = "auto",
        max_search: Annotated[int, Field(ge=100)] | None = None,
        bootstrap: bool = True,
        pairs: Pairs = "all",
        rescale: Literal["none", "min_max"] = "none",
        binary_columns: Literal["warn", "keep", "exclude"] = "warn",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.projection = projection
        self.n_projections = n_projections
        self.nonzeros = nonzeros
        self.min_parent = min_parent
        self.min_leaf = min_leaf
        self.variance_floor = variance_floor
        self.max_depth = max_depth
        self.max_search = max_search
        self.bootstrap = bootstrap
        self.pairs = pairs
        self.rescale = rescale
        self.binary_columns = binary_columns
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Grow the forest on the rows of X (N, p); y is ignored.

        Raises
        ------
        ValueError
            For NaN, infinities, text, an empty table or fewer than two rows.
        """
        table: npt.NDArray[Any] = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        self._seed = root_seed(self.random_state)
        points = self._prepare(table, fitting=True)
        n, p = points.shape
        self.forest_: Forest = grow_forest(
            points, self._growth(n, p), self.n_estimators, self._seed, n_jobs=self.n_jobs
        )
        self._index: LeafIndex | None = None
        return self

    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the (n, T) numbers of the leaves that the rows of X reach."""
        check_is_fitted(self)
        table: npt.NDArray[Any] = validate_data(
            self, X, dtype=[np.float64, np.float32], reset=False
        )
        return self.forest_.drop(self._prepare(table, fitting=False))

    @overload
    def proximity(self, *, sparse: Literal[False] = False) -> npt.NDArray[np.float64]: ...

    @overload
    def proximity(self, *, sparse: Literal[True]) -> csr_array: ...

    def proximity(self, *, sparse: bool = False) -> npt.NDArray[np.float64] | csr_array:
        """Return S (N, N): symmetric, diagonal 1.

        Parameters
        ----------
        sparse : bool
            Return only the pairs that share a leaf in some tree, as a scipy.sparse.csr_array.

        Returns
        -------
        ndarray or csr_array
            The dense one has NaN where T_ij = 0; the sparse one lacks these pairs.

        Raises
        ------
        DataError
            If the matrix does not fit in the free memory.
        """
        check_is_fitted(self)
        if sparse:
            return sparse_proximity(self.forest_.leaf_of, self.forest_.in_bag > 0, self.pairs)
        return leaf_counts(self.forest_, self.pairs).proximity()

    def distances(self) -> npt.NDArray[np.float64]:
        """Return 1 - S (N, N)."""
        return 1.0 - self.proximity()

    def kneighbors(
        self, n_neighbors: int = 5, X: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return distances 1 - S and training rows of the nearest points, without S.

        Parameters
        ----------
        n_neighbors : int
            At most N - 1 (N for new points).
        X : (n, p) array, optional
            New points; by default the training points, each left out of its own list.

        Returns
        -------
        distances : (n, k) float64, ascending
        indices : (n, k) int64
            Equally distant points stand in a random order that `random_state` fixes.

        Raises
        ------
        ValueError
            If n_neighbors is out of range, or if `pairs` is not "all".
        """
        check_is_fitted(self)
        if self.pairs != "all":
            raise ValueError(f'kneighbors needs pairs="all", not {self.pairs!r}')
        n = self.forest_.leaf_of.shape[1]
        most = n - 1 if X is None else n
        if not 1 <= n_neighbors <= most:
            raise DataError(f"k = {n_neighbors} neighbours, but 1 to {most} are possible")
        if self._index is None:
            self._index = LeafIndex.build(self.forest_)
        if X is None:
            leaves, rows = self.forest_.leaf_of, np.arange(n)
        else:
            leaves = self.apply(X).T
            rows = np.full(leaves.shape[1], -1, np.int64)
        return self._index.nearest(leaves, rows, n_neighbors, self._seed, self.n_jobs)

    def _growth(self, n: int, p: int) -> Growth:
        d = _n_projections(self.n_projections, p)
        depth = self.max_depth
        if depth == "auto":
            depth = math.ceil(4 * math.log2(n)) + 8
        parent = self.min_parent
        return Growth(
            criterion=self.criterion,
            sampler=self.projection,
            n_projections=d,
            n_nonzeros=_n_nonzeros(self.nonzeros, p, d),
            min_parent=parent if isinstance(parent, int) else max(2, round(math.sqrt(n))),
            min_leaf=self.min_leaf,
            variance_floor=self.variance_floor,
            max_depth=1 << 30 if depth is None else depth,
            bootstrap=self.bootstrap,
            max_search=self.max_search or 0,
            two_means_below=self.max_depth == "auto" and n > _MANY_ROWS,
        )

    def _prepare(self, X: npt.NDArray[Any], *, fitting: bool) -> npt.NDArray[Any]:
        if fitting:
            self._columns = self._chosen_columns(X)
        if self._columns is not None:
            X = X[:, self._columns]
        if self.rescale == "none":
            return X
        if fitting:
            self._low = X.min(axis=0)
            span = X.max(axis=0) - self._low
            self._span = np.where(span > 0, span, 1)
        scaled: npt.NDArray[Any] = (X - self._low) / self._span
        return scaled

    def _chosen_columns(self, X: npt.NDArray[Any]) -> npt.NDArray[np.intp] | None:
        if self.binary_columns == "keep":
            return None
        low, high = X.min(axis=0), X.max(axis=0)
        binary = (low < high) & ((low == X) | (high == X)).all(axis=0)
        if len(X) <= 2 or not binary.any():
            return None
        if self.binary_columns == "exclude":
            kept = np.flatnonzero(~binary)
            if not len(kept):
                raise DataError("every column has only two values: nothing is left to project")
            return kept
        warnings.warn(
            f"{int(binary.sum())} of {X.shape[1]} columns have only two values; each is a "
            'perfect two-cluster projection and may drown the others (binary_columns="exclude" '
            "leaves them out)",
            stacklevel=4,
        )
        return None


def merge(forests: list[GeodesicForest]) -> GeodesicForest:
    """Join forests fitted on the same points into one forest of all their trees.

    The leaf counts of F forests of T trees are exactly those of one forest of F*T trees.

    Raises
    ------
    ValueError
        If the list is empty or the forests were fitted on different numbers of points.
    """
    if not forests:
        raise ValueError("there is no forest to merge")
    sizes = {f.forest_.leaf_of.shape[1] for f in forests}
    if len(sizes) > 1:
        raise ValueError(f"the forests were fitted on different numbers of points: {sorted(sizes)}")
    joined = GeodesicForest(**forests[0].get_params())
    joined.__dict__.update(forests[0].__dict__)
    joined.forest_ = merge_trees([f.forest_ for f in forests])
    joined.n_estimators = joined.forest_.n_trees
    joined._index = None
    return joined


def _n_projections(rule: float | str, p: int) -> int:
    if isinstance(rule, int):
        return rule
    factor = 1.0 if isinstance(rule, str) else rule
    return max(1, math.ceil(factor * math.sqrt(p)))


def _n_nonzeros(rule: float | str, p: int, d: int) -> int:
    if rule == "one_per_projection":
        return d
    if isinstance(rule, str):
        return round(1.5 * d)
    return max(1, round(rule * p * d))


def root_seed(random_state: Any) -> int:
    """Return the seed that a scikit-learn random_state stands for."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**31 - 1))
