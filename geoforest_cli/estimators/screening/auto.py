"""The rule by which a screen may drop columns without being asked: those that depend on no other.

One that is dropped wrongly costs more than a little noise: where few would go, all stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.screening.columns import ColumnScreen
from geoforest_cli.estimators.screening.row_order import dependent_rows_allowed
from geoforest_cli.estimators.screening.sizes import columns_of_related_sizes

__all__ = [
    "AutoScreen",
    "auto_screen",
    "cautious_choice",
    "dependent_columns",
    "few_dropped",
]

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.intp]

MOST_COLUMNS = 4000  # of a forest: all pairs of 10,000 take 15 times as long as its trees
MOST_ROWS = 20_000  # of more, so many are drawn
FEWEST_ROWS = 10  # of fewer, a column that depends on others is rarely told from one that does not
_FEWEST_KEPT = 2  # nothing depends on itself
_FEW_AS_SHARE = 1 / 20  # of the columns


def few_dropped(dropped: int, p: int) -> bool:
    """Return whether so few of p columns would be dropped that all are kept.

    They are at most one, or one in twenty: noise so rare changes little.

    Examples
    --------
    >>> few_dropped(1, 4), few_dropped(2, 40), few_dropped(3, 40)
    (True, True, False)
    """
    return dropped <= max(1, _FEW_AS_SHARE * p)


def dependent_columns(
    support: Bools, table: npt.NDArray[Any], level: float = 0.001, n_jobs: int | None = None
) -> Numbers:
    """Return the columns that a screen supports; where fewer than two, those of related sizes.

    Parameters
    ----------
    support : (p,) bool
        Of a screen by pairs.
    table : (n, p) array
        May hold NaN.
    level : float
        Of `columns_of_related_sizes`.
    n_jobs : int, optional
        Threads.
    """
    kept = np.flatnonzero(support)
    if len(kept) < _FEWEST_KEPT:
        kept = columns_of_related_sizes(table, level, n_jobs).astype(np.intp)
    return kept


@dataclass(frozen=True)
class AutoScreen:
    """Columns of a table that are used, and those that are not.

    Attributes
    ----------
    kept, dropped : arrays of intp
        Numbers of columns, ascending.
    independent : array of intp
        Columns that depend on no other: `dropped`, or kept all the same as they are few, or all.
    note : str
        Why no column is judged; else empty.
    """

    kept: Numbers
    dropped: Numbers
    independent: Numbers
    note: str = ""

    def sentence(self, say: Callable[[Numbers], str], statistic: str = "") -> str:
        """Return what is dropped, or why nothing is; empty where there is nothing to say.

        Parameters
        ----------
        say : callable
            Returns the names of columns.
        statistic : str
            What columns are judged by, in brackets and with a blank before it.
        """
        p = len(self.kept) + len(self.dropped)
        if self.note or not len(self.independent):
            return self.note
        if len(self.dropped):
            dropped = say(self.dropped)
            return f"The screen keeps {len(self.kept)} of {p} columns; dropped: {dropped}."
        if len(self.independent) == p:
            return (
                f"No two columns were found to depend on each other{statistic}: all {p} are used."
            )
        verb = "depends" if len(self.independent) == 1 else "depend"
        return f"No column is dropped: only {say(self.independent)} of {p} {verb} on no other."


def cautious_choice(
    support: Bools, table: npt.NDArray[Any], n_jobs: int | None = None
) -> AutoScreen:
    """Return which columns are used, by the support of a screen.

    All are where few would be dropped, and of a table of fewer than 10 rows.

    Parameters
    ----------
    support : (p,) bool
    table : (n, p) array
        May hold NaN.
    n_jobs : int, optional
        Threads.
    """
    p = table.shape[1]
    every, none = np.arange(p), np.empty(0, np.intp)
    if len(table) < FEWEST_ROWS:
        return AutoScreen(every, none, none)
    kept = dependent_columns(support, table, n_jobs=n_jobs)
    if len(kept) < _FEWEST_KEPT:
        return AutoScreen(every, none, every)
    independent = np.setdiff1d(every, kept)
    if few_dropped(len(independent), p):
        return AutoScreen(every, none, independent)
    return AutoScreen(kept, independent, independent)


def auto_screen(table: npt.NDArray[Any], n_jobs: int | None = None) -> AutoScreen:
    """Screen the columns of a table (n, p) that may hold NaN by pairs and correlations.

    All are kept if they are three at most or more than 4000, and by `cautious_choice`. Of more than
    20,000 rows so many are drawn, always the same ones: the level of .001 holds for these.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=200)
    >>> auto_screen(np.c_[t, t**2, rng.normal(size=(200, 3))]).dropped.tolist()
    [2, 3, 4]
    """
    p = table.shape[1]
    every, none = np.arange(p), np.empty(0, np.intp)
    if few_dropped(p - _FEWEST_KEPT, p):
        return AutoScreen(every, none, none)
    if p > MOST_COLUMNS:
        many = f"{p} columns are not screened, as up to {MOST_COLUMNS} are"
        note = f"{many}: ColumnScreen says which depend on no other."
        return AutoScreen(every, none, none, note)
    if len(table) > MOST_ROWS:
        drawn = np.random.default_rng(0).choice(len(table), MOST_ROWS, replace=False)
        table = table[np.sort(drawn)]
    with dependent_rows_allowed():
        support = ColumnScreen("auto", n_jobs=n_jobs, find_groups=False).fit(table).support_
    return cautious_choice(support, table, n_jobs)
