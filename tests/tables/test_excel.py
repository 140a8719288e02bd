"""Tables in workbooks."""

import zipfile
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables.reading import open_table
from tests.tables.helpers import read_table

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
ROWS = [["x", "y", "who"], [1.5, 2, "a"], [3, None, "b"], [0.1, 7, "a"], [9, 8, "b"]]


def cell(value):
    if value is None:
        return "<c/>"
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def workbook(path, **sheets):
    """Write a workbook with the least that makes one."""
    parts = "".join(
        f'<Override PartName="/xl/s{i}.xml" ContentType="{TYPE}.worksheet+xml"/>'
        for i in range(len(sheets))
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        f'PartName="/xl/workbook.xml" ContentType="{TYPE}.sheet.main+xml"/>{parts}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
        + "".join(
            f'<sheet name="{name}" sheetId="{i + 1}" r:id="r{i}"/>' for i, name in enumerate(sheets)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="r{i}" Type="{OFFICE}/worksheet" Target="s{i}.xml"/>'
            for i in range(len(sheets))
        )
        + "</Relationships>",
    }
    for i, rows in enumerate(sheets.values()):
        lines = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
        files[f"xl/s{i}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'
        )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return path


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


@pytest.mark.parametrize(
    ("cell", "size"),
    [
        ('<c r="XFD1048576"><v>1</v></c>', r"XFD1048576 \(1048576 rows x 16384 columns\)"),
        ('<c s="1" r="XFC1048576" t="s"><v>1</v></c>', r"XFC1048576 \(1048576 rows x 16383 col"),
        ('<c r="XFD1048576" s="1"/>', None),
    ],
)
def test_a_far_cell_is_refused_before_the_sheet_is_read(tmp_path, cell, size):
    """One that is formatted and holds nothing is none."""
    path = workbook(tmp_path / "t.xlsx", one=ROWS)
    with_rows(path, f'<row r="1048576">{cell}</row>')
    if size is None:
        assert read_table(path, missing="keep").points.shape == (4, 4)
        return
    with pytest.raises(DataError, match=rf"t\.xlsx: a sheet reaches to cell {size}"):
        read_table(path)


def test_no_workbook_and_a_panic_of_its_reader_are_sentences(tmp_path, monkeypatch):
    class PanicException(BaseException):
        pass

    def panic(*_args, **_options):
        raise PanicException("range end out of range")

    (tmp_path / "u.xlsx").write_text("x")
    with pytest.raises(DataError, match=r"u\.xlsx: cannot be read as xlsx \(\S.+\)$"):
        read_table(tmp_path / "u.xlsx")
    monkeypatch.setattr("pandas.read_excel", panic)
    with pytest.raises(DataError, match=r"t\.xlsx: cannot be read as xlsx \(range end out of"):
        read_table(workbook(tmp_path / "t.xlsx", one=ROWS))


def test_a_sheet_is_read_as_a_text_of_the_same_cells(tmp_path):
    path = workbook(tmp_path / "t.xlsx", data=ROWS)
    pd.DataFrame(ROWS[1:], columns=ROWS[0]).to_csv(tmp_path / "t.csv", index=False)
    result, expected = (read_table(tmp_path / name, missing="keep") for name in ("t.xlsx", "t.csv"))
    assert result.columns == expected.columns == ("x", "y", "who=a", "who=b")
    assert np.array_equal(result.points, expected.points, equal_nan=True)
    assert result.notes == expected.notes
    assert result.path == path


def test_of_several_sheets_the_first_or_the_one_asked_for(tmp_path):
    path = workbook(tmp_path / "t.xlsx", one=ROWS, two=[["z"], [4], [5], [9]], none=[])
    assert read_table(path, missing="keep").notes[0] == (
        "The sheet 'one' is read (sheet: 'two', 'none')."
    )
    table = read_table(path, sheet="two")
    assert (table.columns, table.points.ravel().tolist(), table.notes) == (("z",), [4, 5, 9], ())
    with pytest.raises(DataError, match="unknown sheet 'tow'; did you mean 'two'"):
        read_table(path, sheet="tow")
    with pytest.raises(DataError, match="the sheet 'none' has no rows"):
        read_table(path, sheet="none")
    with pytest.raises(UserError, match=r"^sep=';': that is for \.csv, \.tsv, not for \.xlsx"):
        read_table(path, sep=";")


def test_empty_rows_are_left_out_as_those_of_a_csv_are(tmp_path):
    path = workbook(
        tmp_path / "t.xlsx", one=[["a", "b"], [1, 2], ["", ""], [3, 5], ["", ""], [4, 7]]
    )
    sheet = open_table(path)
    assert sheet.frame["a"].tolist() == [1, 3, 4]
    assert "Left out, 2 empty rows of the sheet." in sheet.notes


def test_cells_that_are_merged_over_rows_are_refused(tmp_path):
    path = workbook(tmp_path / "t.xlsx", one=[["a", "kind"], [1.5, "u"], [2.5, ""], [3.5, "v"]])
    merged = b'</sheetData><mergeCells count="1"><mergeCell ref="B2:B3"/></mergeCells>'
    change(path, lambda sheet: sheet.replace(b"</sheetData>", merged))
    with pytest.raises(DataError, match="cells are merged over the lines 2 to 3 of the sheet"):
        open_table(path)
