"""A message quotes at most a line of a value, however long the value is."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import cross_validate, find_columns, find_directions, find_neighbors
from tests.e2e.inside import geoforest

LONG = "9" * 400_000
WORD = "a long word " * 40_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"a,b\n1,2\n{LONG},3\n4,5\n", "neighbors t.csv -k 1 --method euclidean -o o.csv"),
        (f"a,b\n1,2\n3,{WORD}\n4,5\n6,8\n", "neighbors t.csv -k 1 --method euclidean -o o.csv"),
        (f"a,b\n1,2\n3,{WORD}\n4,5\n", "neighbors t.csv -k 1 --columns b -o o.csv"),
        (f"a,{WORD}\n1,2\n4,5\n7,7\n", "neighbors t.csv -k 1 --columns c -o o.csv"),
        (f"a,{WORD},{WORD}\n1,2,3\n4,5,6\n", "neighbors t.csv -k 1 -o o.csv"),
        (f"a,b\n1,{WORD}\n4,{WORD}\n7,x\n8,x\n", "classify t.csv --label b --folds 2"),
        (f"a,b\n1,{LONG}\n4,{LONG}.0\n7,x\n8,x\n", "classify t.csv --label b --folds 2"),
        (f"{LONG},{LONG}\n1,2\n4,5\n", "columns t.csv"),
        ("a,b\n1,2\n4,5\n", f"neighbors t.csv --method {LONG} -o o.csv"),
        ("a,b\n1,2\n4,5\n", f"neighbors t.csv --columns {LONG} -o o.csv"),
    ],
    ids=range(10),
)  # fmt: skip
def test_what_is_long_is_not_quoted_in_full(tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text)
    done = geoforest(*words.split(), cwd=tmp_path)
    assert done.returncode == 2, done.stderr[:2000]
    assert len(done.stderr) < 2_000
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def noted():
    """A table of which much is to be said, of each column something else."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    half = np.arange(60) < 30
    return pd.DataFrame({
        "a": x, "same order": x**3, "far": np.r_[1e6, rng.normal(size=59)],
        "early": np.where(half, x, np.nan), "late": np.where(half, np.nan, x * x),
        "constant": 1.0, "category": np.where(x > 0, "p", "q"),
        "text": [f"word {i}" for i in range(60)], "code": [f"{i % 9:02d}" for i in range(60)],
        "mark": ["?", *map(str, range(59))], "gaps": np.where(rng.random(60) < 0.6, np.nan, x),
        "minus": np.r_[np.full(8, -999.0), rng.normal(size=52)], "number": np.arange(60),
        "day": pd.date_range("2020-01-01", periods=60), "name": np.arange(60) // 2,
        "label": np.repeat(["yes", "no"], 30), "big": 2**60 + np.arange(60) ** 3,
    })  # fmt: skip


_FEW = ["a", "same order", "far", "early", "late", "name", "label"]


@pytest.mark.parametrize(
    ("find", "given", "left", "least"),
    [
        (find_columns, {"method": "pairs"}, None, 7),
        (find_columns, {"method": "pairs", "identifier": "name"}, _FEW, 4),
        (find_neighbors, {"k": 2, "identifier": "name", "missing": "impute"}, None, 7),
        (find_neighbors, {"k": 2, "missing": "drop", "method": "euclidean"}, ["late"], 7),
        (find_directions, {"missing": "drop"}, ["late", "name"], 5),
        (cross_validate, {"label": "label", "missing": "best"}, None, 7),
        (cross_validate, {"label": "label", "missing": "drop"}, ["early", "late"], 7),
    ],
    ids=range(7),
)
@pytest.mark.nightly
def test_notes_quote_a_line_of_a_long_name(noted, find, given, left, least):
    """A note on pairs of columns quoted both names whole."""
    table = noted[_FEW] if left is _FEW else noted.drop(columns=left or [])
    long = table.rename(columns=lambda name: f"{name} {WORD}")
    spelled = {
        name: f"{value} {WORD}" if name in {"identifier", "label"} else value
        for name, value in given.items()
    }
    notes = _notes(find, table, given)
    assert len(notes) >= least, notes
    told = _notes(find, long, spelled)
    assert len(told) == len(notes)
    assert max(map(len, told)) < 3_000


def _notes(find, table, given):
    notes = []
    try:
        find(table, on_note=notes.append, **given)
    except DataError as error:
        notes.append(str(error))
    return notes
