import json
import math
import sqlite3
import struct
import threading
from contextlib import closing
from dataclasses import replace

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine.executors.contract import Outcome
from geoforest_cli.study.engine.store import SCHEMA, Store, store_path
from tests.study.engine import toy


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results" / "noise" / "cells.sqlite"


@pytest.fixture
def job(tmp_path):
    return toy.job(tmp_path, "a", timeout=7.0, memory=10**9)


def _put(store, job, outcome=None, **origin):
    store.put([(job, outcome or toy.outcome(job))], origin)


def test_a_record_comes_back_as_it_went_in(path, job):
    outcome = Outcome(job.key, "failed", [], job.inner, 1.5, 123, "why", "trace", {"numpy": "2"})
    with Store(path, create=True) as store:
        _put(store, job, outcome, commit="abc")
    with Store(path) as store:
        (record,) = store.get([job.key, "absent"])[job.key]
        (mark,) = store.summaries()
        assert store.origins()[record.origin] == {"numpy": "2", "commit": "abc"}
        identity = store.identity(job.key)
    assert record.summary == mark
    assert (mark.key, mark.status, mark.seconds) == (job.key, "failed", 1.5)
    assert (mark.timeout, mark.memory, mark.values) == (7.0, 10**9, {"k": (1, 2)})
    assert (record.error, record.traceback, record.rows) == ("why", "trace", [])
    assert record.finished.endswith("+00:00")
    assert identity == {**json.loads(json.dumps(job.cell.identity)), "label": "a"}


def test_floats_are_exact(path, job):
    values = [0.1, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan]
    rows = [{"metric": "m", "value": v} for v in values]
    with Store(path, create=True) as store:
        _put(store, job, Outcome(job.key, "ok", rows, job.inner))
        (record,) = store.get([job.key])[job.key]
    back = [row["value"] for row in record.rows]
    assert [struct.pack("d", v) for v in back] == [struct.pack("d", v) for v in values]


def test_a_write_that_fails_in_the_middle_leaves_nothing(path, tmp_path, job):
    more = toy.job(tmp_path, "more")
    bad = Outcome(job.key, "ok", [], job.inner, seconds=None)
    with Store(path, create=True) as store:
        with pytest.raises(UserError, match="NOT NULL"):
            store.put([(more, toy.outcome(more)), (job, bad)], {"commit": "abc"})
        assert store.summaries() == []
        assert store.origins() == {}
        _put(store, job)
        assert [mark.key for mark in store.summaries()] == [job.key]


def test_many_keys_at_once(path, job):
    with Store(path, create=True) as store:
        _put(store, job)
        assert list(store.get([*map(str, range(50_000)), job.key])) == [job.key]


def test_statuses_and_times_need_no_rows(path, job):
    with Store(path, create=True) as store:
        _put(store, job)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE cells SET rows = '[{'")
    connection.close()
    with Store(path) as store:
        assert [mark.status for mark in store.summaries()] == ["ok"]
        with pytest.raises(UserError, match="is damaged"):
            store.get([job.key])


def test_a_missing_store(path):
    with pytest.raises(UserError, match="nothing has been run into this folder yet"):
        Store(path)
    assert not path.parent.exists()


def test_several_runs_may_create_a_store_at_once(path):
    path.parent.mkdir(parents=True)
    problems = []

    def create():
        try:
            Store(path, create=True).close()
        except UserError as error:
            problems.append(error)

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def _other_program(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()


def _newer(path):
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    connection.close()


def _older(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cells (key TEXT)")
        connection.execute("PRAGMA user_version = 1")
    connection.close()


def _overwritten(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cells (key TEXT)")
        connection.executemany("INSERT INTO cells VALUES (?)", [("x" * 500,)] * 200)
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.close()
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
        (_newer, "was written by a newer geoforest"),
        (_older, "was written by an older version of geoforest: move it away and run again"),
        (_folder, "cannot be used"),
    ],
)
def test_an_unusable_store_is_one_sentence(path, spoil, why):
    path.parent.mkdir(parents=True)
    spoil(path)
    with pytest.raises(UserError, match=why) as caught, Store(path, create=True) as store:
        store.summaries()
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_file_is_an_empty_store(path):
    path.parent.mkdir(parents=True)
    path.touch()
    with Store(path) as store:
        assert store.summaries() == []


def test_the_store_lies_in_the_configs_folder_for_all_profiles(tmp_path):
    for profile in ("smoke", "paper"):
        plan = toy.make_plan(tmp_path, name="noise", profile=profile)
        assert store_path(plan, tmp_path) == tmp_path / "noise" / "cells.sqlite"


def test_a_changed_digit_is_noticed(path, job):
    with Store(path, create=True) as store:
        _put(store, job)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE cells SET rows = replace(rows, '1', '7')")
    said = f"is damaged .*the record of cell {job.key} has another checksum"
    with Store(path) as store, pytest.raises(UserError, match=said):
        store.get([job.key])


def test_bytes_that_are_no_text_are_damage(path, job):
    with Store(path, create=True) as store:
        _put(store, job)
    data = path.read_bytes()
    assert data.count(b'[{"k": 1') == 1
    path.write_bytes(data.replace(b'[{"k": 1', b'[{"\xff\n\x9b'))
    with pytest.raises(UserError, match=r"is damaged .*position 3") as caught, Store(path) as store:
        store.get([job.key])
    assert str(caught.value).isprintable()


def test_a_store_without_registrations_gets_them(path, job):
    """As an older geoforest has left it."""
    with Store(path, create=True) as store:
        _put(store, job)
        assert store.registered(2**63, "paper") == {}
        store.register(2**63, "paper", {"a": "b"})
        assert store.registered(2**63, "paper") == {"a": "b"}
        assert len(store.summaries()) == 1


@pytest.mark.parametrize(
    ("column", "value"),
    [("inner", '{"k": [1, 3]}'), ("seconds", 2.5), ("memory", 5), ("status", "ok ")],
)
def test_marks_that_read_well_but_are_not_as_written(path, job, column, value):
    with Store(path, create=True) as store:
        _put(store, job)
        store.summaries()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE cells SET {column} = ?", (value,))
    with Store(path) as store, pytest.raises(UserError, match="another checksum"):
        store.summaries()


@pytest.mark.parametrize(
    "column", ["finished", "origin", "identity", "peak_memory", "error", "traceback"]
)
def test_no_column_of_a_record_changes_unnoticed(path, job, column):
    with Store(path, create=True) as store:
        _put(store, job)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE cells SET {column} = '7' || substr({column}, 2)")
    with Store(path) as store, pytest.raises(UserError, match="another checksum"):
        store.get([job.key])


def test_facts_of_an_origin_do_not_change_unnoticed(path, job):
    with Store(path, create=True) as store:
        _put(store, job)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE origins SET facts = facts || ' '")
    with Store(path) as store, pytest.raises(UserError, match="another checksum"):
        store.origins()


def test_records_without_a_checksum_of_all_columns_are_used(path, job):
    """As version 0.2.0 has left them."""
    with Store(path, create=True) as store:
        _put(store, job)
    with closing(sqlite3.connect(path)) as connection, connection:
        shorter = "substr(checksum, 1, 17) || substr(checksum, 35)"
        connection.execute(f"UPDATE cells SET checksum = {shorter}")
    with Store(path) as store:
        assert list(store.get([job.key])) == [job.key]


def test_a_folder_that_is_gone_and_too_long_a_path_are_said(path, job, tmp_path):
    with Store(path, create=True) as store:
        path.unlink()
        path.parent.rmdir()
        with pytest.raises(UserError, match=r"the folder .* was removed during the run"):
            _put(store, job)
    deep = tmp_path.joinpath(*["a" * 200] * 3, "cells.sqlite")
    with pytest.raises(UserError, match=r"its path has \d{3} bytes, and SQLite opens 504"):
        Store(deep, create=True)


def test_records_of_an_older_layout_are_refused_in_one_sentence(path, job):
    with Store(path, create=True) as store:
        _put(store, job)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE cells SET checksum = substr(checksum, 35)")
    said = f"{path} was written by an older version of geoforest: move it away and run again"
    for read in (Store.summaries, lambda store: store.get([job.key])):
        with Store(path) as store, pytest.raises(UserError, match=said):
            read(store)


def test_what_was_made_alike_has_one_origin_in_any_order(path, tmp_path):
    facts = {"numpy": "2", "kernels": "avx2", "processor": "x"}
    jobs = [toy.job(tmp_path, label) for label in "ab"]
    orders = [facts, dict(reversed(facts.items()))]
    outcomes = [
        replace(toy.outcome(job), made_with=order) for job, order in zip(jobs, orders, strict=True)
    ]
    with Store(path, create=True) as store:
        for job, outcome in zip(jobs, outcomes, strict=True):
            _put(store, job, outcome, commit="abc")
        assert list(store.origins().values()) == [{**facts, "commit": "abc"}]
