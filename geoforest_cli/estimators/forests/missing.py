"""Whether an estimator accepts missing values."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from geoforest_cli.core.errors import DataError


def require_some(points: npt.NDArray[Any]) -> None:
    """Refuse columns without any value.

    Raises
    ------
    DataError
    """
    empty = np.flatnonzero(np.isnan(points).all(axis=0))
    if len(empty):
        raise DataError(f"column {int(empty[0])} has no value at all")


class MissingValues(BaseEstimator):
    """Lets tables hold NaN where the parameter `missing` does not refuse them."""

    missing = "refuse"

    @property
    def _finite(self) -> bool | Literal["allow-nan"]:
        return True if self.missing == "refuse" else "allow-nan"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "refuse"
        return tags
