"""Geodesic Forests: neighbours along a latent manifold, without labels."""

from __future__ import annotations

import hashlib
import math
import warnings
from typing import Annotated, Any, Literal, Self, overload

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.errors import DataError
from geoforest_cli.forests.columns import BinaryColumns, Columns, Rescale
from geoforest_cli.forests.forest import Forest, Pairs
from geoforest_cli.forests.forest import merge as merge_trees
from geoforest_cli.forests.growth import STEPPED, Growth, grow_forest, root_seed
from geoforest_cli.forests.importance import Importance, importance
from geoforest_cli.forests.missing import Draws, require_some
from geoforest_cli.forests.neighbors import ForestNeighbors
from geoforest_cli.forests.presets import (
    AS_RUN,
    AS_WRITTEN,
    BY_DELTA,
    BY_MEAN,
    BY_OTHERS,
    Criterion,
    Projection,
)
from geoforest_cli.forests.proximity import LeafIndex, proximity, sparse_proximity
from geoforest_cli.forests.sizes import n_candidates, n_listed, n_nonzeros, smallest_parent
from geoforest_cli.forests.text import Linear, Say, export_text

__all__ = ["AS_RUN", "AS_WRITTEN", "Criterion", "GeodesicForest", "Projection", "merge"]

PositiveInt = Annotated[int, Field(ge=1)]
PositiveFloat = Annotated[float, Field(gt=0)]
_STUMP = 2  # leaves


class GeodesicForest(ForestNeighbors):
    """Geodesic Forest (GF, alias URerF); with ``projection="axis"``, URF.

    Each tree cuts sparse one-dimensional projections of a bootstrap sample where two
    clusters separate best; two points are near when they often share a leaf:
    S_ij = L_ij / T_ij, distance 1 - S_ij. Only neighbour sets are meaningful, not the
    distances themselves.

    By default a node draws one candidate after the other until two Gaussians explain one of them
    better than a single Gaussian does, or ``max_projections`` are drawn, and cuts the best of
    these. Among structure this stops after one or two candidates, among noise it searches; neither
    needs to be known beforehand, and columns are standardised, so that no scale matters. After
    each sqrt(p) candidates of all columns it draws as many of those on a shortlist, the columns
    that are most clustered by themselves in the whole table: two Gaussians may explain them badly,
    but noise still worse. Where a node has found nothing, its children search half as long. The
    best
    is that of the smallest mean-BIC: delta-BIC, which asks for two clusters, and half the BIC of a
    single Gaussian, which asks for a column that the cuts above have made narrow. They narrow what
    depends on them, and leave noise as wide as it was.

    A column of numbers recorded in steps h, such as whole numbers, categories as zeros and ones, or
    anything rounded, is not two clusters because of its steps: each side's variance gets h^2 / 12,
    that within a step (Sheppard 1898); a sum or difference has the wider steps of the two. Nor is
    it narrow where it is nearly constant: mean-BIC counts it as wide as at first.

    No side may be smaller than ``min_share`` of its node, so that a tree is no deeper than a few
    times log N. With another criterion "auto" stands for the paper's search: sqrt(p) oblique
    candidates of the raw columns, end cuts allowed, as deep as it goes. The paper's own rules are
    in `AS_WRITTEN`, its program's in `AS_RUN`.

    Parameters
    ----------
    n_estimators : int
        Trees T.
    n_neighbors : int
        Default of `kneighbors`; leaves are large enough for as many.
    criterion : str
        ``"fast_bic"`` (corrected form), ``"two_means"``, ``"mclust_bic"``; not in the paper,
        ``"delta_bic"`` (Fast-BIC minus the BIC of one Gaussian: scale-free) and ``"mean_bic"``
        (the mean of the two, until delta-BIC is below 0); and as the authors' programs compute
        them, ``"fast_bic_legacy"``, ``"mclust_bic_legacy"``.
    projection : {"auto", "mixed", "oblique", "axis"}
        Candidates are single columns, sparse combinations with weights +-1, or both: a column,
        or the sum or difference of two, with equal chances and one at a time.
    n_projections : int, float or "sqrt"
        Candidates drawn at a time (mtry; not with "mixed"): a number, a multiple of sqrt(p),
        or ceil(sqrt(p)).
    max_projections : int, float, "auto" or None
        Most candidates of a node: a number, or a multiple of sqrt(p). More are drawn until one is
        good enough: with mean-BIC and delta-BIC, better than one Gaussian; with other criteria,
        any that can be cut. With None a node draws once.
    shortlist : int, float, "auto" or None
        Columns on the shortlist ("mixed"): a number, a multiple of sqrt(p), or "auto", sqrt(p) but
        at least ten. They are those of the smallest delta-BIC per row. With None all candidates are
        drawn from all columns.
    patience : float or "auto"
        The children of a node where no candidate was good enough draw at most this share of its
        candidates. With 1 every node is searched as long as the root.
    nonzeros : "scattered", "one_per_projection" or float
        Non-zeros over the p x d matrix of a node ("oblique"): floor(1.5 d), d (as run), or the
        share lambda of all cells, max(1, round(lambda p d)) (as written: 0.05).
    min_parent : int, "auto" or "sqrt"
        Nodes with fewer bag rows are leaves; "sqrt" is round(sqrt(N)), "auto" twice as many, at
        most 100, but at least twice the neighbours.
    min_leaf : int
        Fewest bag rows on each side of a cut.
    min_share : float or "auto"
        Smallest side of a cut, as a share of the node's bag rows.
    variance_floor : float or "auto"
        The criteria with "bic": lower bound of a side's variance relative to
        the node's along the projection. 0 skips cuts with a zero-variance side.
    max_depth : int, optional
        By default trees are as deep as they grow. Without `min_share` Fast-BIC peels off single
        points of structureless nodes, and trees may be as deep as N.
    max_search : int, "auto" or None
        Nodes with more distinct bag rows choose their cut on this many of them, drawn at random;
        with None on all. "auto" is 1,000 with mean-BIC and delta-BIC, which tell two clusters apart
        on fewer, and None with other criteria.
    bootstrap : bool
        Draw N of N rows with replacement for each tree.
    pairs : {"all", "in_bag", "oob"}
        Which pairs a tree counts; T_ij is the number of trees that count the pair.
    missing : {"refuse", "random"}
        NaN is an error, or stands for a value of its column that every tree draws anew.
    rescale : {"auto", "robust", "standard", "min_max", "none"}
        Bring every column to mean 0 and variance 1 first, the variance with or without the farthest
        twentieth on either side drawn in, or to [0, 1]. "auto" is "robust" with mean-BIC: half of
        it compares widths, and far values must not make the rest of a column look narrow. With
        delta-BIC, "standard" by "auto", only sums and differences depend on it.
    binary_columns : {"warn", "keep", "exclude"}
        With another criterion than mean-BIC and delta-BIC a column with two values is a perfect
        two-cluster projection and drowns all others; "warn" says so. These two know steps and say
        nothing; columns of a few unevenly spaced values still are clusters to them.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    random_state : int, RandomState or None

    Attributes
    ----------
    forest_ : Forest
    n_features_in_ : int
    feature_names_in_ : (p,) array of str
        If X is a data frame with text column names.

    References
    ----------
    Madhyastha et al., Geodesic Forests, KDD 2020.

    Sheppard, On the calculation of the most probable values of frequency-constants, for data
    arranged according to equidistant divisions of a scale, Proc. London Math. Soc. 29, 1898.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.linspace(0, 1, 200)
    >>> X = np.c_[4 * t, 6 * t, 9 * t]
    >>> forest = GeodesicForest(n_estimators=50, random_state=1).fit(X)
    >>> distances, indices = forest.kneighbors(n_neighbors=5)
    >>> bool(np.abs(indices - np.arange(200)[:, None]).max() < 60)
    True
    """

    n_projections: float | str

    def __init__(
        self,
        n_estimators: PositiveInt = 300,
        *,
        n_neighbors: PositiveInt = 5,
        criterion: Criterion = "mean_bic",
        projection: Projection | Literal["auto"] = "auto",
        n_projections: PositiveInt | PositiveFloat | Literal["sqrt"] = "sqrt",
        max_projections: PositiveInt | PositiveFloat | Literal["auto"] | None = "auto",
        shortlist: PositiveInt | PositiveFloat | Literal["auto"] | None = "auto",
        patience: Annotated[float, Field(gt=0, le=1)] | Literal["auto"] = "auto",
        nonzeros: Literal["scattered", "one_per_projection"]
        | Annotated[float, Field(gt=0, le=1)] = "scattered",
        min_parent: Annotated[int, Field(ge=2)] | Literal["auto", "sqrt"] = "auto",
        min_leaf: PositiveInt = 1,
        min_share: Annotated[float, Field(ge=0, lt=0.5)] | Literal["auto"] = "auto",
        variance_floor: Annotated[float, Field(ge=0, lt=1)] | Literal["auto"] = "auto",
        max_depth: PositiveInt | None = None,
        max_search: Annotated[int, Field(ge=100)] | Literal["auto"] | None = "auto",
        bootstrap: bool = True,
        pairs: Pairs = "all",
        missing: Literal["refuse", "random"] = "refuse",
        rescale: Rescale | Literal["auto"] = "auto",
        binary_columns: BinaryColumns = "warn",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_neighbors = n_neighbors
        self.criterion = criterion
        self.projection = projection
        self.n_projections = n_projections
        self.max_projections = max_projections
        self.shortlist = shortlist
        self.patience = patience
        self.nonzeros = nonzeros
        self.min_parent = min_parent
        self.min_leaf = min_leaf
        self.min_share = min_share
        self.variance_floor = variance_floor
        self.max_depth = max_depth
        self.max_search = max_search
        self.bootstrap = bootstrap
        self.pairs = pairs
        self.missing = missing
        self.rescale = rescale
        self.binary_columns = binary_columns
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Grow the forest on the rows of X (N, p); y is ignored.

        Raises
        ------
        ValueError
            For NaN (unless `missing` allows it), infinities, text, an empty table or fewer than
            two rows.

        Warns
        -----
        UserWarning
            If most trees have no more than one cut: their neighbours are a coin toss.
        """
        table: npt.NDArray[Any] = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_min_samples=2,
            ensure_all_finite=self._finite,
        )  # fmt: skip
        if self.missing == "random":
            require_some(table)
        self._seed = root_seed(self.random_state)
        self._seeds: tuple[int, ...] = (self._seed,)
        points = self._seen(table, fitting=True)
        self._digest = _digest(points)
        n, p = points.shape
        growth = self._growth(n, p)
        self.forest_: Forest = grow_forest(
            points, growth, self.n_estimators, self._seed, n_jobs=self.n_jobs,
            missing=Draws.of(points) if self.missing == "random" else None,
        )  # fmt: skip
        self._index: list[LeafIndex] = []
        if np.median(self.forest_.n_leaves()) <= _STUMP:
            warnings.warn(
                f"most trees have at most {_STUMP} leaves: {n} rows are few for min_parent = "
                f"{growth.min_parent}, or have nothing to cut; neighbours are then drawn at random "
                "from many equally near ones",
                stacklevel=2,
            )
        return self

    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the (n, T) numbers of the leaves that the rows of X reach."""
        check_is_fitted(self)
        table: npt.NDArray[Any] = validate_data(
            self, X, dtype=[np.float64, np.float32], reset=False, ensure_all_finite=self._finite
        )
        return self.forest_.drop(self._seen(table, fitting=False), n_jobs=self.n_jobs)

    def _seen(self, table: npt.NDArray[Any], *, fitting: bool) -> npt.NDArray[Any]:
        """What the trees see of the rows."""
        if fitting:
            drown = self.criterion not in STEPPED or self.binary_columns == "exclude"
            binary = self.binary_columns if drown else "keep"
            self._columns = Columns.of(table, self._rule("rescale"), binary)
        return self._columns.prepare(table)

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
        return proximity(self.forest_.leaf_of, self.forest_.in_bag > 0, self.pairs)

    def distances(self) -> npt.NDArray[np.float64]:
        """Return 1 - S (N, N)."""
        similarity = self.proximity()
        return np.subtract(1.0, similarity, out=similarity)

    def importance(self, X: npt.ArrayLike) -> Importance:
        """Tell how often the forest cuts each column, and which columns depend on others.

        Each column is judged by trees, as many as the forest has, that are grown on random halves
        of the others, against a permuted copy of it.

        Parameters
        ----------
        X : (N, p) array
            The training points, usually.

        Returns
        -------
        Importance

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> t = rng.uniform(size=200)
        >>> X = np.c_[t, t**2, rng.uniform(size=200)]
        >>> found = GeodesicForest(40, random_state=0).fit(X).importance(X)
        >>> (found.z > 5).tolist()
        [True, True, False]
        """
        check_is_fitted(self)
        table: npt.NDArray[Any] = validate_data(
            self, X, dtype=np.float64, reset=False, ensure_min_samples=2,
            ensure_all_finite=self._finite,
        )  # fmt: skip
        return importance(self, table, self._seed)

    def export_text(self, tree: int = 0, *, decimals: int = 2, max_depth: int = 10) -> str:
        """Return one tree as text, its cuts in the units of X and bag rows in brackets.

        Parameters
        ----------
        tree : int
            0 to n_estimators - 1.
        decimals : int
        max_depth : int
            What is deeper is left out.

        Examples
        --------
        >>> X = np.r_[np.arange(10.0), np.arange(90.0, 100.0)][:, None]
        >>> forest = GeodesicForest(1, min_parent=15, bootstrap=False, min_share=0.3)
        >>> with warnings.catch_warnings(action="ignore"):
        ...     print(forest.fit(X).export_text())
        x0 < 49.50 [20]
          leaf [10]
        x0 >= 49.50
          leaf [10]
        """
        check_is_fitted(self)
        if not 0 <= tree < self.forest_.n_trees:
            raise DataError(f"tree {tree}, but 0 to {self.forest_.n_trees - 1} are there")
        return export_text(
            self.forest_, tree, say=self._in_words(), decimals=decimals, max_depth=max_depth
        )

    def _in_words(self) -> Say:
        shift, span = self._columns.units(self.n_features_in_)
        kept = self._columns.kept
        numbers = range(self.n_features_in_) if kept is None else kept.tolist()
        known = getattr(self, "feature_names_in_", None)
        names = [f"x{j}" if known is None else str(known[j]) for j in numbers]
        return Linear(names, shift, span)

    def _half(self, X: npt.NDArray[Any], seen: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        """A table like X that tells of the columns `seen` only."""
        half: npt.NDArray[Any] = X[:, seen]
        return half

    def _columns_of(self, features: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
        """The columns of X that a node projects."""
        kept = self._columns.kept
        return features.astype(np.intp) if kept is None else kept[features]

    @property
    def _finite(self) -> bool | Literal["allow-nan"]:
        return "allow-nan" if self.missing == "random" else True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "random"
        return tags

    def _rule(self, name: str) -> Any:
        value = getattr(self, name)
        if value != "auto":
            return value
        return {"mean_bic": BY_MEAN, "delta_bic": BY_DELTA}.get(self.criterion, BY_OTHERS)[name]

    def _growth(self, n: int, p: int) -> Growth:
        d = n_candidates(self._rule("n_projections"), p)
        most = self._rule("max_projections")
        return Growth(
            criterion=self.criterion,
            sampler=self._rule("projection"),
            n_projections=d,
            n_nonzeros=n_nonzeros(self.nonzeros, p, d),
            min_parent=smallest_parent(self.min_parent, n, self.n_neighbors),
            min_leaf=self.min_leaf,
            min_share=self._rule("min_share"),
            variance_floor=self._rule("variance_floor"),
            max_depth=1 << 30 if self.max_depth is None else self.max_depth,
            bootstrap=self.bootstrap,
            max_search=self._rule("max_search") or 0,
            good=0.0 if self.criterion in STEPPED else math.inf,
            max_projections=0 if most is None else n_candidates(most, p),
            shortlist=n_listed(self._rule("shortlist"), p),
            patience=self._rule("patience"),
        )


def merge(forests: list[GeodesicForest]) -> GeodesicForest:
    """Join forests fitted on the same points into one forest of all their trees.

    The leaf counts of F forests of T trees are exactly those of one forest of F*T trees.

    Raises
    ------
    ValueError
        If the list is empty, or the forests were fitted on different points, or two of them with
        the same seed: their trees would count twice.
    """
    if not forests:
        raise ValueError("there is no forest to merge")
    sizes = {f.forest_.leaf_of.shape[1] for f in forests}
    if len(sizes) > 1:
        raise ValueError(f"the forests were fitted on different numbers of points: {sorted(sizes)}")
    if len({f._digest for f in forests}) > 1:
        raise ValueError("the forests were fitted on different points")
    seeds = [seed for f in forests for seed in f._seeds]
    twice = sorted({seed for seed in seeds if seeds.count(seed) > 1})
    if twice:
        raise ValueError(f"two forests have the same trees: random_state {twice[0]} is used twice")
    joined = type(forests[0])(**forests[0].get_params())
    joined.__dict__.update(forests[0].__dict__)
    joined.forest_ = merge_trees([f.forest_ for f in forests])
    joined.n_estimators = joined.forest_.n_trees
    joined._seeds = tuple(seeds)
    joined._index = []
    return joined


def _digest(points: npt.NDArray[Any]) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(points.T, np.float64).data).digest()
