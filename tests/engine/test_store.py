import json
import math
import sqlite3
import struct

import pytest

from geoforest_cli.engine.executor import Outcome
from geoforest_cli.engine.store import SCHEMA, Store, identity, store_path
from geoforest_cli.errors import UserError
from tests.engine import toy


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results" / "noise" / "cells.sqlite"


def test_a_record_comes_back_as_it_went_in(path):
    outcome = Outcome("k", "failed", [], 1.5, 123, "why", "trace", {"numpy": "2"})
    with Store(path, create=True) as store:
        store.put(outcome, {"method": "gf"})
    with Store(path) as store:
        record = store.get(["k", "absent"])["k"]
    kept = vars(record)
    assert {name: kept[name] for name in vars(outcome)} == vars(outcome)
    assert record.identity == {"method": "gf"}
    assert record.finished.endswith("+00:00")


def test_floats_are_exact(path):
    values = [0.1, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan]
    with Store(path, create=True) as store:
        store.put(Outcome("k", "ok", [{"metric": "m", "value": v} for v in values]), {})
        back = [row["value"] for row in store.get(["k"])["k"].rows]
    assert [struct.pack("d", v) for v in back] == [struct.pack("d", v) for v in values]


def test_a_later_outcome_replaces_an_earlier_one(path):
    with Store(path, create=True) as store:
        store.put(Outcome("k", "failed"), {})
        store.put(Outcome("k", "ok"), {})
        assert [one.status for one in store.all()] == ["ok"]


def test_many_keys_at_once(path):
    with Store(path, create=True) as store:
        store.put(Outcome("7", "ok"), {})
        assert list(store.get(str(n) for n in range(5000))) == ["7"]


def test_reading_beside_a_writer(path):
    with Store(path, create=True) as writer, Store(path) as reader:
        assert reader.all() == []
        writer.put(Outcome("k", "ok"), {})
        assert [one.key for one in reader.all()] == ["k"]
        writer.put(Outcome("l", "ok"), {})
        assert [one.key for one in reader.all()] == ["k", "l"]


def test_a_missing_store(path):
    with pytest.raises(UserError, match="nothing has been run into this folder yet"):
        Store(path)
    assert not path.parent.exists()


def _other_program(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()


def _newer(path):
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    connection.close()


def _no_json(path):
    with Store(path, create=True) as store:
        store.put(Outcome("k", "ok"), {})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE cells SET rows = '[{'")
    connection.close()


def _overwritten(path):
    with Store(path, create=True) as store:
        for n in range(200):
            store.put(Outcome(str(n), "ok", traceback="x" * 100), {})
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)


def _text(path):
    path.write_text("dear diary, " * 100)


def _folder(path):
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_text, "is not a store of geoforest"),
        (_other_program, "is not a store of geoforest"),
        (_overwritten, "is damaged"),
        (_no_json, "is damaged"),
        (_newer, "was written by a newer geoforest"),
        (_folder, "cannot be used"),
    ],
)
def test_an_unusable_store_is_one_sentence(path, spoil, why):
    path.parent.mkdir(parents=True)
    spoil(path)
    with pytest.raises(UserError, match=why) as caught, Store(path, create=True) as store:
        store.all()
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_file_is_an_empty_store(path):
    path.parent.mkdir(parents=True)
    path.touch()
    with Store(path) as store:
        assert store.all() == []


def test_identity_says_what_a_cell_is(tmp_path):
    cell = toy.ToyCell("k", tmp_path / "toy_protocol.py", point={"a": 1})
    known = identity(cell)
    assert known["experiment"] == "toy_protocol"
    assert known["point"] == {"a": 1}
    assert known["inner"] == {"k": [1, 2]}
    json.dumps(known)


def test_the_store_lies_in_the_folder_of_the_plan(tmp_path):
    plan = toy.make_plan(tmp_path, [], name="noise")
    assert store_path(plan, tmp_path) == tmp_path / "noise" / "cells.sqlite"
