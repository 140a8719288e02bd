"""Columns whose rows are in the same order, or nearly, such as one temperature in two units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse.csgraph import connected_components

from geoforest_cli.core.escaping import shortened
from geoforest_cli.tables.messages import as_exclude, format_names

__all__ = ["columns_in_nearly_one_order", "columns_in_one_order", "same_order_note"]

_FEWEST = 10  # different values: fewer are in one order by chance
_SHOWN = 3
_MOST_LISTED = 10  # columns to leave out
_NEARLY = 0.99  # Spearman's correlation
_MOST_ROWS, _MOST_COLUMNS = 1000, 2000  # that are compared in pairs


def same_order_note(points: npt.NDArray[np.floating], names: Sequence[str]) -> list[str]:
    """Return notes on the columns whose rows are in the same or the opposite order, or nearly.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str

    Examples
    --------
    >>> celsius = np.random.default_rng(0).normal(size=20)
    >>> same_order_note(np.c_[celsius, 32 + 1.8 * celsius], ["celsius", "fahrenheit"])
    ["The rows have the same or the opposite order in celsius = fahrenheit: one of them, even if \
it is noise, depends on the other, and counts twice (exclude='fahrenheit')."]
    >>> same_order_note(np.c_[celsius, 32 + (18 * celsius).round() / 10], ["c", "f"])
    ["The rows have nearly the same or the opposite order in c = f (Spearman's correlation of .99 \
or more): if that is one quantity, even if it is noise, it counts twice (exclude='f')."]
    """
    notes = []
    if same := columns_in_one_order(points):
        notes.append(
            f"The rows have the same or the opposite order in {_listed(same, names)}: one of them, "
            f"even if it is noise, depends on the other, and counts twice{_way(same, names)}."
        )
    if nearly := [group for group in columns_in_nearly_one_order(points) if group not in same]:
        notes.append(
            f"The rows have nearly the same or the opposite order in {_listed(nearly, names)} "
            "(Spearman's correlation of .99 or more): if that is one quantity, even if it is "
            f"noise, it counts twice{_way(nearly, names)}."
        )
    return notes


def _listed(groups: Sequence[Sequence[int]], names: Sequence[str]) -> str:
    shown = []
    for group in groups:
        first = " = ".join(shortened(names[column]) for column in group[:_SHOWN])
        more = len(group) - _SHOWN
        shown.append(f"{first} and {more} more" if more > 0 else first)
    return format_names(shown)


def _way(groups: Sequence[Sequence[int]], names: Sequence[str]) -> str:
    others = [names[column] for group in groups for column in group[1:]]
    return f" ({as_exclude(others)})" if len(others) <= _MOST_LISTED else ""


def columns_in_nearly_one_order(points: npt.NDArray[np.floating]) -> list[list[int]]:
    """Return groups of columns of which each has a rank correlation of .99 with another one.

    Of the first 2,000 columns, and of a thousand rows evenly spaced.

    Parameters
    ----------
    points : (N, p) array

    Returns
    -------
    list of lists
        Numbers of the columns of each group, ascending.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=30)
    >>> columns_in_nearly_one_order(np.c_[x, x.round(1), x**2, -x])
    [[0, 1, 3]]
    """
    step = max(1, -(-len(points) // _MOST_ROWS))
    ranks = pd.DataFrame(points[::step, :_MOST_COLUMNS]).rank()
    columns = np.flatnonzero(ranks.nunique() >= _FEWEST)
    if len(columns) < 2:
        return []
    used = ranks.iloc[:, columns]
    scores = (used - used.mean()) / used.std(ddof=0) / np.sqrt(used.notna().sum())
    scores = scores.fillna(0).to_numpy()
    count, group = connected_components(np.abs(scores.T @ scores) >= _NEARLY, directed=False)
    groups = [columns[group == number].tolist() for number in range(count)]
    return sorted(one for one in groups if len(one) > 1)


def columns_in_one_order(points: npt.NDArray[np.floating]) -> list[list[int]]:
    """Return the columns of ten values or more that order the rows alike, or the other way round.

    Parameters
    ----------
    points : (N, p) array
        NaN have to be in the same rows.

    Returns
    -------
    list of lists
        Numbers of the columns of each group, ascending.

    Examples
    --------
    >>> x = np.arange(12.0)
    >>> columns_in_one_order(np.c_[x, x % 3, 1 - np.exp(x), x[::-1] ** 2])
    [[0, 2, 3]]
    """
    # the rows of the extremes are known without sorting, and tell most columns apart
    extremes: dict[tuple[int, ...], list[int]] = {}
    for column, values in enumerate(points.T):
        known = ~np.isnan(values)
        if known.sum() >= _FEWEST:
            rows = int(np.nanargmin(values)), int(np.nanargmax(values))
            extremes.setdefault(tuple(sorted(rows)), []).append(column)
    found: dict[bytes, list[int]] = {}
    for alike in extremes.values():
        for column in alike if len(alike) > 1 else []:
            place, values = pd.factorize(points[:, column], sort=True)
            if len(values) >= _FEWEST:
                back = np.where(place < 0, -1, len(values) - 1 - place)
                found.setdefault(min(place.tobytes(), back.tobytes()), []).append(column)
    return sorted(group for group in found.values() if len(group) > 1)
