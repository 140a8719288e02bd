"""Base of all screens: scikit-learn selectors with a p-value for every column."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.sparse import issparse
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.validation import without_rounding
from geoforest_cli.estimators.screening.adjust import Adjust, adjusted
from geoforest_cli.estimators.screening.row_order import warn_of_dependent_rows

__all__ = ["ColumnTests", "Level", "Screen", "Table", "dense", "missing"]

Level = Annotated[float, Field(gt=0, lt=1)]
_VALUES_PER_BLOCK = 1 << 22
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Table: TypeAlias = Any  # an array (n, p), or a sparse matrix by columns


def dense(columns: Any) -> npt.NDArray[Any]:
    """Return some columns of a table that may be sparse."""
    array: npt.NDArray[Any] = columns.toarray() if issparse(columns) else columns
    return array


def missing(table: Any) -> Numbers:
    """Return how many values each column of a table misses, without copies of the table."""
    if issparse(table):
        places = np.repeat(np.arange(table.shape[1]), np.diff(table.indptr))
        return np.bincount(places[np.isnan(table.data)], minlength=table.shape[1])
    step = max(1, _VALUES_PER_BLOCK // max(len(table), 1))
    parts = (table[:, start : start + step] for start in range(0, table.shape[1], step))
    counts = [np.isnan(part).sum(axis=0) for part in parts]
    counts_of_columns: Numbers = np.concatenate([np.empty(0, np.int64), *counts])
    return counts_of_columns


@dataclass(frozen=True)
class ColumnTests:
    """Verdict of a screen on each of p columns.

    Attributes
    ----------
    scores : (p,) float64
        The larger, the more dependent on the other columns; 0 where a column cannot be tested.
    pvalues : (p,) float64
        1 where a column cannot be tested.
    tested : (p,) bool
        Which columns could be: the others do not count among the tests.
    partners : (p,) int64
        The column that each depends on most; -1 where none can be named.
    """

    scores: Floats
    pvalues: Floats
    tested: Bools
    partners: Numbers

    @classmethod
    def of(
        cls, scores: Floats, pvalues: Floats, tested: Bools, partners: Numbers | None = None
    ) -> Self:
        """Fill in what is said of columns that cannot be tested, and that no partner is known."""
        none = np.full(len(scores), -1, np.int64) if partners is None else partners
        return cls(np.where(tested, scores, 0.0), np.where(tested, pvalues, 1.0), tested, none)

    @classmethod
    def untested(cls, p: int) -> Self:
        """Say that no column can be tested."""
        return cls.of(np.zeros(p), np.ones(p), np.zeros(p, np.bool_))


class Screen(SelectorMixin, Estimator, ABC):
    """Keeps the columns whose adjusted p-value is at most the level.

    Parameters
    ----------
    level : float
    adjust : {"fdr", "fwer"}
    on_none : {"error", "empty"}
        What `transform` does where no column is kept: refuse, or return no column with a warning,
        as scikit-learn's selectors do.

    Attributes
    ----------
    scores_ : (p,) float64
        The larger, the more dependent.
    pvalues_, adjusted_ : (p,) float64
    partners_ : (p,) int64
        The column that each depends on most; -1 where none can be named.
    support_ : (p,) bool
        The columns that are kept.
    n_features_in_ : int
    feature_names_in_ : (p,) array of str
        If X is a data frame with text column names.
    """

    _sparse: ClassVar[bool] = False  # whether a sparse table is taken
    level: Level = 0.01
    adjust: Adjust = "fwer"
    on_none: Literal["error", "empty"] = "error"

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Test the columns of X (n, p), which may be sparse; NaN are left out, y is ignored.

        Rows are independent of each other.

        Raises
        ------
        ValueError
            For infinities, text, an empty table, a parameter that is out of range.

        Warns
        -----
        DependentRowsWarning
            If rows depend on those before them; not of a sparse table.
        """
        table = self._table(X, reset=True)
        if not issparse(table):
            table = without_rounding(table)
            warn_of_dependent_rows(table, getattr(self, "feature_names_in_", None))
        tests = self._test_columns(table)
        self.scores_, self.pvalues_, self.partners_ = tests.scores, tests.pvalues, tests.partners
        self._select(tests.tested)
        self._finish(table)
        return self

    def _table(self, X: npt.ArrayLike, *, reset: bool) -> Table:
        validated: Table = validate_data(
            self, X, accept_sparse="csc" if self._sparse else False, dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan", reset=reset,
        )  # fmt: skip
        return validated

    @abstractmethod
    def _test_columns(self, table: Table) -> ColumnTests:
        """Test the columns of a table (n, p) that may hold NaN."""

    def _select(self, tested: Bools) -> None:
        self.adjusted_ = np.ones(len(tested))
        self.adjusted_[tested] = adjusted(self.pvalues_[tested], self.adjust)
        self.support_ = self.adjusted_ <= self.level

    def _finish(self, table: Table) -> None:
        """Learn what else is to be said of the columns, once it is known which are kept."""

    def transform(self, X: npt.ArrayLike) -> Any:
        """Return the columns of X (n, p) that are kept.

        Raises
        ------
        ValueError
            If no column is kept, unless `on_none` is "empty".
        """
        check_is_fitted(self)
        self._table(X, reset=False)
        if self.on_none == "error" and not self._get_support_mask().any():
            p = self.n_features_in_
            raise DataError(
                f"No column was kept: none of {p} depends on the others at level={self.level:g}. "
                "A larger level keeps more; on_none='empty' returns no column."
            )
        return super().transform(X)

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._sparse
        return tags
