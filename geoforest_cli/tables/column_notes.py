"""Notes on the values of columns: codes, far values, equal orders, ids, classes and times."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse.csgraph import connected_components

from geoforest_cli.core.escaping import shortened
from geoforest_cli.estimators.screening.row_order import columns_of_dependent_rows
from geoforest_cli.tables.messages import Note, as_argument, as_exclude, format_names
from geoforest_cli.tables.outliers import CODES, outlier_note
from geoforest_cli.tables.profiles import Points, is_category

__all__ = [
    "column_notes",
    "columns_in_one_order",
    "feature_notes",
    "missing_code_notes",
    "row_order_note",
    "same_order_note",
]

_SHOWN = 3  # columns of one order
_MOST_LISTED = 10  # columns to leave out
_MIN_VALUES_IN_ORDER = 10  # different ones: fewer are in one order by chance
_SAME_ORDER = 0.99  # Spearman's correlation
_MOST_ROWS, _MOST_COLUMNS = 1000, 2000  # whose orders are compared
_MOST_CLASSES = 5  # columns that are named, of which most have few values
_SHARE_OF_AN_ID = 0.9  # of the rows
_ID = re.compile(r"(.*[ _.-])?(id|ids|index|idx|nr|no|number|row|key)", re.IGNORECASE)
_LOOKED_AT = 100  # rows that show for most columns of measurements that they are no whole numbers
_LOOKS = {
    "row number": ("id", "the values are row numbers"),
    "time": ("order", "the values rise or fall with the rows, as times may"),
    "rank": ("id", "they are whole numbers of which each comes once, as ids or ranks"),
    "id": ("id", "they are whole numbers that count or name rows, as ids do"),
}


def column_notes(
    points: Points,
    names: Sequence[str],
    rows: npt.NDArray[np.int64],
    *,
    codes_only: bool = False,
) -> list[Note]:
    """Return notes on codes for missing values, values far from all others, and equal orders.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str
    rows : (N,) int64
        Numbers of the rows in the user's table.
    codes_only : bool
        Only those on codes, for a classifier or an image.

    Examples
    --------
    >>> ages = np.array([[41.0], [35], [-999], [52], [29]])
    >>> column_notes(ages, ["age"], np.arange(5))
    ['-999 lies far from all other values of age: if it stands for a missing value, empty its \
cells.']
    """
    notes = missing_code_notes(points, names)
    if codes_only:
        return notes
    return [*notes, *outlier_note(points, names, rows), *same_order_note(points, names)]


def missing_code_notes(points: Points, names: Sequence[str]) -> list[Note]:
    """Return a note for each number, such as -999, that may stand for a missing value.

    It is written in nines, sevens or eights, as in 99, 98 or -8, and further from all values of the
    column that are no such number than these are from each other.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str

    Examples
    --------
    >>> table = np.array([[-999, 90], [20, 97], [21, 98], [-999, 99], [23, 96]])
    >>> missing_code_notes(table, ["temperature", "age"])
    ['-999 lies far from all other values of temperature: if it stands for a missing value, empty \
its cells.']
    """
    columns: dict[float, list[str]] = {}
    for values, name in zip(points.T, names, strict=True):
        if CODES & {float(np.fmin.reduce(values)), float(np.fmax.reduce(values))}:
            for code in _far_codes(np.unique(values[~np.isnan(values)])):
                columns.setdefault(code, []).append(name)
    rest = "if it stands for a missing value, empty its cells."
    return [
        Note(
            f"{code:.0f} lies far from all other values of {format_names(coded)}: {rest}",
            "missing_code", coded,
        )
        for code, coded in sorted(columns.items())
    ]  # fmt: skip


def _far_codes(different: Points) -> list[float]:
    """Return which of the different values are codes, and far from those that are none."""
    coded, far = np.isin(different, [*CODES]), list[float]()
    for code in sorted(different[coded].tolist(), key=abs):
        others = different[(~coded | (np.abs(different) < abs(code))) & ~np.isin(different, far)]
        if len(others) > 1 and max(others[0] - code, code - others[-1]) > np.ptp(others):
            far.append(code)
    return far


def same_order_note(points: Points, names: Sequence[str]) -> list[Note]:
    """Return a note on the columns whose rows are in the same or the opposite order, or nearly.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str

    Examples
    --------
    >>> celsius = np.random.default_rng(0).normal(size=20)
    >>> same_order_note(np.c_[celsius, 32 + (18 * celsius).round() / 10], ["c", "f"])
    ["The rows have the same or the opposite order, or nearly (Spearman's correlation of .99 or \
more), in c = f: if that is one quantity, even if it is noise, it counts twice (exclude='f')."]
    """
    groups = columns_in_one_order(points)
    if not groups:
        return []
    shown = []
    for group in groups:
        first = " = ".join(shortened(names[column]) for column in group[:_SHOWN])
        more = len(group) - _SHOWN
        shown.append(f"{first} and {more} more" if more > 0 else first)
    others = [names[column] for group in groups for column in group[1:]]
    way = f" ({as_exclude(others)})" if len(others) <= _MOST_LISTED else ""
    sentence = (
        "The rows have the same or the opposite order, or nearly (Spearman's correlation of .99 or "
        f"more), in {format_names(shown)}: if that is one quantity, even if it is noise, it counts "
        f"twice{way}."
    )
    return [Note(sentence, "same_order", others)]


def columns_in_one_order(points: Points) -> list[list[int]]:
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
    >>> columns_in_one_order(np.c_[x, x.round(1), x**2, -x])
    [[0, 1, 3]]
    """
    step = max(1, -(-len(points) // _MOST_ROWS))
    ranks = pd.DataFrame(points[::step, :_MOST_COLUMNS]).rank()
    columns = np.flatnonzero(ranks.nunique() >= _MIN_VALUES_IN_ORDER)
    if len(columns) < 2:
        return []
    used = ranks.iloc[:, columns]
    scores = (used - used.mean()) / used.std(ddof=0) / np.sqrt(used.notna().sum())
    scores = scores.fillna(0).to_numpy()
    count, group = connected_components(np.abs(scores.T @ scores) >= _SAME_ORDER, directed=False)
    groups = [columns[group == number].tolist() for number in range(count)]
    return sorted(members for members in groups if len(members) > 1)


def row_order_note(points: Points, names: Sequence[str]) -> list[Note]:
    """Return a note if in two columns or more a row depends on the one before it.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> steps = rng.normal(size=(200, 2))
    >>> row_order_note(steps, ["a", "b"])
    []
    >>> print(*row_order_note(steps.cumsum(axis=0), ["a", "b"]))
    Rows depend on those before them in a, b: p-values and scores hold for independent \
rows, and are too good if the table is a time series or follows a path (not if it is only sorted).
    """
    dependent = [*dict.fromkeys(names[column] for column in columns_of_dependent_rows(points))]
    sentence = (
        f"Rows depend on those before them in {format_names(dependent)}: p-values and scores hold "
        "for independent rows, and are too good if the table is a time series or follows a path "
        "(not if it is only sorted)."
    )
    return [Note(sentence, "order", dependent)] if dependent else []


def feature_notes(
    points: Points, names: Sequence[str], rows: npt.NDArray[np.int64], *, named: bool, classes: bool
) -> list[Note]:
    """Return notes on features that look like row numbers, times, ids or classes, and distances.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str
        The user's column that each column of points comes from.
    rows : (N,) int64
        Numbers of the rows in the user's table.
    named : bool
        Whether the caller has an option for the column that names the rows.
    classes : bool
        Whether to look for classes too: the pixels of an image may have few values.
    """
    with np.errstate(invalid="ignore"):
        start = points[:_LOOKED_AT]
        whole = ((start == np.floor(start)) | np.isnan(start)).all(axis=0)
        steps = np.diff(start, axis=0)
        in_order = (steps > 0).all(axis=0) | (steps < 0).all(axis=0)
    columns: dict[str, dict[str, None]] = {look: {} for look in (*_LOOKS, "class", "")}
    for column in np.flatnonzero(whole | in_order).tolist():
        look = _look(points[:, column], names[column], rows)
        columns[look][names[column]] = None
    exclude = as_argument("exclude")
    naming = f"{as_argument('identifier')} names the rows by a column, " if named else ""
    notes = [
        Note(
            f"Used as features, though {what}: {format_names([*columns[look]])}; {naming}{exclude} "
            "leaves it out.",
            kind, [*columns[look]],
        )
        for look, (kind, what) in _LOOKS.items()
        if columns[look]
    ]  # fmt: skip
    few, total = [*columns["class"]], len(set(names))
    if classes and few:
        sentence = (
            "Used as features, though they may be classes (text or few whole values): "
            f"{format_names(few)}; {exclude} leaves them out."
        )
        if len(few) > max(_MOST_CLASSES, total // 2):
            sentence = (
                f"{len(few)} of {total} columns have few whole values: counts are features, "
                f"classes are none ({exclude} leaves them out)."
            )
        notes.append(Note(sentence, "class", few))
    if points.shape[0] == points.shape[1] and not points.diagonal().any():
        sentence = (
            "The table is square, symmetric and zero on its diagonal, as distances are: its "
            "rows are taken for points."
        )
        notes += [Note(sentence, "distances")] if np.allclose(points, points.T) else []
    return notes


def _look(values: Points, name: str, rows: npt.NDArray[np.int64]) -> str:
    """Return what a feature looks like, by its values in the order of the rows; else ""."""
    n, steps = len(values), np.diff(values)
    present = np.unique(values[~np.isnan(values)])
    whole = bool((present == np.floor(present)).all())
    once = whole and len(present) == n and np.ptp(present) == n - 1
    if (steps > 0).all() or (steps < 0).all():
        return "row number" if once or np.ptp(values - rows) == 0 else "time"
    if once:
        return "rank"
    called = _ID.fullmatch(name) is not None and len(present) >= _SHARE_OF_AN_ID * n
    if whole and (called or (steps == 1).mean() >= _SHARE_OF_AN_ID):
        return "id"
    return "class" if whole and is_category(present.tolist(), n) else ""
