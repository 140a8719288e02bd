"""What all screens have in common: scikit-learn selectors with a p-value for every column."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.errors import DataError
from geoforest_cli.screening.adjust import Adjust, adjusted

__all__ = ["Level", "Positive", "Screen", "Verdicts"]

Level = Annotated[float, Field(gt=0, lt=1)]
Positive = Annotated[int, Field(ge=1)]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Verdicts:
    """What a screen says of each of p columns.

    Attributes
    ----------
    scores : (p,) float64
        The larger, the more dependent on the other columns.
    pvalues : (p,) float64
        1 where a column cannot be judged.
    judged : (p,) bool
        Which columns could be: the others do not count among the tests.
    partners : (p,) int64
        The column that each depends on most; -1 where none can be named.
    """

    scores: Floats
    pvalues: Floats
    judged: npt.NDArray[np.bool_]
    partners: npt.NDArray[np.int64]

    @classmethod
    def of(
        cls,
        scores: Floats,
        pvalues: Floats,
        judged: npt.NDArray[np.bool_] | None = None,
        partners: npt.NDArray[np.int64] | None = None,
    ) -> Self:
        """Fill in that all columns are judged, and that no partner is known."""
        every = np.ones(len(scores), np.bool_) if judged is None else judged
        none = np.full(len(scores), -1, np.int64) if partners is None else partners
        return cls(np.where(every, scores, 0.0), np.where(every, pvalues, 1.0), every, none)


class Screen(SelectorMixin, BaseEstimator, ABC):
    """Keeps the columns whose adjusted p-value is at most the level.

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

    level: float = 0.01
    adjust: Adjust = "fwer"

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Judge the columns of X (n, p); NaN are left out, y is ignored.

        Raises
        ------
        ValueError
            For infinities, text, an empty table.
        """
        self._check()
        table: npt.NDArray[Any] = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        found = self._judge(table)
        self.scores_, self.pvalues_, self.partners_ = found.scores, found.pvalues, found.partners
        self.adjusted_ = np.ones(len(found.scores))
        self.adjusted_[found.judged] = adjusted(found.pvalues[found.judged], self.adjust)
        self.support_ = self._kept(found)
        return self

    @abstractmethod
    def _judge(self, table: npt.NDArray[Any]) -> Verdicts:
        """Judge the columns of a table (n, p) that may hold NaN."""

    def _kept(self, found: Verdicts) -> npt.NDArray[np.bool_]:
        kept: npt.NDArray[np.bool_] = self.adjusted_ <= self.level
        return kept

    def _check(self) -> None:
        if not 0 < self.level < 1:
            raise DataError(f"level = {self.level!r}, but a number between 0 and 1 is needed")
        if self.adjust not in {"fdr", "fwer"}:
            raise DataError(f"adjust = {self.adjust!r}, but 'fdr' or 'fwer' is needed")

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
