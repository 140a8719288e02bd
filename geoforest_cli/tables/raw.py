"""Tables as they are, before a column is chosen: of files, their texts as what they hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from geoforest_cli.tables.codes import MISSING_WORDS, typed
from geoforest_cli.tables.header import check_header
from geoforest_cli.tables.profiles import is_number

__all__ = ["RawTable", "raw_of_words"]


class RawTable(NamedTuple):
    """A table as it is.

    Attributes
    ----------
    frame : pandas.DataFrame
        Its column names made text.
    name : str
        What messages call it.
    path : Path, optional
        The file, if it is one: nothing is to be written over it.
    notes : tuple of str
        One sentence for everything that may have been meant otherwise.
    unnamed : tuple of str
        Columns without a name that number the rows or are empty: used only by those
        who ask for them.
    as_written : callable, optional
        Returns a column by its name as its values are written in the file, empty cells as empty
        text; without it they are as in the frame.
    decimal : str
        The decimal mark of the file.
    annotations : tuple of str
        Columns that describe the rows and are used only by those who name them.
    row_names : pandas.Series, optional
        What rows are called without an identifier.
    """

    frame: pd.DataFrame
    name: str
    path: Path | None = None
    notes: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    as_written: Callable[[str], pd.Series[Any]] | None = None
    decimal: str = "."
    annotations: tuple[str, ...] = ()
    row_names: pd.Series[Any] | None = None

    def as_in_file(self, column: str) -> pd.Series[Any]:
        """Return a column with its values as they are written in the file.

        Whole numbers of a text are numbers if all of them are written as 7 is, not as 007 or 7.0.
        Missing are empty cells only, not names such as NA.
        """
        values = self.frame[column]
        text = not (is_number(values) or values.isna().any())
        if self.as_written is None or text:
            return values
        words = self.as_written(column)
        if pd.api.types.is_integer_dtype(values.dtype) and words.eq(values.map(str)).all():
            return values
        return words.mask(words.str.strip() == "", None)


def raw_of_words(words: pa.Table, path: Path, decimal: str = ".", value: str = "") -> RawTable:
    """Return the table of a text or a sheet, each column as what its words are.

    Parameters
    ----------
    words : pyarrow.Table
        Of text; the first row has the names.
    path : Path
    decimal : str
        The decimal mark.
    value : str
        A word that is a value, and not a missing one.

    Raises
    ------
    DataError
        For a first row that does not name every column by itself.
    """
    first = [str(column[0]) for column in words.columns]
    names = [word.strip() or f"Unnamed: {number}" for number, word in enumerate(first)]
    words = words.slice(1).rename_columns([str(number) for number in range(len(names))])
    missing = [word for word in MISSING_WORDS if word != value or not value]
    columns = {number: typed(column, decimal, missing) for number, column in enumerate(words)}
    frame = pd.DataFrame(columns).set_axis(names, axis=1)
    notes = check_header(frame, first, str(path))
    return RawTable(
        frame, str(path), notes=tuple(notes), decimal=decimal,
        as_written=lambda name: words.column(names.index(name)).to_pandas(),
    )  # fmt: skip
