"""Surroundings of a run: nobody who reads, full disks, links of others, and whose code is run."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from geoforest_cli.core import figure_files as saving
from tests.e2e import inside
from tests.study.engine.toy import write_method

ROOT = Path(__file__).parents[2]

EXPERIMENT = """
from pathlib import Path
from geoforest_cli.study.experiment import Experiment, Inner, Params, Row

Path(__file__).with_name("imported").touch()


class PlainParams(Params):
    k: Inner[int]


class Plain(Experiment[PlainParams]):
    methods = ("neighbors",)
    yields = ("share",)

    def run_cell(self, task):
        return [Row("share", 1 / k, k=k) for k in task.params.k]
"""
CONFIG = """
title: plain
experiment: ./plain_experiment.py
repetitions: 3
grid: {k: [1, 2, 4]}
methods: {still: {use: "toy_method:Still", variants: {as_written: {}}}}
figure: {x: k, y: [share]}
claims:
  - {id: little, says: It is little., check: at_most, metric: share, value: 1.5,
     exact: true, method: {name: still, variant: as_written}}
"""
RUN = ("run", "plain.yaml", "--jobs", "1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "plain_experiment.py").write_text(EXPERIMENT)
    (tmp_path / "plain.yaml").write_text(CONFIG)
    write_method(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def geoforest(*words):
    """Return the exit status and what is said."""
    done = inside.geoforest(*words, cwd=Path.cwd())
    return done.returncode, done.stdout, done.stderr


# what says when a run was
DATED = ("record.json",)


def results(folder):
    return {
        path.name: path.read_bytes()
        for path in (folder / "results" / "plain" / "paper").iterdir()
        if path.name not in DATED
    }


@pytest.mark.nightly
def test_only_verbs_that_need_an_experiment_run_its_code(folder):
    """The table of SECURITY.md."""
    assert geoforest(*RUN)[0] == 0
    mark = folder / "imported"
    for words, imports in (
        (("show", "plain.yaml"), False),
        (("list", "configs"), False),
        (("list", "experiments"), False),
        (("claims",), False),
        (("report",), False),
        (("check", "plain.yaml"), True),
        (("figure", "plain.yaml"), True),
        (("run", "plain.yaml", "--plan"), True),
    ):
        mark.unlink()
        # edited, so that no earlier import of this process stands for it
        path = folder / "plain_experiment.py"
        path.write_text(path.read_text() + "\n# again\n")
        assert geoforest(*words)[0] == 0, words
        assert mark.exists() is imports, words
        mark.touch()


def test_links_among_results_are_replaced_and_not_followed(folder):
    assert geoforest(*RUN)[0] == 0
    before = results(folder)
    (folder / "others").mkdir()
    for name in before:
        victim = folder / "others" / name
        victim.write_text("of somebody else")
        link = folder / "results" / "plain" / "paper" / name
        link.unlink()
        link.symlink_to(victim)
    assert geoforest(*RUN, "--retry-failed")[0] == 0
    assert results(folder) == before
    for name in before:
        assert (folder / "others" / name).read_text() == "of somebody else"
        assert not (folder / "results" / "plain" / "paper" / name).is_symlink()


def test_a_disk_that_is_full_while_rendering_loses_no_cell(folder, monkeypatch):
    write = saving.write_atomically

    def full(path, content):
        if path.suffix == ".svg":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write(path, content)

    with monkeypatch.context() as patched:
        patched.setattr(saving, "write_atomically", full)
        status, _, errors = geoforest(*RUN)
    assert status == 1
    *_, last = errors.splitlines()
    assert last == "Error: results/plain/paper/figure.svg: No space left on device"
    assert "Traceback" not in errors
    status, said, _ = geoforest(*RUN)
    assert status == 0
    assert "(0 run now, 3 kept)" in said
    record = json.loads((folder / "results" / "plain" / "paper" / "record.json").read_bytes())
    assert [claim["verdict"] for claim in record["claims"]] == ["supported"]
    assert "figure.svg" in results(folder)


_CODE = "from geoforest_cli.cli.main import main; main()"


@pytest.mark.nightly
@pytest.mark.parametrize(("reader", "status"), [("closed", 0), ("gone", 141)])
def test_a_run_that_nobody_reads_is_whole(folder, reader, status):
    command = [sys.executable, "-c", _CODE, *RUN]
    surrounding = {**os.environ, "PYTHONPATH": str(ROOT), "CI": "true"}
    if reader == "closed":
        command = ["bash", "-c", 'exec "$@" >&-', "bash", *command]
    with subprocess.Popen(
        command, env=surrounding, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        if reader != "closed":
            process.stdout.close()
            process.stdout = None
        _, errors = process.communicate(timeout=120)
    assert "Traceback" not in errors
    assert "Error" not in errors
    assert process.returncode == status
    ours = results(folder)
    assert geoforest("figure", "plain.yaml")[0] == 0
    assert ours == results(folder)
    assert ours["rows.csv"].count(b",ok,") == 9
