"""Which columns have a say: those that depend on others, where enough do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.adaptive.rescue import rescued_columns
from geoforest_cli.estimators.screening.columns import ColumnScreen, Method

__all__ = ["Kept", "kept_columns", "varying_columns"]

Floats = npt.NDArray[np.float64]

_SCREEN: Method = "auto"
_FEW = 0.05  # share of the columns: if no more would be dropped, none is
_MANY = 20  # columns: if none of so many depends on another, lengths mean little


class Kept(NamedTuple):
    """The columns that lengths are measured in.

    Attributes
    ----------
    columns : (q,) int64
    independent : bool
        None of many columns depends on another one, and all that vary are kept.
    """

    columns: npt.NDArray[np.int64]
    independent: bool


def varying_columns(points: Floats) -> npt.NDArray[np.int64]:
    """Return the columns of points (N, p) that are not constant, all if every one is."""
    varying = np.flatnonzero((points != points[0]).any(axis=0))
    return varying if len(varying) else np.arange(points.shape[1])


def kept_columns(
    points: Floats,
    rng: np.random.Generator,
    n_jobs: int | None = None,
    random_state: Any = None,
    level: float = 0.001,
) -> Kept:
    """Return the columns of points (N, p) that depend on another one, or on several together.

    Constant columns are never kept, unless all are constant.
    """
    varying = varying_columns(points)
    if len(varying) < 2 or (points[:, varying] == points[0, varying]).all():
        return Kept(varying, independent=False)
    screen = ColumnScreen(_SCREEN, level=level, n_jobs=n_jobs, random_state=random_state)
    found = screen.fit(points[:, varying]).get_support(indices=True)
    if len(found) < 2:
        return Kept(varying, independent=len(varying) >= _MANY)
    kept = varying[rescued_columns(points[:, varying], found, rng)]
    dropped = len(varying) - len(kept)
    return Kept(varying if dropped <= max(1, _FEW * len(varying)) else kept, independent=False)
