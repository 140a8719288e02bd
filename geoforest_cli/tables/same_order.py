"""Columns whose rows are in the same order, such as one temperature in two units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.escaping import shortened
from geoforest_cli.tables.messages import as_exclude, format_names

__all__ = ["columns_in_one_order", "same_order_note"]

_FEWEST = 10  # different values: fewer are in one order by chance
_SHOWN = 3
_MOST_LISTED = 10  # columns to leave out


def same_order_note(points: npt.NDArray[np.floating], names: Sequence[str]) -> list[str]:
    """Return a note on the columns whose rows are in the same or the opposite order.

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
    """
    found = columns_in_one_order(points)
    if not found:
        return []
    groups = []
    for group in found:
        shown = " = ".join(shortened(names[column]) for column in group[:_SHOWN])
        more = len(group) - _SHOWN
        groups.append(f"{shown} and {more} more" if more > 0 else shown)
    others = [names[column] for group in found for column in group[1:]]
    way = as_exclude(others) if len(others) <= _MOST_LISTED else ""
    note = (
        f"The rows have the same or the opposite order in {format_names(groups)}: one of them, "
        f"even if it is noise, depends on the other, and counts twice{f' ({way})' if way else ''}."
    )
    return [note]


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
