"""Messy files: one table of cases says what is read of each, in Python and on the command line."""

import gzip
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.cli.table_options import in_options
from geoforest_cli.core.errors import UserError
from geoforest_cli.tables import find_neighbors
from geoforest_cli.tables.messages import Note
from tests.tables.helpers import INPUTS, read_table
from tests.tables.test_excel import workbook

CASES = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8"))
OUTCOMES = ("kinds", "notes", "first", "error")


def written(case, folder):
    """Return the file of a case, written if it is none of the inputs."""
    if "file" in case:
        return INPUTS / case["file"]
    if "rows" in case:
        return workbook(folder / "t.xlsx", sheet=case["rows"])
    path = folder / case.get("name", "t.csv")
    data = case["text"].encode(case.get("encoding", "utf-8"))
    if path.suffix == ".gz":
        data = gzip.compress(data)
    if path.suffix == ".zst":
        data = pa.Codec("zstd").compress(data, asbytes=True)
    path.write_bytes(data)
    return path


def seen(path, options):
    """Return the kinds of columns and notes of a file, or its error, in the words of options."""
    notes = []
    with in_options():
        try:
            find_neighbors(path, 1, "euclidean", screen="none", on_note=notes.append, **options)
            table = read_table(path, **{k: v for k, v in options.items() if k != "strict"})
        except UserError as error:
            return {"error": str(error).replace(f"{path}: ", "", 1)}, notes
    outcome = {
        "kinds": dict(table.kinds),
        "notes": [note.kind for note in notes if isinstance(note, Note)],
        "first": table.points[0].tolist(),
    }
    return outcome, notes


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_what_is_read_of_a_file(case, tmp_path):
    path, options = written(case, tmp_path), case.get("options", {})
    outcome, notes = seen(path, options)
    expected = {name: case[name] for name in OUTCOMES if name in case}
    assert {name: outcome.get(name) for name in expected} == expected
    assert ("error" in outcome) == ("error" in expected)
    words = ["neighbors", path, "-k", 1, "--method", "euclidean", "--screen", "none"]
    for name, value in options.items():
        flag = "--id" if name == "identifier" else f"--{name.replace('_', '-')}"
        words += (
            [flag]
            if value is True
            else [flag, ",".join([value] if isinstance(value, str) else value)]
        )
    done = CliRunner().invoke(cli, [*map(str, words), "-o", str(tmp_path / "out.csv")])
    if "error" in outcome:
        assert isinstance(done.exception, UserError)
        assert str(done.exception).endswith(outcome["error"])
    else:
        assert done.exit_code == 0, done.output
        assert done.stderr.splitlines() == list(map(str, notes))
