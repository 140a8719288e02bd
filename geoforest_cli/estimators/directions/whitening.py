"""Whitening: centred columns of unit variance that are uncorrelated, as many as the rank."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr

from geoforest_cli.estimators.base.validation import constant_columns

__all__ = ["Whitened", "dependent_columns", "own_metric", "standardised", "whiten"]

Floats = npt.NDArray[np.float64]
_NEGLIGIBLE = 1e-8  # of the largest singular value


class Whitened(NamedTuple):
    """A table in uncorrelated columns of unit variance.

    Attributes
    ----------
    scores : (n, r) float64
        Principal components divided by their standard deviations.
    loadings : (p, r) float64
        Scores are the standardised columns times these.
    mean, width : (p,) float64
        Of the columns of the table; the width of a constant column is 1.
    """

    scores: Floats
    loadings: Floats
    mean: Floats
    width: Floats


def standardised(table: npt.NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """Return columns of mean 0 and variance 1, the means and the standard deviations.

    A constant column becomes 0, with the width 1.
    """
    values = table.astype(np.float64)
    # large values first lose their size: their squares would leave the range of the type
    size = np.maximum(np.abs(values).max(axis=0), np.finfo(float).tiny)
    values /= size
    mean = values.mean(axis=0)
    values -= mean
    width = values.std(axis=0)
    flat = constant_columns(table) | (width == 0)
    width[flat] = 1.0
    values[:, flat] = 0.0
    return values / width, mean * size, np.where(flat, 1.0, width * size)


def whiten(table: npt.NDArray[Any]) -> Whitened:
    """Return uncorrelated columns of unit variance that span the columns of a table (n, p).

    Columns are standardised first, so that units do not decide on the rank.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> whitened = whiten(np.c_[X, X @ [1.0, 2.0, 3.0], np.ones(50)])
    >>> whitened.scores.shape
    (50, 3)
    >>> bool(np.allclose(whitened.scores.T @ whitened.scores / 50, np.eye(3)))
    True
    """
    values, mean, width = standardised(table)
    n = len(values)
    left, sizes, right = np.linalg.svd(values, full_matrices=False)
    rank = int((sizes > _NEGLIGIBLE * sizes[0]).sum()) if sizes[0] > 0 else 0
    scores = np.ascontiguousarray(left[:, :rank]) * np.sqrt(n)
    return Whitened(scores, right[:rank].T / sizes[:rank] * np.sqrt(n), mean, width)


def own_metric(basis: Floats, whitened: Whitened, values: Floats, scale: Floats) -> Floats:
    """Return directions (q, p) in whose projection distances are those of the predicted columns.

    The columns' part that scores Y of unit variance predict is Y Cov(Y, X). It has q dimensions;
    the projection is it in its own principal axes.
    """
    predicted = basis.T @ (whitened.scores.T @ values / len(values)) * scale
    rotation, sizes, _ = np.linalg.svd(predicted, full_matrices=False)
    directions = (whitened.loadings @ basis @ (rotation * sizes)).T / whitened.width
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
    signed: Floats = directions * np.where(largest < 0, -1.0, 1.0)
    return signed


def dependent_columns(table: npt.NDArray[Any], rank: int) -> npt.NDArray[np.int64]:
    """Return the columns that others of the table (n, p) determine, constant ones among them.

    As many as the table has beyond its rank; of two equal columns the later one, so far as
    lengths decide.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> dependent_columns(np.c_[X, X[:, 0], np.ones(50)], 2).tolist()
    [2, 3]
    """
    values, _, _ = standardised(table)
    order = qr(values, mode="r", pivoting=True)[1]
    rest = order[rank:]
    earlier = {int(first) for first in order[:rank]}
    named = []
    for column in rest:
        # of two equal columns the later one repeats the earlier one
        equal = [k for k in earlier if k > column and np.array_equal(table[:, k], table[:, column])]
        named.append(equal[0] if equal else int(column))
        if equal:
            earlier = (earlier - {equal[0]}) | {int(column)}
    return np.sort(np.array(named, np.int64))
