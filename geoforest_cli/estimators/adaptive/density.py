"""Evenness of rows, and columns that are crowded."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.base.search import NearestRows

__all__ = ["crowding", "density_range", "half_sample_mode", "some_rows"]

Floats = npt.NDArray[np.float64]

_NEAREST = 10
_MIN_ROWS = 4 * _NEAREST  # distinct rows: with fewer nothing is said
_ROWS = 2000  # rows that are looked at
_FAR = 6.0  # of logarithms: a row at a mode itself counts as little away


def some_rows(points: Floats) -> Floats:
    """Return the distinct ones of points (N, p), of at most 2,000 that lie evenly in the table."""
    if len(points) > _ROWS:
        points = points[np.linspace(0, len(points) - 1, _ROWS).astype(np.int64)]
    rows: Floats = np.unique(points, axis=0)
    return rows


def density_range(points: Floats) -> float:
    """Return how much sparser the sparse rows lie than the dense ones.

    The logarithm of the 90 % quantile over the 10 % quantile of the distances of rows to their
    tenth nearest one; NaN for fewer than 40 distinct rows.

    Examples
    --------
    >>> x = np.random.default_rng(0).uniform(-1, 1, size=(500, 2))
    >>> density_range(x) < 1 < 2 < density_range(x**3)
    True
    """
    rows = some_rows(points)
    if len(rows) < _MIN_ROWS:
        return np.nan
    lengths = NearestRows(n_neighbors=_NEAREST).fit(rows).kneighbors()[0][:, -1]
    dense, sparse = np.quantile(np.log(np.maximum(lengths, np.finfo(float).tiny)), [0.1, 0.9])
    return float(sparse - dense)


def crowding(points: Floats) -> float:
    """Return how closely the width of a column among near rows follows the way to its mode.

    For the rows of points (N, p), the correlation over rows and columns of log |x - mode| with the
    log of the column's standard deviation among the ten nearest rows; both less their means over a
    row and over a column, so that rows that are dense in all columns alike say nothing. Close to 0
    without crowding, positive where each column is crowded about its own mode; NaN for fewer than
    two columns or 40 distinct rows.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(500, 3))
    >>> abs(crowding(x)) < 0.1 < 0.5 < crowding(x**3)
    True
    """
    rows = some_rows(points)
    if len(rows) < _MIN_ROWS or rows.shape[1] < 2:
        return np.nan
    neighbors = NearestRows(n_neighbors=_NEAREST).fit(rows).kneighbors(return_distance=False)
    neighbors = np.column_stack([np.arange(len(rows)), neighbors])
    tiny = np.finfo(float).tiny
    widths = np.column_stack([np.log(np.maximum(x[neighbors].std(axis=1), tiny)) for x in rows.T])
    away = np.column_stack([np.abs(x - half_sample_mode(x)) for x in rows.T])
    away = np.clip(_centred(np.log(np.maximum(away, tiny))), -_FAR, _FAR)
    widths = _centred(widths)
    norm = float(np.sqrt((away**2).sum() * (widths**2).sum()))
    return float((away * widths).sum()) / norm if norm > 0 else np.nan


def _centred(table: Floats) -> Floats:
    table = table - table.mean(axis=1, keepdims=True)
    centred: Floats = table - table.mean(axis=0)
    return centred


def half_sample_mode(values: Floats) -> float:
    """Return the mode of values (N,): the shortest half is taken again and again.

    References
    ----------
    Bickel and Frühwirth, On a fast, robust estimator of the mode, 2006.

    Examples
    --------
    >>> half_sample_mode(np.array([0.0, 5.0, 5.1, 5.2, 9.0]))
    5.05
    """
    values = np.sort(values)
    while len(values) > 2:
        half = (len(values) + 1) // 2
        widths = values[half - 1 :] - values[: len(values) - half + 1]
        start = int(widths.argmin())
        values = values[start : start + half]
    return float(values.mean())
