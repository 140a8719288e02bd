"""Base of the forests without labels: parameters, growing, neighbours, text."""

from __future__ import annotations

import hashlib
import math
import warnings
from abc import abstractmethod
from dataclasses import field
from typing import Annotated, Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import (
    Jobs,
    PositiveFloat,
    PositiveInt,
    TwoOrMore,
    root_seed,
)
from geoforest_cli.estimators.base.validation import without_rounding
from geoforest_cli.estimators.forests.columns import Columns
from geoforest_cli.estimators.forests.forest import Forest, reporting
from geoforest_cli.estimators.forests.forest import merge as merge_trees
from geoforest_cli.estimators.forests.forest_proximity import ForestProximity
from geoforest_cli.estimators.forests.growth import STEPPED, Growth, grow_forest
from geoforest_cli.estimators.forests.neighbors import ForestNeighbors
from geoforest_cli.estimators.forests.presets import BY_DELTA, BY_MEAN, BY_OTHERS, Criterion
from geoforest_cli.estimators.forests.proximity import LeafIndex
from geoforest_cli.estimators.forests.sizes import n_candidates, smallest_parent
from geoforest_cli.estimators.forests.text import Say, export_text

__all__ = ["UnsupervisedForest", "merge"]

_STUMP = 2  # leaves


class UnsupervisedForest(ForestNeighbors, ForestProximity, Estimator):
    """Trees whose cuts separate two clusters; two points are near when they often share a leaf.

    The parameters are those of `GeodesicForest`.
    """

    n_estimators: PositiveInt = field(default=300, kw_only=False)
    n_neighbors: PositiveInt = 5
    criterion: Criterion = "mean_bic"
    max_projections: PositiveInt | PositiveFloat | Literal["auto"] | None = "auto"
    min_parent: TwoOrMore | Literal["auto", "sqrt"] = "auto"
    min_leaf: PositiveInt = 1
    min_share: Annotated[float, Field(ge=0, lt=0.5)] | Literal["auto"] = "auto"
    variance_floor: Annotated[float, Field(ge=0, lt=1)] | Literal["auto"] = "auto"
    max_depth: PositiveInt | None = None
    max_search: Annotated[int, Field(ge=100)] | Literal["auto"] | None = "auto"
    bootstrap: bool = True
    n_jobs: Jobs = None
    random_state: Any = None
    verbose: bool = False

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Grow the forest on the rows of X (N, p); y is ignored.

        Raises
        ------
        ValueError
            For NaN, infinities, text, an empty table or fewer than two rows.

        Warns
        -----
        UserWarning
            If most trees have no more than one cut: their neighbours are a coin toss.
        """
        table = without_rounding(self._checked(X, reset=True, ensure_min_samples=2))
        self._seed = root_seed(self.random_state)
        self._seeds: tuple[int, ...] = (self._seed,)
        points = self._prepared(table, fitting=True)
        self._digest = _digest(points)
        n, p = points.shape
        growth = self._growth(n, p)
        with reporting(self):
            self.forest_: Forest = grow_forest(
                points, growth, self.n_estimators, self._seed, n_jobs=self.n_jobs
            )
        self.n_samples_fit_ = n
        self._index: list[LeafIndex] = []
        if np.median(self.forest_.n_leaves()) <= _STUMP:
            warnings.warn(
                f"most trees have at most {_STUMP} leaves: {n} rows are few for min_parent = "
                f"{growth.min_parent}, or have nothing to cut; neighbours are then drawn at random "
                "from many equally near ones",
                stacklevel=3,
            )
        return self

    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the (n, T) numbers of the leaves that the rows of X reach."""
        check_is_fitted(self)
        table = self._checked(X)
        return self.forest_.drop(self._prepared(table, fitting=False), n_jobs=self.n_jobs)

    def _checked(
        self, X: npt.ArrayLike, *, reset: bool = False, ensure_min_samples: int = 1
    ) -> npt.NDArray[Any]:
        table: npt.NDArray[Any] = validate_data(
            self, X, reset=reset, dtype=[np.float64, np.float32],
            ensure_min_samples=ensure_min_samples,
        )  # fmt: skip
        return table

    def _prepared(self, table: npt.NDArray[Any], *, fitting: bool) -> npt.NDArray[Any]:
        """Return what the trees see of the rows."""
        if fitting:
            self._columns = self._fitted_columns(table)
        return self._columns.prepare(table)

    def _fitted_columns(self, table: npt.NDArray[Any]) -> Columns:
        """Return which columns the trees see, and their scale."""
        return Columns.of(table, "none", "keep")

    def distances(self) -> npt.NDArray[np.float64]:
        """Return 1 - S (N, N)."""
        similarity = self.proximity()
        return np.subtract(1.0, similarity, out=similarity)

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
        >>> from geoforest_cli import GeodesicForest
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
            raise DataError(f"tree {tree}, but there are 0 to {self.forest_.n_trees - 1}")
        return export_text(
            self.forest_, tree, say=self._text(), decimals=decimals, max_depth=max_depth
        )

    @abstractmethod
    def _text(self) -> Say:
        """Return what puts a cut into words."""

    def _rule(self, name: str) -> Any:
        value = getattr(self, name)
        if value != "auto":
            return value
        return {"mean_bic": BY_MEAN, "delta_bic": BY_DELTA}.get(self.criterion, BY_OTHERS)[name]

    @abstractmethod
    def _growth(self, n: int, p: int) -> Growth:
        """Return how trees on n rows and p columns grow."""

    def _rules(self, n: int, p: int, sampler: str, **of_sampler: Any) -> Growth:
        most = self._rule("max_projections")
        return Growth(
            criterion=self.criterion,
            sampler=sampler,
            n_projections=n_candidates(self._rule("n_projections"), p),
            min_parent=smallest_parent(self.min_parent, n, self.n_neighbors),
            min_leaf=self.min_leaf,
            min_share=self._rule("min_share"),
            variance_floor=self._rule("variance_floor"),
            max_depth=self.max_depth,
            bootstrap=self.bootstrap,
            max_search=self._rule("max_search") or 0,
            stop_score=0.0 if self.criterion in STEPPED else math.inf,
            max_projections=0 if most is None else n_candidates(most, p),
            **of_sampler,
        )


F = TypeVar("F", bound=UnsupervisedForest)


def merge(forests: list[F]) -> F:
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
