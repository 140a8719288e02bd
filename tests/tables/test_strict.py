"""Notes that make a result too good: errors for who asks for it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import cross_validate, find_columns, find_neighbors
from geoforest_cli.tables.messages import TableWarning

RNG = np.random.default_rng(0)


@pytest.fixture
def table():
    points = RNG.normal(size=(120, 3))
    kind = np.where(points[:, 0] > 0, "u", "v")
    return pd.DataFrame(points, columns=list("abc")).assign(kind=kind)


def spoilt(table, what):
    if what == "leak":
        patient = RNG.integers(0, 40, 120)
        return table.assign(patient=patient, kind=np.where(patient % 2, "u", "v"))
    if what == "id":
        return table.assign(nr=np.arange(120))
    return table.assign(**{name: table[name].cumsum() for name in "abc"})


@pytest.mark.parametrize(
    ("what", "words"),
    [("leak", "nearly always"), ("id", "row numbers"), ("order", "depend on those before")],
)
def test_grave_notes_are_errors_in_python_and_in_the_shell(table, tmp_path, what, words):
    bad = spoilt(table, what)
    notes = []
    params = {"n_estimators": 10}
    with pytest.warns(TableWarning, match=words):
        cross_validate(bad, "kind", method="rf", params=params)
    cross_validate(bad, "kind", method="rf", params=params, on_note=notes.append)
    assert any(words in note for note in notes)
    with pytest.raises(DataError, match=words):
        cross_validate(bad, "kind", method="rf", params=params, strict=True)
    path = tmp_path / "bad.csv"
    bad.to_csv(path, index=False)
    args = ["classify", str(path), "--label", "kind", "--param", "n_estimators=10", "--strict"]
    done = CliRunner().invoke(cli, args)
    assert isinstance(done.exception, DataError)
    assert words in str(done.exception)
    assert "--strict" in str(done.exception)


@pytest.mark.parametrize("what", ["id", "order"])
@pytest.mark.parametrize("verb", ["neighbors", "columns", "directions", "compare"])
def test_every_verb_stops(table, tmp_path, what, verb):
    path = tmp_path / "bad.csv"
    spoilt(table, what).to_csv(path, index=False)
    words = {"neighbors": ["-k", "3", "-o", str(tmp_path / "out.csv")], "compare": ["--compare"]}
    name = "neighbors" if verb == "compare" else verb
    args = [name, str(path), "--label", "kind", *words.get(verb, []), "--strict"]
    done = CliRunner().invoke(cli, args)
    assert isinstance(done.exception, DataError)
    assert "--strict" in str(done.exception)


def test_other_notes_are_none(table):
    find_neighbors(table, 3, "euclidean", label="kind", strict=True)
    find_columns(table, label="kind", strict=True)
