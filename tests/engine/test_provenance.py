import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from geoforest_cli.engine import provenance
from geoforest_cli.engine.executor import Outcome
from tests.engine.toy import ToyCell, make_plan


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


def test_a_clean_checkout(checkout):
    found = provenance.checkout(checkout)
    assert len(found["commit"]) == 40
    assert (found["dirty"], found["diff"], found["untracked"]) == (False, "", [])


def test_a_dirty_checkout_carries_its_diff(checkout):
    checkout.write_text("n: 2\n")
    (checkout.parent / "new.yaml").touch()
    found = provenance.checkout(checkout)
    assert found["dirty"]
    assert "-n: 1\n+n: 2" in found["diff"]
    assert found["untracked"] == ["configs/new.yaml"]


def test_an_ignored_file_is_in_no_checkout(checkout):
    ignored = checkout.parent / "ignored.yaml"
    ignored.touch()
    assert provenance.checkout(ignored) is None


def test_no_commit_yet(tmp_path):
    _git(tmp_path, "init", "-q")
    (tmp_path / "a.yaml").touch()
    assert provenance.checkout(tmp_path / "a.yaml")["commit"] is None


def test_no_git_and_no_checkout(tmp_path, checkout, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setenv("PATH", "")
    assert provenance.checkout(checkout) is None


def test_everything_the_design_lists(tmp_path):
    cell = ToyCell("x", Path("x.py"))
    plan = make_plan(tmp_path, [cell])
    failed = [(cell, Outcome("x", "crashed", error="its process died"))]
    provenance.write(provenance.collect(plan, failed, provenance.Clock.now(), 2, 1), tmp_path)
    found = json.loads((tmp_path / "provenance.json").read_text())
    text = plan.path.read_text()
    assert found["config"]["text"] == text
    assert found["config"]["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert found["config"]["profile"] == "paper"
    assert found["config"]["seed"] == 1
    assert found["cells"]["failed"][0]["why"] == "its process died"
    assert found["jobs"] == 2
    assert found["inner_threads"] == 1
    assert found["wall_seconds"] >= 0
    assert found["machine"]["cores"] >= 1
    assert found["machine"]["cpu"]
    assert "numpy" in found["packages"]
    assert {"python", "git", "data", "bibtex", "started", "ended", "cpu_seconds"} <= set(found)
