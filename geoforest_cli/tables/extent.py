"""The last cell of a sheet, before it is read: cells up to it take memory, empty or not."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple
from xml.parsers import expat

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.memory import free_memory, require_memory_for_table

__all__ = ["Extent", "require_memory_for_workbook"]

_BYTES_PER_CELL = 80  # empty or not, while the sheet becomes a table
_DIGITS, _LETTERS = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Extent(NamedTuple):
    """Rows and columns from the first cell, A1, to the last one that has a value."""

    rows: int = 0
    columns: int = 0

    def with_cell(self, row: int, column: int) -> Extent:
        """Return the extent that has one more cell; rows and columns count from 1."""
        return Extent(max(self.rows, row), max(self.columns, column))

    def last(self) -> str:
        """Return the name of the last cell.

        Examples
        --------
        >>> Extent(3, 2).last(), Extent(1_048_576, 16_384).last()
        ('B3', 'XFD1048576')
        """
        letters, number = "", self.columns
        while number:
            number, letter = divmod(number - 1, 26)
            letters = chr(ord("A") + letter) + letters
        return f"{letters}{self.rows}"


def require_memory_for_workbook(path: Path, sheet: str | None) -> None:
    """Refuse a workbook whose sheet reaches so far that its cells do not fit in memory.

    Parameters
    ----------
    path : Path
    sheet : str, optional
        The sheet to be read; by default the first.

    Raises
    ------
    DataError
    """
    if not zipfile.is_zipfile(path):
        raise ValueError("it is no .xlsx workbook")
    with zipfile.ZipFile(path) as archive:
        require_memory_for_table(str(path), sum(part.file_size for part in archive.infolist()))
        if next(_parts(archive, "xl/workbook.bin"), None) is not None:
            raise DataError(f"{path}: a binary workbook (.xlsb) is not read; save it as .xlsx")
        if next(_parts(archive, "content.xml"), None) is not None:
            raise DataError(f"{path}: an OpenDocument table (.ods) is not read; save it as .xlsx")
        extents = _extents(archive, sheet)
    for name, extent in extents.items():
        if _BYTES_PER_CELL * extent.rows * extent.columns > free_memory():
            raise DataError(
                f"{path}: the sheet {name!r} reaches to cell {extent.last()} ({extent.rows} rows x "
                f"{extent.columns} columns), which does not fit into memory; delete the stray cell "
                "or save as CSV"
            )


def _extents(archive: zipfile.ZipFile, sheet: str | None) -> Mapping[str, Extent]:
    """Return the extent of the sheet that is read, of all sheets that have its name."""
    related = {
        part.get("Id"): part
        for part in _attributes(_parts(archive, "xl/_rels/workbook.xml.rels"), "Relationship")
    }
    extents: dict[str, Extent] = {}
    for attributes in _attributes(_parts(archive, "xl/workbook.xml"), "sheet"):
        name, part = attributes.get("name", ""), related.get(attributes.get("id"), {})
        if sheet not in {None, name}:
            continue
        target = part.get("Target", "").removeprefix("/")
        place = target if target.lower().startswith("xl/") else f"xl/{target}"
        for document in _parts(archive, place):
            extents[name] = extents.get(name, Extent()).with_cell(*_extent_of_cells(document))
        if sheet is None and part.get("Type", "").endswith("/worksheet"):
            break  # others are sheets of charts, which have no cells
    return extents


def _parts(archive: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    """Yield the parts of a name, in any letter case, as the reader of workbooks finds them."""
    for part in archive.infolist():
        if part.filename.lower() == name.lower():
            with archive.open(part) as document:
                yield document


def _extent_of_cells(document: IO[bytes]) -> Extent:
    """Return the extent of the cells with a value; a cell without a reference is the next one."""
    extent, row, column = Extent(), 0, 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal extent, row, column
        if name == "row":
            row, column = int(attributes.get("r", row + 1)), 0
        elif name == "c":
            column += 1
            if reference := attributes.get("r", "").upper():
                row = int(reference.lstrip(_LETTERS))
                column = _column_number(reference.rstrip(_DIGITS))
        elif name in {"v", "is"} and (row > extent.rows or column > extent.columns):
            extent = extent.with_cell(row, column)

    _parse(document, start)
    return extent


def _attributes(documents: Iterable[IO[bytes]], element: str) -> list[dict[str, str]]:
    """Return the attributes of all elements of a name, without prefixes."""
    elements: list[dict[str, str]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if name == element:
            elements.append({key.rpartition(":")[2]: each for key, each in attributes.items()})

    for document in documents:
        _parse(document, start)
    return elements


def _parse(document: IO[bytes], on_start: Callable[[str, dict[str, str]], None]) -> None:
    """Report the elements of a document, names without prefixes; refuse definitions of entities."""

    def start(name: str, attributes: dict[str, str]) -> None:
        on_start(name.rpartition(":")[2], attributes)

    def refuse(*_declaration: Any) -> None:
        raise ValueError("its XML has a document type declaration, which no workbook needs")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    parser.ParseFile(document)


def _column_number(letters: str) -> int:
    """Return the number of a column, from 1, that letters name."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
