"""Tables in workbooks of spreadsheet programs."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from geoforest_cli.errors import DataError
from geoforest_cli.hints import unknown
from geoforest_cli.own_data.room import require_room_for_table
from geoforest_cli.own_data.wording import listed, spell

__all__ = ["WORKBOOKS", "read_sheet"]

WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


def read_sheet(
    path: Path, sheet: str | None
) -> tuple[pd.DataFrame, Sequence[str], tuple[str, ...]]:
    """Return a sheet, its first row as text, and a note where the user has not chosen among some.

    Parameters
    ----------
    path : Path
        A workbook: .xlsx, .xlsm, .xlsb, .xls or .ods.
    sheet : str, optional
        Its name; by default the first.

    Raises
    ------
    DataError
        For a sheet that is not there or empty, or a workbook that would not fit in memory.
    """
    stored = path.stat().st_size
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            stored = sum(one.file_size for one in packed.infolist())
    require_room_for_table(str(path), stored)
    with pd.ExcelFile(path, engine="calamine") as book:
        names = [str(name) for name in book.sheet_names]
        if sheet is not None and sheet not in names:
            raise DataError(f"{path}: {unknown('sheet', sheet, names)}")
        chosen = names[0] if sheet is None else sheet
        first = pd.read_excel(book, sheet_name=chosen, header=None, nrows=1, dtype=object)
        if first.empty:
            raise DataError(f"{path}: the sheet {chosen!r} has no rows")
        frame = pd.read_excel(book, sheet_name=chosen)
    notes: tuple[str, ...] = ()
    if sheet is None and len(names) > 1:
        others = listed([repr(name) for name in names[1:]])
        notes = (f"The sheet {chosen!r} is read ({spell('sheet')}: {others}).",)
    words = ["" if pd.isna(one) else str(one) for one in first.iloc[0]]
    return frame, words, notes
