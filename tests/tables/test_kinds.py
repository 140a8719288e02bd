"""Files that are tables, and the options of reading that belong to each of them."""

import os

import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.dialect import ReadingOptions
from geoforest_cli.tables.kinds import kind_of_file, reading_options, require_file

KINDS = [".csv", ".tsv", ".parquet", ".feather", ".npy", ".xlsx", ".xlsm", ".h5ad"]
OPTIONS = {
    "sep": {".csv", ".tsv"}, "decimal": {".csv", ".tsv"}, "encoding": {".csv", ".tsv"},
    "sheet": {".xlsx", ".xlsm"}, "matrix": {".h5ad"}, "not_missing": {".csv", ".tsv"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("t.csv", ".csv"), ("a.b.TSV", ".tsv"), ("t.csv.gz", ".csv"), ("t.TSV.Zst", ".tsv"),
        ("t.npy.gz", ".gz"), ("t.gz", ".gz"), ("t.csv.zip", ".zip"), ("csv", ""), ("t.csv.", ""),
        (".csv", ""), ("d.csv/t.npy", ".npy"),
    ],
)  # fmt: skip
def test_the_ending_says_what_a_file_is(name, kind):
    assert kind_of_file(name).strip(".") == kind.strip(".")


def test_options_of_reading_among_others():
    options = reading_options({"sep": ";", "k": 5, "sheet": None, "matrix": "X"})
    assert options == ReadingOptions(sep=";", matrix="X")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("t.xls", "; save it as .xlsx"), ("t.ods", "; save it as .xlsx"), ("t.doc", ""),
        ("t.npz", "; save the array of the table as .npy"), ("t.npy.gz", ""),
    ],
)  # fmt: skip
def test_other_files_are_no_tables(tmp_path, name, advice):
    (tmp_path / name).touch()
    with pytest.raises(DataError) as refused:
        require_file(tmp_path / name, ReadingOptions())
    ending = name[name.rindex(".") :]
    kinds = f"{', '.join(KINDS)}, a text also with .gz or .zst behind it"
    assert (
        str(refused.value)
        == f"{tmp_path / name}: a table is one of {kinds}, not '{ending}'{advice}"
    )


def test_a_folder_is_no_table(tmp_path):
    said = (
        f"{tmp_path} is a folder, not a table; only geoforest neighbors takes a folder of Parquet"
    )
    with pytest.raises(DataError) as refused:
        require_file(tmp_path, ReadingOptions())
    assert str(refused.value) == f"{said} files"


def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match="is a pipe or a device, not a file: save"):
        require_file(tmp_path / "pipe.csv", ReadingOptions())
