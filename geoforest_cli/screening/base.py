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

__all__ = ["Level", "Positive", "Screen", "Verdicts", "require"]

Level = Annotated[float, Field(gt=0, lt=1)]
Positive = Annotated[int, Field(ge=1)]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


def require(name: str, value: object, allowed: str, *, valid: bool) -> None:
    """Refuse the value of a parameter.

    Raises
    ------
    DataError

    Examples
    --------
    >>> require("level", 2, "between 0 and 1", valid=False)
    Traceback (most recent call last):
    geoforest_cli.errors.DataError: level = 2, but it must be between 0 and 1
    """
    if not valid:
        raise DataError(f"{name} = {value!r}, but it must be {allowed}")


@dataclass(frozen=True)
class Verdicts:
    """What a screen says of each of p columns.

    Attributes
    ----------
    scores : (p,) float64
        The larger, the more dependent on the other columns; 0 where a column cannot be judged.
    pvalues : (p,) float64
        1 where a column cannot be judged.
    judged : (p,) bool
        Which columns could be: the others do not count among the tests.
    partners : (p,) int64
        The column that each depends on most; -1 where none can be named.
    """

    scores: Floats
    pvalues: Floats
    judged: Bools
    partners: Numbers

    @classmethod
    def of(
        cls, scores: Floats, pvalues: Floats, judged: Bools, partners: Numbers | None = None
    ) -> Self:
        """Fill in what is said of columns that cannot be judged, and that no partner is known."""
        none = np.full(len(scores), -1, np.int64) if partners is None else partners
        return cls(np.where(judged, scores, 0.0), np.where(judged, pvalues, 1.0), judged, none)

    @classmethod
    def nothing(cls, p: int) -> Self:
        """Say that no column can be judged."""
        return cls.of(np.zeros(p), np.ones(p), np.zeros(p, np.bool_))


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

    level: float
    adjust: Adjust

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Judge the columns of X (n, p); NaN are left out, y is ignored.

        Raises
        ------
        ValueError
            For infinities, text, an empty table, a parameter that is out of range.
        """
        self._check()
        table: npt.NDArray[Any] = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        found = self._judge(table)
        self.scores_, self.pvalues_, self.partners_ = found.scores, found.pvalues, found.partners
        self._decide(found.judged)
        return self

    @abstractmethod
    def _judge(self, table: npt.NDArray[Any]) -> Verdicts:
        """Judge the columns of a table (n, p) that may hold NaN."""

    def _decide(self, judged: Bools) -> None:
        self.adjusted_ = np.ones(len(judged))
        self.adjusted_[judged] = adjusted(self.pvalues_[judged], self.adjust)
        self.support_ = self.adjusted_ <= self.level

    def _check(self) -> None:
        require("level", self.level, "between 0 and 1", valid=0 < self.level < 1)
        require("adjust", self.adjust, "'fdr' or 'fwer'", valid=self.adjust in {"fdr", "fwer"})

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
