"""Tables in workbooks of spreadsheet programs."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.memory import free_memory
from geoforest_cli.tables.messages import Note, as_argument, format_names
from geoforest_cli.tables.raw import RawTable, raw_of_words

__all__ = ["read_sheet"]

# one that holds something
_CELL = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]+)([0-9]+)"[^/>]*>')
_BYTES_PER_CELL = 80  # empty or not, while the sheet becomes a table


def read_sheet(path: Path, sheet: str | None) -> RawTable:
    """Read a sheet, as a text of the same cells is read.

    Parameters
    ----------
    path : Path
        A workbook: .xlsx or .xlsm.
    sheet : str, optional
        Its name; by default the first.

    Raises
    ------
    DataError
        For a sheet that is not there or empty, or a workbook that would not fit in memory.
    """
    _require_memory(path)
    with pd.ExcelFile(path, engine="calamine") as book:
        names = [str(name) for name in book.sheet_names]
        if sheet is not None and sheet not in names:
            raise DataError(f"{path}: {unknown('sheet', sheet, names)}")
        name = names[0] if sheet is None else sheet
        _refuse_merged_rows(path, book.book.get_sheet_by_name(name).merged_cell_ranges or [])
        rows = pd.read_excel(book, sheet_name=name, header=None, dtype=object, na_filter=False)
    if rows.empty:
        raise DataError(f"{path}: the sheet {name!r} has no rows")
    notes = []
    if sheet is None and len(names) > 1:
        others = format_names([repr(name) for name in names[1:]])
        sentence = f"The sheet {name!r} is read ({as_argument('sheet')}: {others})."
        notes.append(Note(sentence, "sheet"))
    # a cell far below makes a million empty rows; those of a CSV are skipped as well
    filled = (rows.to_numpy(object) != "").any(axis=1)
    filled[0] = True
    if not filled.all():
        sentence = f"Left out, {int((~filled).sum())} empty rows of the sheet."
        notes.append(Note(sentence, "empty_rows"))
    columns = rows[filled].map(str).to_numpy(object).T
    words = {str(number): pa.chunked_array([cells]) for number, cells in enumerate(columns)}
    raw = raw_of_words(pa.table(words), path)
    return raw._replace(notes=(*notes, *raw.notes))


def _refuse_merged_rows(
    path: Path, ranges: Sequence[tuple[tuple[int, int], tuple[int, int]]]
) -> None:
    """Refuse cells that are merged over rows below the names: all but the first are empty."""
    merged = [(first[0] + 1, last[0] + 1) for first, last in ranges if 0 < first[0] < last[0]]
    if merged:
        raise DataError(
            f"{path}: cells are merged over the lines {merged[0][0]} to {merged[0][1]} of the "
            "sheet, so that all but the first are empty: unmerge them, and write the value in each"
        )


def _require_memory(path: Path) -> None:
    """Refuse a workbook with a cell so far away that those up to it do not fit in memory."""
    with zipfile.ZipFile(path) as archive:
        for part in archive.namelist():
            rows, columns, letters = 0, 0, ""
            for cell in _CELL.finditer(archive.read(part)):
                rows = max(rows, int(cell[2]))
                letters = max(letters, cell[1].decode(), key=lambda word: (len(word), word))
            for letter in letters:
                columns = 26 * columns + ord(letter) - ord("A") + 1
            if _BYTES_PER_CELL * rows * columns > free_memory():
                raise DataError(
                    f"{path}: a sheet reaches to cell {letters}{rows} ({rows} rows x {columns} "
                    "columns), which does not fit into memory; delete the stray cell or save as CSV"
                )
