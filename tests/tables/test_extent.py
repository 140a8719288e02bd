"""A sheet that reaches beyond the memory is refused before its cells are read."""

import io
import zipfile

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.excel import read_sheet
from geoforest_cli.tables.extent import (
    Extent,
    _extent_of_cells,
    require_memory_for_workbook,
)
from tests.tables.helpers import read_table
from tests.tables.test_excel import MAIN, workbook

ROWS = [["x", "y"], [1, 2], [3, 4], [9, 8]]
FAR = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
FAR_WORDS = (
    r"the sheet '{}' reaches to cell XFD1048576 \(1048576 rows x 16384 columns\), which does not "
    r"fit into memory; delete the stray cell or save as CSV$"
)


def change(path, change_of, part="xl/s0.xml"):
    """Write a workbook again, one of its parts changed."""
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    parts[part] = change_of(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in parts.items():
            packed.writestr(name, data)
    return path


def with_rows(path, rows, part="xl/s0.xml"):
    """Add rows to a sheet of a workbook."""
    return change(
        path, lambda data: data.replace(b"</sheetData>", rows.encode() + b"</sheetData>"), part
    )


@pytest.fixture
def book(tmp_path):
    return workbook(tmp_path / "t.xlsx", one=ROWS, two=ROWS)


@pytest.mark.parametrize(
    "rows",
    [
        FAR,
        "<row r='1048576'><c s='1' r='XFD1048576'><v>1</v></c></row>",
        '<row r="1048576"><c r="xfd1048576" t="inlineStr"><is><t>a</t></is></c></row>',
        '<row r="1048576"><c r="&#88;FD1048576"><v>1</v></c></row>',
        '<row r="1048575"><c r="XFC1"><v>1</v></c></row><row><c r="XFC1048576"/><c><v>1</v></c></row>',
    ],
)
def test_a_far_cell_is_refused(book, rows):
    with pytest.raises(DataError, match=r"t\.xlsx: " + FAR_WORDS.format("one")):
        read_table(with_rows(book, rows))
    assert read_table(book, sheet="two").points.shape == (3, 2)


def test_elements_with_a_prefix(book):
    rows = FAR.replace("<", "<m:").replace("<m:/", "</m:")
    change(book, lambda data: data.replace(b"<worksheet", f'<worksheet xmlns:m="{MAIN}"'.encode()))
    with pytest.raises(DataError, match=FAR_WORDS.format("one")):
        read_table(with_rows(book, rows))


def test_another_encoding(book):
    with_rows(book, FAR)
    change(book, lambda data: data.decode().encode("utf-16"))
    with pytest.raises(DataError, match=FAR_WORDS.format("one")):
        require_memory_for_workbook(book, None)


def test_of_a_sheet_that_is_asked_for(book):
    with_rows(book, FAR, "xl/s1.xml")
    assert read_table(book).points.shape == (3, 2)
    with pytest.raises(DataError, match=FAR_WORDS.format("two")):
        read_table(book, sheet="two")


def test_a_formula_without_a_value_does_not_count():
    far = '<row r="90"><c r="AD90"><f>1+1</f></c></row>'
    near = '<row r="2"><c r="B2"><f>1+1</f><v>2</v></c></row>'
    document = io.BytesIO(f"<sheetData>{near}{far}</sheetData>".encode())
    assert _extent_of_cells(document) == Extent(2, 2)


@pytest.mark.parametrize(("rows", "columns"), [(9, 3), (4, 30), (9, 30), (2, 1)])
def test_the_extent_of_the_cells(rows, columns):
    """Of all cells, in whatever order they stand, the last row and the last column count."""
    cells = [(1, 1), (rows, 1), (4, 2), (1, columns), (2, 3)]
    text = "".join(
        f'<row r="{row}"><c r="{"ABC"[column - 1] if column < 4 else "AD"}{row}"><v>1</v></c></row>'
        for row, column in cells
    )
    found = _extent_of_cells(io.BytesIO(f"<sheetData>{text}</sheetData>".encode()))
    assert found == Extent(max(rows, 4), max(columns, 3))


def test_cells_without_a_value_do_not_count(book):
    assert read_table(with_rows(book, FAR.replace("<v>1</v>", ""))).points.shape == (3, 2)


def test_sheets_of_charts_come_before_the_first(book):
    def first_is_a_chart(data):
        return data.replace(b'/worksheet" Target="s0', b'/chartsheet" Target="s0')

    change(book, first_is_a_chart, "xl/_rels/workbook.xml.rels")
    with_rows(book, FAR, "xl/s1.xml")
    with pytest.raises(DataError, match=FAR_WORDS.format("two")):
        require_memory_for_workbook(book, None)


def test_definitions_of_entities_are_refused(book):
    bomb = b'<!DOCTYPE a [<!ENTITY a "aa">]><workbook'
    change(book, lambda data: data.replace(b"<workbook", bomb), "xl/workbook.xml")
    with pytest.raises(DataError, match=r"cannot be read as xlsx \(its XML has a document type"):
        read_table(book)


@pytest.mark.parametrize("kind", ["xls", "xlsb", "ods"])
def test_other_workbooks_are_to_be_saved_as_xlsx(tmp_path, kind):
    (tmp_path / f"t.{kind}").write_bytes(b"")
    with pytest.raises(DataError, match=rf"not '\.{kind}'; save it as \.xlsx"):
        read_table(tmp_path / f"t.{kind}")


@pytest.mark.parametrize(("part", "kind"), [("xl/workbook.bin", "xlsb"), ("Content.xml", "ods")])
def test_other_workbooks_under_the_name_of_an_xlsx(book, part, kind):
    with zipfile.ZipFile(book, "a") as archive:
        archive.writestr(part, b"")
    with pytest.raises(DataError, match=rf"\(\.{kind}\) is not read; save it as \.xlsx"):
        read_table(book)


def test_a_panic_of_the_reader_is_a_sentence(book, monkeypatch):
    class PanicException(BaseException):
        pass

    def panic(*_args, **_options):
        raise PanicException("range end out of range")

    monkeypatch.setattr("pandas.read_excel", panic)
    with pytest.raises(DataError, match=r"t\.xlsx: the workbook is damaged \(range end out of"):
        read_sheet(book, None)  # in the process that reads it


@pytest.mark.parametrize(("columns", "letters"), [(1, "A"), (26, "Z"), (27, "AA"), (703, "AAA")])
def test_names_of_cells(columns, letters):
    assert Extent(7, columns).last() == f"{letters}7"


@pytest.mark.parametrize("seed", range(8))
def test_a_cell_without_a_reference_is_the_next_one(seed):
    """So is a row; whatever is said of some, the others follow."""
    rng = np.random.default_rng(seed)
    text, rows, columns, row = "", [0], [0], 0
    for _ in range(6):
        step = int(rng.integers(1, 4))
        row += step
        text += "<row>" if step == 1 and rng.random() < 0.7 else f'<row r="{row}">'
        column = 0
        for _ in range(rng.integers(0, 5)):
            step = int(rng.integers(1, 3)) if seed % 2 else 1
            column += step
            named = step > 1 or (seed % 2 and rng.random() < 0.4)
            filled = rng.random() < 0.6
            cell = f' r="{"ABCDEFGHI"[column - 1]}{row}"' if named else ""
            text += f"<c{cell}>{'<v>1</v>' if filled else ''}</c>"
            rows, columns = (rows + [row] * filled, columns + [column] * filled)
        text += "</row>"
    found = _extent_of_cells(io.BytesIO(f"<sheetData>{text}</sheetData>".encode()))
    assert found == Extent(max(rows), max(columns))
