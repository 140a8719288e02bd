"""Files that travel to the workers of a cluster, and those that do not."""

import errno
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("distributed")

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine.executors import cell_process, payload, worker
from geoforest_cli.study.engine.executors.dask import packages
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
    there = payload.unpack(packed, tmp_path)
    moved = payload.with_folders(job, there)
    assert moved.key == job.key
    assert (moved.cell.setting.folders[0] / "table.csv").read_text() == "a,b\n1,2\n"
    bare = replace(moved.cell.setting, used={})
    runnable = replace(moved, cell=replace(moved.cell, setting=bare))
    outcome = cell_process.run_job(runnable, lambda word: None)
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
    ],
)
def test_a_worker_says_why_it_cannot_run_cells(tmp_path, monkeypatch, error, said):
    def unpack(_payload, _folder):
        raise error

    here = SimpleNamespace(local_directory=str(tmp_path))
    monkeypatch.setattr("distributed.get_worker", lambda: here)
    monkeypatch.setattr(worker, "unpack", unpack)
    packed = payload.pack([toy.job(tmp_path, "a")])
    assert worker.prepare(packed) == said.format(folder=tmp_path)


def test_a_table_that_is_a_link_travels_under_its_name(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "inside.csv").write_text("a\n2\n")
    (tmp_path / "near.csv").symlink_to(tmp_path / "data" / "inside.csv")
    job = toy.job(tmp_path, "a")
    setting = replace(job.cell.setting, used={"table near.csv": "1"})
    packed = payload.pack([replace(job, cell=replace(job.cell, setting=setting))])
    (folder,) = payload.unpack(packed, tmp_path).values()
    assert (folder / "near.csv").read_text() == "a\n2\n"


def test_the_data_sets_of_cells_are_fetched_where_they_run(tmp_path, monkeypatch):
    fetched = []
    monkeypatch.setattr(payload, "fetch", fetched.append)
    packed = replace(payload.pack([toy.job(tmp_path, "a")]), data=("concrete",))
    assert payload.unpack(packed, tmp_path).keys() == {tmp_path}
    assert fetched == [payload.CATALOGUE["concrete"]]


def test_packages_are_those_that_the_files_of_methods_import(tmp_path):
    jobs = {use: toy.job(tmp_path, "a", use=use) for use in ("euclidean", "umap", "cnn")}
    extra = {
        use: {*packages([job])} - {*packages([jobs["euclidean"]])} for use, job in jobs.items()
    }
    assert extra == {"euclidean": set(), "umap": {"umap-learn"}, "cnn": {"torch"}}
