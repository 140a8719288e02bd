"""The options that the methods on a user's table share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Unpack

from geoforest_cli.tables.cleaning import CleanOptions, clean_table
from geoforest_cli.tables.dialect import ReadingOptions
from geoforest_cli.tables.messages import OnNote, ignore
from geoforest_cli.tables.reading import TableLike, open_table
from geoforest_cli.tables.scaling import Scale
from geoforest_cli.tables.screens import LEVEL
from geoforest_cli.tables.shapes import Shape
from geoforest_cli.tables.table import UserTable

__all__ = ["AnalysisOptions", "Missing", "read_table"]

Missing = Literal["refuse", "drop", "random"]


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """What `find_neighbors`, `compare_neighbors` and `find_columns` share.

    Attributes
    ----------
    columns, exclude, label, identifier, shape, scale, missing, screen, level, seed, n_jobs, on_note
        As the arguments of these functions.
    reading : ReadingOptions
        How a file is read.
    """

    columns: Sequence[str] = ()
    exclude: Sequence[str] = ()
    label: str | None = None
    identifier: str | None = None
    shape: Shape | None = None
    scale: Scale = "auto"
    missing: Missing = "refuse"
    screen: str | None = None
    level: float = LEVEL
    seed: int = 0
    n_jobs: int | None = None
    on_note: OnNote = ignore
    reading: ReadingOptions

    def clean_options(
        self, *, images: bool = False, category_codes: bool = False, remedies: Sequence[str] = ()
    ) -> CleanOptions:
        """Return which columns and rows are used: the label is no feature."""
        labels = () if self.label is None else (self.label,)
        return CleanOptions(
            columns=self.columns,
            identifier=self.identifier,
            exclude=(*self.exclude, *labels),
            # pixels that never vary belong to the image
            keep_constant=images,
            missing="keep" if self.missing == "random" else self.missing,
            category_codes=category_codes,
            remedies=remedies,
        )


def read_table(
    table: TableLike,
    options: CleanOptions | None = None,
    *,
    images: bool = False,
    **reading: Unpack[ReadingOptions],
) -> UserTable:
    """Read a table and keep what can be compared: numbers that vary, and categories.

    A column of text with at most 20 different values, no more than half as many as there are
    rows, is a category: it becomes one column of zeros and ones for each value. Other text is
    left out with a note. Truth values are numbers, 0 and 1. A text column that is mostly numbers
    is a column of numbers; what is none in it counts as missing.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        A file is CSV, TSV (both gzipped too), Parquet, NPY or a workbook (.xlsx, .xlsm).
        The columns of an array are numbered from 0.
    options : CleanOptions, optional
        Which columns and rows are used.
    images : bool
        Rows are images or series, whose columns may well have few values.
    sep, decimal, encoding, sheet : str, optional
        How a file is read, see `geoforest_cli.tables.dialect.ReadingOptions`.

    Raises
    ------
    DataError
        If the table cannot be read, is empty or cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"name": ["a", "b", "c"], "x": [0.5, 1.5, 4.0], "same": 1})
    >>> table = read_table(frame, CleanOptions(identifier="name"))
    >>> table.columns, table.notes
    (('x',), ('Left out, the same in every row: same.',))
    """
    options = options or CleanOptions()
    cleaned = clean_table(open_table(table, **reading), options)
    if options.columns:
        return cleaned
    return cleaned.with_feature_notes(named=options.identifier is None, classes=not images)
