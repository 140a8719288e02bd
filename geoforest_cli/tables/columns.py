"""Columns of a user's table that depend on others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.copies import copies_note
from geoforest_cli.tables.missing_values import uncompared_note
from geoforest_cli.tables.options import ColumnOptions, read_table, takes_options
from geoforest_cli.tables.reading import TableLike
from geoforest_cli.tables.screens import (
    ADJUST,
    SCREEN,
    Adjust,
    ScreenMethod,
    ScreenOptions,
    ScreenResult,
    unpaired_note,
)

__all__ = ["ColumnRanking", "find_columns"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnRanking(ScreenResult):
    """The columns of a table, and how sure it is that each depends on others.

    Attributes
    ----------
    names : tuple of str
        In the order of the table, as all that follows. A category is one column.
    kept : (p,) bool
        Whether the column depends on others, at the level.
    scores : (p,) float64
        z: the larger, the more dependent.
    pvalues, adjusted : (p,) float64
        Before and after the correction for the number of columns; kept is what has an adjusted
        value of at most the level.
    partners : (p,) int64
        Number of the column it depends on most; -1 where none is known, as by the forest screen.
    groups : (p,) int64
        Kept columns that depend on each other, directly or through others, have one number, from 1,
        the largest group first; -1 for columns that are dropped. See `ColumnScreen`.
    screening : ScreenOptions
        Which screen, level and correction.
    rows : int
    notes : tuple of str
        One sentence for everything that was left out.
    left_out : mapping
        The columns that were not compared, with the reason.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(0, 6, 300)
    >>> table = pd.DataFrame({"x": np.cos(t), "y": np.sin(t), "other": rng.normal(size=300)})
    >>> ranking = find_columns(table, "pairs")
    >>> ranking.selected
    ('x', 'y')
    >>> ranking.frame()[["rank", "column", "kept", "partner", "group"]]
       rank column   kept partner  group
    0     1      x   True       y      1
    1     2      y   True       x      1
    2     3  other  False       x   <NA>
    """

    screening: ScreenOptions
    rows: int
    notes: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def ranking(self) -> Indices:
        """Numbers of the columns, those first that depend most surely on others."""
        # what differs by rounding is equal, and stands in the order of the table
        with np.errstate(divide="ignore"):
            sizes = np.round(np.log10(self.pvalues), 9)
        return np.lexsort((-np.round(self.scores, 9), sizes, ~self.kept)).astype(np.int64)

    def frame(self) -> pd.DataFrame:
        """Return one line per column: rank, column, kept, z, p_value, adjusted, partner, group."""
        order = self.ranking
        partners, groups = self.partners[order], self.groups[order]
        names = [self.names[partner] if partner >= 0 else None for partner in partners]
        return pd.DataFrame({
            "rank": np.arange(1, len(order) + 1),
            "column": [self.names[number] for number in order], "kept": self.kept[order],
            "z": self.scores[order], "p_value": self.pvalues[order],
            "adjusted": self.adjusted[order], "partner": pd.Series(names, dtype="string"),
            "group": pd.Series(groups, dtype="Int64").mask(groups < 1),
        })  # fmt: skip

    def summary(self) -> str:
        """Return how many columns are kept, in a sentence."""
        which = f"{self.screening.statistic}, {self.screening.rate}, {self.rows} rows"
        kept = int(self.kept.sum())
        if not kept:
            return f"No column of {len(self.names)} was found to depend on another ({which})."
        groups = f"in {self.count} group{'s' if self.count > 1 else ''}"
        verb = "depends" if kept == 1 else "depend"
        return f"{kept} of {len(self.names)} columns {verb} on others, {groups} ({which})."


@takes_options(ColumnOptions)
def find_columns(
    table: TableLike,
    method: ScreenMethod = SCREEN,
    *,
    adjust: Adjust = ADJUST,
    **options: Any,
) -> ColumnRanking:
    """Find the columns of a table that depend on others, their best partners and their groups.

    Rows count as independent of one another. Scale and units do not matter, missing values are
    allowed. A column that depends on none is dropped, even if it matters for what you want.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        A file is CSV, TSV, Parquet, NPY or a workbook.
    method : {"pairs", "correlation", "forest", "auto", "both"}
        Each column against each other one; against what a forest of other columns makes of the
        rows; or either.
    adjust : {"fdr", "fwer"}
        The expected share of kept columns that are independent of all others; or the probability
        that any such column is kept.
    level : float
        Bound on what `adjust` says.
    columns, exclude, label, identifier, seed, n_jobs, on_note, strict
        As in `find_neighbors`, and so is what says how a file is read.

    Returns
    -------
    ColumnRanking

    Raises
    ------
    UserError
        For a method, level, correction or option that is wrong.
    DataError
        For a table that cannot be read, with one column only, or with too few rows.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> noise = rng.normal(size=(400, 30))
    >>> noise[:, 7] = np.abs(noise[:, 3]) + 0.1 * noise[:, 7]
    >>> find_columns(noise, "pairs").selected
    ('3', '7')
    >>> find_columns(noise, "pairs", level=1.5)
    Traceback (most recent call last):
    geoforest_cli.core.errors.UserError: level=1.5: a level lies between 0 and 1
    """
    given = ColumnOptions.of(options)
    screening = ScreenOptions(
        method, given.screen_level, adjust, given.seed, given.n_jobs, grouped=True,
        argument="method",
    )  # fmt: skip
    data = read_table(table, given.clean_options(missing="keep", category_codes=True), given)
    uncompared = "" if method == "forest" else uncompared_note(data.points, data.sources)
    copies = copies_note(data.points, "p-values")
    notes = tuple(filter(None, (*data.notes, copies, uncompared)))
    for note in filter(None, (*notes, unpaired_note(method, data.points.shape[1]))):
        given.on_note(note)
    result = screening.fit(data.points, data.sources, data.name)
    return ColumnRanking(
        **vars(result), screening=screening, rows=len(data.points), notes=notes,
        left_out=data.left_out,
    )  # fmt: skip
