"""Columns that have a say: those that depend on others, where enough do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.adaptive.groups import linear_groups
from geoforest_cli.estimators.base.validation import constant_columns
from geoforest_cli.estimators.screening.adjust import adjusted
from geoforest_cli.estimators.screening.auto import FEWEST_ROWS, dependent_columns, few_dropped
from geoforest_cli.estimators.screening.autocorrelation import autocorrelated_columns
from geoforest_cli.estimators.screening.columns import ColumnScreen, Method
from geoforest_cli.estimators.screening.row_order import dependent_rows_allowed

__all__ = ["Kept", "effective_directions", "kept_columns", "varying_columns"]

Floats = npt.NDArray[np.float64]
Columns = npt.NDArray[np.int64]

_SCREEN: Method = "auto"
_MANY_COLUMNS = 20  # columns: if none of so many depends on another, lengths mean little
_WIDE = 0.5  # kept columns per row: from so many on a table is wide
_RATE = 0.05  # false discovery rate of the columns of a wide table
_DIRECTIONS = 6.0  # in which a wide table spreads, at least
_SAMPLE = 1000  # rows that this is counted in
_NONE = np.empty(0, np.int64)


class Kept(NamedTuple):
    """The columns that lengths are measured in.

    Attributes
    ----------
    columns : (q,) int64
    groups : (p,) int64
        The group of each column that is found to depend on another one, from 1; -1 for others.
    left_out : (l,) int64
        Columns of groups that are linear or weakly dependent beside a shape.
    independent : bool
        None of many columns depends on another one, and all that vary are kept.
    wide : bool
        At least half as many columns as rows depend on others, and rows spread in many directions.
    """

    columns: Columns
    groups: Columns
    left_out: Columns = _NONE
    independent: bool = False
    wide: bool = False


def varying_columns(points: Floats) -> npt.NDArray[np.int64]:
    """Return the columns of points (N, p) that are not constant, all if every one is."""
    varying = np.flatnonzero(~constant_columns(points))
    return varying if len(varying) else np.arange(points.shape[1])


def effective_directions(points: Floats, rng: np.random.Generator) -> float:
    """Return in how many directions the rows of points (N, p) spread, by their variances.

    It is the participation ratio of the principal components, the square of the sum of their
    variances over the sum of squares: 1 for a line, p for a ball. Of more than 1,000 rows these are
    drawn.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> round(effective_directions(rng.normal(size=(500, 3)), rng))
    3
    """
    if len(points) > _SAMPLE:
        points = points[np.sort(rng.choice(len(points), _SAMPLE, replace=False))]
    centred = points - points.mean(axis=0)
    products = centred @ centred.T
    squares = float((products**2).sum())
    return float(np.trace(products)) ** 2 / squares if squares > 0 else 0.0


def kept_columns(
    points: Floats,
    rng: np.random.Generator,
    n_jobs: int | None = None,
    random_state: Any = None,
    level: float = 0.001,
) -> Kept:
    """Return the columns of points (N, p) that depend on another one, or on several together.

    By pairs and correlations; where these find fewer than two of twenty columns or more, by
    correlations of sizes. If they find at least half as many columns as there are rows, and these
    spread in many directions, all that depend on others at a false discovery rate of .05 are kept:
    columns are many enough then to outweigh a few false ones, and rows too few to find all.
    Of several groups of columns, those are left out that are linear or weak beside a shape.
    Constant columns are never kept, unless all are constant; of fewer than 10 rows no other is
    left out.
    """
    p = points.shape[1]
    groups = np.full(p, -1, np.int64)
    varying = varying_columns(points)
    if len(varying) < 2 or (points[:, varying] == points[0, varying]).all():
        return Kept(varying, groups)
    screen = ColumnScreen(_SCREEN, level=level, n_jobs=n_jobs, random_state=random_state)
    with dependent_rows_allowed():
        groups[varying] = screen.fit(points[:, varying]).groups_
    if (groups > 0).sum() < 2:
        groups[:] = -1
        related = dependent_columns(screen.support_, points[:, varying], level, n_jobs)
        groups[varying[related]] = 1
    if (groups > 0).sum() < 2:
        return Kept(varying, groups, independent=len(varying) >= _MANY_COLUMNS)
    if len(points) < FEWEST_ROWS:
        return Kept(varying, groups)
    if (groups > 0).sum() >= _WIDE * len(points):
        columns = varying[adjusted(screen.pvalues_, "fdr") <= _RATE]
        if effective_directions(points[:, columns], rng) >= _DIRECTIONS:
            return Kept(columns, groups, wide=True)
    left_out = np.flatnonzero(np.isin(groups, linear_groups(points, groups, rng)))
    # a column that is left out does not come back as one that depends on the others
    candidates = np.setdiff1d(varying, left_out)
    columns = np.flatnonzero(groups[candidates] > 0)
    kept = candidates[autocorrelated_columns(points[:, candidates], columns, rng)]
    if few_dropped(len(varying) - len(kept), len(varying)):
        return Kept(varying, groups)
    return Kept(kept, groups, left_out)
