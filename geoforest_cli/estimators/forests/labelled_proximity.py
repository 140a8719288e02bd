"""What proximities say of labelled rows: outliers of each class, and its prototype."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.parameters import PositiveInt, check_argument

__all__ = ["Prototypes", "class_prototypes", "outlier_scores"]

Floats = npt.NDArray[np.float64]


def outlier_scores(proximity: Any, y: npt.ArrayLike | None = None) -> Floats:
    r"""Return how far each row lies from the rows of its class, by Breiman's measure.

    The raw measure of row i is

    .. math::

        r_i = N \Big/ \sum_{j \ne i,\; y_j = y_i} p(i, j)^2,

    and its score :math:`(r_i - m) / d`, with m the median of the raw measures of its class, and d
    the median of their distances :math:`|r_j - m|` to it. Breiman calls rows above 10 outliers.

    Parameters
    ----------
    proximity : (N, N) array or sparse matrix
        As a forest's `proximity` returns it. That of "gap" is taken as it is: row i has the
        weights of the others in the out-of-bag prediction of i.
    y : (N,) array, optional
        Classes; by default all rows are one class.

    Returns
    -------
    (N,) float64
        Infinite for a row that shares no leaf with its class, and where d is 0 since more than half
        of a class lies equally far: by "oob" and "gap" that is rare. NaN for a row that is alone in
        its class, or whose own proximity is NaN.

    Raises
    ------
    DataError
        If the matrix is not square, or `y` has another number of rows.

    References
    ----------
    Breiman and Cutler, Random forests, 2004, "Outliers". For GAP: Rhodes, Cutler and Moon,
    Geometry- and accuracy-preserving random forest proximities, 2023.

    Examples
    --------
    >>> from geoforest_cli import RandomForestClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[3] = 2  # among flowers of class 0
    >>> forest = RandomForestClassifier(200, min_leaf=3, random_state=0).fit(X, y)
    >>> scores = outlier_scores(forest.proximity(weights="gap", sparse=True), y)
    >>> int(scores.argmax())
    3
    """
    matrix, codes, classes = _read(proximity, y)
    n = len(codes)
    row = np.repeat(np.arange(n), np.diff(matrix.indptr))
    counted = (row != matrix.indices) & (codes[row] == codes[matrix.indices])
    squares = np.where(counted, np.nan_to_num(matrix.data, nan=0.0) ** 2, 0.0)
    with np.errstate(divide="ignore"):
        raw = n / np.bincount(row, squares, n)
    raw[np.isnan(matrix.diagonal())] = np.nan
    scores = np.full(n, np.nan)
    for code in range(len(classes)):
        own = codes == code
        if own.sum() > 1:
            scores[own] = _standardised(raw[own])
    return scores


def _standardised(raw: Floats) -> Floats:
    """Return distances to the median in units of their median; infinite ones are allowed."""
    known = ~np.isnan(raw)
    if not known.any():
        return raw
    median = np.median(raw[known])
    # equal infinite values are no distance apart
    distance = np.zeros_like(raw)
    np.subtract(raw, median, out=distance, where=raw != median)
    unit = np.median(np.abs(distance[known]))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores: Floats = np.where(distance == 0, 0.0, distance / unit)
    return scores


@dataclass(frozen=True)
class Prototypes:
    """The prototype of each class.

    Attributes
    ----------
    classes : (K,)
    rows : (K,) int64
        The row that stands for each class.
    members : list of (m,) int64
        That row, and those of its nearest that are of its class, the nearest first.
    """

    classes: npt.NDArray[Any]
    rows: npt.NDArray[np.int64]
    members: list[npt.NDArray[np.int64]]

    def medians(self, X: npt.ArrayLike) -> Floats:
        """Return the median of the members of each class in each column of X (K, p)."""
        points = np.asarray(X, np.float64)
        return np.stack([np.median(points[rows], axis=0) for rows in self.members])


def class_prototypes(
    proximity: Any, y: npt.ArrayLike, n_neighbors: int | None = None
) -> Prototypes:
    """Return the row of each class with most rows of the class among its nearest.

    Of several, it is the one with the largest sum of proximities to them, then the first.

    Parameters
    ----------
    proximity : (N, N) array or sparse matrix
        As a forest's `proximity` returns it. A row's nearest are those with the largest positive
        entries in its row, itself left out; of equally near ones the first.
    y : (N,) array
        Classes.
    n_neighbors : int, optional
        How many nearest rows are looked at; by default one less than the smallest class has rows,
        at least one.

    Raises
    ------
    DataError
        If the matrix is not square, `y` has another number of rows, or `n_neighbors` is not
        positive.

    Notes
    -----
    As in the function ``classCenter`` of R's package randomForest, where a row is one of its own
    neighbours and may be of another class than the one it stands for.

    References
    ----------
    Breiman and Cutler, Random forests, 2004, "Prototypes".

    Examples
    --------
    >>> from geoforest_cli import RandomForestClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(100, random_state=0).fit(X, y)
    >>> found = class_prototypes(forest.proximity(sparse=True), y)
    >>> y[found.rows].tolist()
    [0, 1, 2]
    >>> found.medians(X).shape
    (3, 4)
    """
    check_argument("n_neighbors", n_neighbors, PositiveInt | None)
    matrix, codes, classes = _read(proximity, y)
    k = n_neighbors or max(1, int(np.bincount(codes).min()) - 1)
    best = [(-1, -1.0)] * len(classes)
    rows = np.zeros(len(classes), np.int64)
    members: list[npt.NDArray[np.int64]] = [rows[:0]] * len(classes)
    for i, code in enumerate(codes):
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        near, shares = matrix.indices[part], matrix.data[part]
        counted = (shares > 0) & (near != i)
        near, shares = near[counted], shares[counted]
        order = np.argsort(-shares, kind="stable")[:k]
        order = order[codes[near[order]] == code]
        score = (len(order), float(shares[order].sum()))
        if score > best[code]:
            best[code], rows[code] = score, i
            members[code] = np.r_[i, near[order]].astype(np.int64)
    return Prototypes(classes, rows, members)


def _read(
    proximity: Any, y: npt.ArrayLike | None
) -> tuple[csr_array, npt.NDArray[np.intp], npt.NDArray[Any]]:
    """Return the matrix with sorted columns, and the classes as numbers."""
    matrix = csr_array(proximity if issparse(proximity) else np.asarray(proximity, np.float64))
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"the proximity matrix has the shape {matrix.shape}, it must be square")
    n = matrix.shape[0]
    labels = np.zeros(n, np.int64) if y is None else np.asarray(y)
    if labels.shape != (n,):
        raise DataError(f"y has the shape {labels.shape}, a matrix of {n} rows needs {(n,)}")
    if not matrix.has_sorted_indices:
        matrix = matrix.sorted_indices()
    classes, codes = np.unique(labels, return_inverse=True)
    return matrix, codes, classes
