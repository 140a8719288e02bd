"""Rows that are copies of one another: none of them is a nearer neighbour than the others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["copies_note", "draw_among_copies", "number_copies"]

Indices = npt.NDArray[np.int64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd: what it multiplies stays distinct
_MANY, _SOME = 0.1, 1 / 30  # of the rows
_DIFFERENT, _LOOKED_AT = 20, 1000  # values of a column that shows copies, in so many rows
_MEANING = {
    "accuracy": ("the accuracy is too high: a row is predicted by a model that has seen its copy"),
    "p-values": "p-values are too small: they count each copy as a row of its own",
    "score": "scores are too high: a row has its copy for a neighbour",
}


def number_copies(points: npt.NDArray[np.floating]) -> Indices:
    """Return for each row the number of its values, from 0 in the order of their first rows.

    Rows are compared by hashes of 64 bits.

    Parameters
    ----------
    points : (N, p) array

    Examples
    --------
    >>> number_copies(np.array([[1.0, 0.0], [2.0, 3.0], [1.0, -0.0]])).tolist()
    [0, 1, 0]
    """
    hashes = np.zeros(len(points), np.uint64)
    for column in points.T:
        # both zeros are one value
        hashes = hashes * _FACTOR + pd.util.hash_array(column + 0.0)
    return pd.factorize(hashes)[0].astype(np.int64)


def copies_note(points: npt.NDArray[np.floating], measure: str = "accuracy") -> str:
    """Return what rows that equal others mean for a result; empty where they are few.

    Parameters
    ----------
    points : (N, p) array
    measure : {"accuracy", "p-values", "score"}
        The result. P-values and scores are too good from one row in thirty on, and rows are
        compared only where a column has twenty different values: else they are equal by chance.

    Examples
    --------
    >>> copies_note(np.arange(20.0)[:, None])
    ''
    >>> print(copies_note(np.tile(np.arange(20.0), 2)[:, None], "p-values"))
    40 of 40 rows equal another row. If they are of one thing measured more than once, p-values \
are too small: they count each copy as a row of its own.
    """
    accuracy = measure == "accuracy"
    first = points[:_LOOKED_AT].T
    if not accuracy and not any(len(np.unique(column)) >= _DIFFERENT for column in first):
        return ""
    place = number_copies(points)
    count = int((np.bincount(place) > 1)[place].sum())
    if count < (_MANY if accuracy else _SOME) * len(points):
        return ""
    return (
        f"{count:,} of {len(points):,} rows equal another row. If they are of one thing measured "
        f"more than once, {_MEANING[measure]}."
    )


def draw_among_copies(indices: Indices, place: Indices, rng: np.random.Generator) -> Indices:
    """Return lists of neighbours where each is drawn from the copies of it, the own row excepted.

    Each list has as many of the copies of a row as before, at the same places; every copy is in it
    with the same probability.

    Parameters
    ----------
    indices : (N, k) int64
        Neighbours of row i, not i itself.
    place : (N,) int64
        See `number_copies`.
    rng : Generator

    Examples
    --------
    >>> place = np.array([0, 0, 0, 1])
    >>> rng = np.random.default_rng(0)
    >>> indices = np.array([[1], [0], [0], [0]])
    >>> sorted({int(draw_among_copies(indices, place, rng)[3, 0]) for _ in range(50)})
    [0, 1, 2]
    """
    n, k = indices.shape
    sizes = np.bincount(place)
    if sizes.max(initial=1) == 1:
        return indices
    shuffled = rng.permutation(n)
    members = shuffled[np.argsort(place[shuffled], kind="stable")]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    own = np.empty(n, np.int64)
    own[members] = np.arange(n) - first[place[members]]
    group = place[indices]
    # how many of the same copies stand before an entry of its list
    order = np.argsort(group, axis=1, kind="stable")
    ranked = np.take_along_axis(group, order, axis=1)
    starts = np.broadcast_to(np.arange(k), (n, k)).copy()
    starts[:, 1:][ranked[:, 1:] == ranked[:, :-1]] = 0
    begin = np.maximum.accumulate(starts, axis=1)
    before = np.empty((n, k), np.int64)
    np.put_along_axis(before, order, np.arange(k) - begin, axis=1)
    # a turn of each group's copies, one for each list and group
    turns = np.take_along_axis(rng.random((n, k)), begin, axis=1)
    turn = np.empty((n, k))
    np.put_along_axis(turn, order, turns, axis=1)
    with_own = group == place[:, None]
    possible = sizes[group] - with_own
    at = ((turn * possible).astype(np.int64) + before) % possible
    at += with_own & (at >= own[:, None])
    drawn: Indices = members[first[group] + at]
    return drawn
