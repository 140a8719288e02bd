import hashlib
import importlib.metadata
import subprocess
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from geoforest_cli.study.engine import provenance, rows
from geoforest_cli.study.engine.store import Store
from geoforest_cli.study.plan import load
from tests.study.engine import toy


def _git(folder, *arguments):
    names = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "-C", str(folder), *names, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path):
    _git(tmp_path, "init", "-q")
    path = tmp_path / "configs" / "noise.yaml"
    path.parent.mkdir()
    path.write_text("n: 1\n")
    (tmp_path / ".gitignore").write_text("ignored.yaml\n")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-q", "-m", "first")
    return path


def test_a_dirty_checkout_carries_its_diff(checkout):
    checkout.write_text("n: 2\n")
    (checkout.parent / "new.yaml").touch()
    facts = provenance.checkout(checkout)
    assert facts["dirty"]
    assert b"-n: 1\n+n: 2\n" in facts["diff"]
    assert facts["untracked"] == ["configs/new.yaml"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [(("new.yaml",), " with changes"), (("noise.yaml",), " with changes"), ((), "")],
)
def test_cells_carry_the_commit_and_whether_it_is_all(checkout, changes, words):
    for name in changes:
        (checkout.parent / name).write_text("n: 3\n")
    facts = provenance.checkout(checkout)
    assert facts["dirty"] is bool(changes)
    assert provenance.origin(checkout) == {"commit": f"{facts['commit']}{words}"}


def test_an_ignored_file_is_in_no_checkout(checkout):
    ignored = checkout.parent / "ignored.yaml"
    ignored.touch()
    assert provenance.checkout(ignored) is None


def test_no_git_and_no_checkout(tmp_path, checkout, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setenv("PATH", "")
    assert provenance.checkout(checkout) is None


def _collected(tmp_path, *parts):
    """Provenance of a plan whose cells were made in several parts."""
    plan = toy.make_plan(tmp_path)
    jobs = list(plan.jobs.values())
    with Store(tmp_path / "cells.sqlite", create=True) as store:
        for (start, stop), origin, status in parts:
            store.put([(job, toy.outcome(job, status)) for job in jobs[start:stop]], origin)
        return plan, provenance.collect(plan, store, rows.collect(plan, store))


def test_everything_the_design_lists(tmp_path):
    plan, facts = _collected(
        tmp_path, ((0, 4), {"commit": "abc"}, "ok"), ((4, 5), {"commit": "abc"}, "crashed")
    )
    text = plan.path.read_text()
    plan.path.unlink()  # what is recorded is what was read
    assert facts["config"]["text"] == text
    assert facts["config"]["seed"] == 0
    assert facts["cells"]["total"] == 6
    failed, missing = facts["cells"]["failed"]
    assert (failed["status"], failed["why"]) == ("crashed", "bad luck")
    assert missing["status"] == "missing"
    last = provenance.last_run(plan, tmp_path, datetime.now(UTC), 2, 1)
    assert (last["at_once"], last["cells"]) == (2, 1)
    assert last["wall_seconds"] >= 0
    assert last["machine"]["cores"] >= 1
    assert last["machine"]["cpu"]
    installed = importlib.metadata.distributions()
    assert last["packages"] == {package.name.lower(): package.version for package in installed}
    assert {"data", "bibtex", "used"} <= set(facts)


def test_what_a_config_extends_is_kept(tmp_path):
    (tmp_path / "part.yaml").write_text("extends: noise_low\nrepetitions: 1\n")
    path = tmp_path / "mine.yaml"
    path.write_text("title: mine\nextends: part\n")
    plan = load(path, "smoke")
    with Store(tmp_path / "cells.sqlite", create=True) as store:
        kept = provenance.collect(plan, store, rows.collect(plan, store))["config"]
    assert kept["text"] == path.read_text()
    names = [file["name"] for file in kept["extends"]]
    assert names[:2] == ["part.yaml", "noise_low.yaml"]
    assert "urf.yaml" in names
    assert kept["extends"][0]["text"] == "extends: noise_low\nrepetitions: 1\n"


def test_a_checkout_runs_no_program_of_its_own(tmp_path):
    def git(*words):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)

    git("init", "-q")
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\n")
    (tmp_path / ".gitattributes").write_text("*.yaml diff=mine\n")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "one")
    mark = tmp_path.parent / "ran"
    program = tmp_path.parent / "program.sh"
    program.write_text(f"#!/bin/sh\necho x >> {mark}\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "diff.mine.command", "diff.mine.textconv"):
        git("config", name, str(program))
    path.write_text("a: 2\n")
    facts = provenance.checkout(path)
    assert facts["dirty"]
    assert b"+a: 2" in facts["diff"]
    assert not mark.exists()


def test_what_is_not_committed_stands_beside_the_record(checkout, tmp_path):
    before = checkout.read_text()
    (checkout.parent / "raw.bin").write_bytes(bytes(range(256)))
    _git(tmp_path, "add", ".")
    checkout.write_text("n: 2")
    results = tmp_path / "results"
    plan, clock = SimpleNamespace(path=checkout), datetime.now(UTC)
    git = provenance.last_run(plan, results, clock, 1, 1)["git"]
    diff = (results / "checkout.diff").read_bytes()
    assert git["diff"] == hashlib.sha256(diff).hexdigest()
    _git(tmp_path, "reset", "-q", "--hard")
    assert checkout.read_text() == before
    assert provenance.last_run(plan, tmp_path, clock, 1, 1)["git"]["diff"] == ""
    _git(tmp_path, "apply", str(results / "checkout.diff"))
    assert checkout.read_text() == "n: 2"
    assert (checkout.parent / "raw.bin").read_bytes() == bytes(range(256))
    _git(tmp_path, "reset", "-q", "--hard")
    provenance.last_run(plan, results, clock, 1, 1)
    assert not (results / "checkout.diff").exists()
