"""What travels to the workers of a cluster, and what does not."""

import errno
import os
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("distributed")

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine.executors import cell_process, payload, worker
from tests.study.engine import toy


def test_files_beside_a_config_travel_with_the_cells(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "helper.py").write_text("SHIFT = 3\n")
    (home / "toy_helper.py").write_text("FACTOR = 2.0\n")
    protocol = "from toy_helper import FACTOR\n" + toy.PROTOCOL.replace("/ 3 * k", "/ 3 * FACTOR")
    (home / "toy_protocol.py").write_text(protocol)
    (home / "table.csv").write_text("a,b\n1,2\n")
    job = toy.job(home, "a", number=6.0, inner={"k": (1,)})
    setting = replace(job.cell.setting, used={"table table.csv": "1"})
    job = replace(job, cell=replace(job.cell, setting=setting))
    packed = payload.pack([job])
    shutil.rmtree(home)
    there = payload.unpack(packed, tmp_path / "there")
    moved = payload.with_folders(job, there)
    assert moved.key == job.key
    assert (moved.cell.setting.folders[0] / "table.csv").read_text() == "a,b\n1,2\n"
    bare = replace(moved.cell.setting, used={})
    runnable = replace(moved, cell=replace(moved.cell, setting=bare))
    outcome = cell_process.run_job(lambda: runnable, lambda word: None)
    assert outcome.error == ""
    assert outcome.rows == [{"k": 1, "metric": "third", "value": 4.0}]


def test_the_files_of_data_sets_and_of_ordinary_tables_are_named(tmp_path):
    job = toy.job(tmp_path, "a")
    used = {f"dataset {name}": "1" for name in ("concrete", "drosophila_left", "iris", "digits")}
    setting = replace(job.cell.setting, used=used)
    packed = payload.pack([replace(job, cell=replace(job.cell, setting=setting))])
    assert packed.data == ("concrete", "drosophila_mb")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UserError("the data set concrete is not here"), "the data set concrete is not here"),
        (OSError(errno.ENOSPC, "no space"), "{folder} cannot be written: no space"),
        (None, ""),
    ],
)
def test_a_worker_says_why_it_cannot_run_cells(tmp_path, monkeypatch, error, said):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "chosen")
    packed = payload.pack([toy.job(tmp_path, "a")])
    here = SimpleNamespace(local_directory=str(tmp_path))
    folder = tmp_path / f"geoforest-{packed.digest}"

    def unpacked(given, where):
        assert (given, where) == (packed, folder)
        if error is not None:
            raise error
        return ("folders",)

    monkeypatch.setattr("distributed.get_worker", lambda: here)
    monkeypatch.setattr(worker, "unpack", unpacked)
    assert worker.prepare(packed, remote=True) == said.format(folder=folder)
    known = worker._state(here).folders
    assert known == ({} if error else {packed.digest: ("folders",)})
    assert os.environ["NUMBA_CACHE_DIR"] == "chosen"


def test_what_was_unpacked_before_is_left_as_it_is(tmp_path):
    packed = payload.pack([toy.job(tmp_path, "a")])
    home = tmp_path / "there"
    places = payload.unpack(packed, home)
    (mark := home / "0" / "in use").touch()
    assert payload.unpack(packed, home) == places
    assert mark.exists()
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".geoforest")] == []
    (blocked := tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        payload.unpack(packed, blocked)
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".geoforest")] == []


def test_a_table_that_is_a_link_travels_if_it_leads_nowhere_else(tmp_path):
    inner = tmp_path / "inner"
    (inner / "data").mkdir(parents=True)
    (tmp_path / "outside.csv").write_text("a\n1\n")
    (inner / "data" / "inside.csv").write_text("a\n2\n")
    (inner / "near.csv").symlink_to(inner / "data" / "inside.csv")
    (inner / "far.csv").symlink_to(tmp_path / "outside.csv")
    job = toy.job(inner, "a")

    def packed(table):
        setting = replace(job.cell.setting, used={f"table {table}": "1"})
        return payload.pack([replace(job, cell=replace(job.cell, setting=setting))])

    assert {name: text for _, name, text in packed("near.csv").files}["near.csv"] == b"a\n2\n"
    with pytest.raises(UserError, match=r"far\.csv lies outside .*inner: what cells need"):
        packed("far.csv")


def test_the_data_sets_of_cells_are_fetched_where_they_run(tmp_path, monkeypatch):
    fetched = []
    monkeypatch.setattr(payload, "fetch", fetched.append)
    packed = payload.Payload(("/home/me",), ((0, "deep/er/x.py", b"x = 1"),), ("concrete",))
    for _ in range(2):
        there = payload.unpack(packed, tmp_path / "there")
    assert fetched == [payload.CATALOGUE["concrete"]] * 2
    assert there == {"/home/me": str(tmp_path / "there" / "0")}
    assert (tmp_path / "there" / "0" / "deep" / "er" / "x.py").read_bytes() == b"x = 1"
