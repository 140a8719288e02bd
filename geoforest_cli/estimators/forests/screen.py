"""Which columns a forest without labels sees: those that depend on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.screening.columns import ColumnScreen
from geoforest_cli.estimators.screening.sizes import columns_of_related_sizes

__all__ = ["Screened"]

Numbers = npt.NDArray[np.intp]

_FEW_COLUMNS = 3  # that are not screened
_MANY_COLUMNS = 4000  # more are not screened: all pairs of 10,000 take 15 times as long as a forest
_FEW_DROPPED = 1 / 20  # of the columns: so few change little, and may be dropped wrongly
_FEWEST_KEPT = 2  # nothing depends on itself
_MOST_NAMES = 10


@dataclass(frozen=True)
class Screened:
    """What a screen has decided on the columns of a table.

    Attributes
    ----------
    kept, dropped : arrays of intp
        Numbers of columns, ascending.
    note : str
        What was dropped, or why all are kept, in a sentence; empty where there is nothing to say.
    """

    kept: Numbers
    dropped: Numbers
    note: str = ""

    @classmethod
    def none(cls, p: int, note: str = "") -> Screened:
        """Keep all of p columns."""
        return cls(np.arange(p), np.empty(0, np.intp), note)

    @classmethod
    def of(
        cls, table: npt.NDArray[Any], names: Sequence[str] | None = None, n_jobs: int | None = None
    ) -> Screened:
        """Screen the columns of a table (n, p) that may hold NaN by pairs and correlations.

        Where these keep fewer than two, by correlations of sizes (`columns_of_related_sizes`).
        All are kept if they are three at most or more than 4000, where fewer than two would be,
        and where at most one, or one in twenty, would be dropped.

        Parameters
        ----------
        table : (n, p) array
        names : sequence of str, optional
            What the note calls the columns; by default x0, x1, ...
        n_jobs : int, optional
            Threads.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> t = rng.uniform(size=200)
        >>> Screened.of(np.c_[t, t**2, rng.normal(size=(200, 3))]).note
        'The screen keeps 2 of 5 columns; dropped: x2, x3, x4.'
        """
        p = table.shape[1]
        if p <= _FEW_COLUMNS:
            return cls.none(p)
        if p > _MANY_COLUMNS:
            many = f"{p} columns are not screened, as up to {_MANY_COLUMNS} are"
            return cls.none(p, f"{many}: ColumnScreen says which depend on no other.")
        support = ColumnScreen("auto", n_jobs=n_jobs, find_groups=False).fit(table).support_
        kept = np.flatnonzero(support)
        if len(kept) < _FEWEST_KEPT:
            kept = columns_of_related_sizes(table, n_jobs=n_jobs).astype(np.intp)
        dropped = np.setdiff1d(np.arange(p), kept)
        if len(kept) < _FEWEST_KEPT:
            return cls.none(
                p, f"No two columns were found to depend on each other: all {p} are used."
            )
        said = _said(dropped, names)
        if len(dropped) <= max(1, _FEW_DROPPED * p):
            verb = "depends" if len(dropped) == 1 else "depend"
            few = f"No column is dropped: only {said} of {p} {verb} on no other."
            return cls.none(p, few if len(dropped) else "")
        return cls(kept, dropped, f"The screen keeps {len(kept)} of {p} columns; dropped: {said}.")


def _said(columns: Numbers, names: Sequence[str] | None) -> str:
    some = [f"x{j}" if names is None else str(names[j]) for j in columns[:_MOST_NAMES].tolist()]
    more = len(columns) - len(some)
    return ", ".join(some) + (f" and {more} more" if more else "")
