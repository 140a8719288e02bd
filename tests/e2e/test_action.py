"""The repository of a paper uses ``action.yml`` by the workflow of the docs, and it is run."""

import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.e2e.inside import ROOT
from tests.e2e.test_tutorial import FILES
from tests.study.conftest import commit
from tools.workflows.machine import KNOWN
from tools.workflows.reading import read_action, read_workflow
from tools.workflows.running import Runner

PAGE = (ROOT / "docs" / "reproducing.md").read_text()
NAME = "OWNER/geoforest"
CLAIM = """\
claims:
  - id: farther_with_more
    origin: ours
    says: The farthest of twenty neighbours is at least one step away
    check: at_least
    interval: none
    metric: longest
    value: {bound}
    where: {{k: 20}}
    method: {{name: euclidean, variant: recommended}}
"""


def example():
    part = PAGE.partition("## In the repository of a paper")[2]
    return re.search(r"```yaml\n(.*?)```", part, re.DOTALL)[1]


@pytest.fixture
def paper(tmp_path):
    """The repository of a paper: a config, an experiment and a method of its own."""
    folder = tmp_path / "paper"
    (folder / "configs").mkdir(parents=True)
    for name in ("lle.py", "longest.py", "ways.yaml"):
        (folder / "configs" / name).write_text(FILES[name])
    (folder / ".github" / "workflows").mkdir(parents=True)
    (folder / ".github" / "workflows" / "figures.yml").write_text(example())
    (folder / ".gitignore").write_text("results/\nsite/\n")
    return folder


@pytest.fixture
def python_with_packages(monkeypatch):
    """A new environment that has the packages of this one already, so that none is fetched."""

    def set_up(machine, given):
        folder = machine.temp / "python"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        words = {"base": str(folder), "platbase": str(folder)}
        site = Path(sysconfig.get_path("purelib", "venv", words))
        (site / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
        machine.path.append(str(folder / "bin"))
        return {}

    _, known, needed = KNOWN["actions/setup-python"]
    monkeypatch.setitem(KNOWN, "actions/setup-python", (set_up, known, needed))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # pip: 0 switches isolation off


def events(folder):
    workflow = read_workflow(folder / ".github" / "workflows" / "figures.yml")
    return {
        event.step: event.outcome
        for event in Runner(folder, own={NAME: ROOT}).run(workflow)
    }  # fmt: skip


def test_the_docs_name_every_input_with_its_default():
    action = read_action(ROOT / "action.yml")
    rows = dict(re.findall(r"^\| `([\w-]+)` \| .* \| (.*) \|$", PAGE, re.MULTILINE))
    told = {"required": "", "no site": "", "none": ""}
    assert {name: told.get(text, text.strip("`")) for name, text in rows.items()} == {
        name: one.default for name, one in action.inputs.items()
    }
    assert [name for name, text in rows.items() if text == "required"] == [
        name for name, one in action.inputs.items() if one.required
    ]


def test_the_steps_of_the_action_call_what_is_there(paper):
    commit(paper)
    workflow = read_workflow(paper / ".github" / "workflows" / "figures.yml")
    outcomes = [event.outcome for event in Runner(paper, dry=True, own={NAME: ROOT}).run(workflow)]
    assert outcomes == 8 * ["checked"]


@pytest.mark.compiled
def test_a_paper_regenerates_its_figures_and_its_claims_are_checked(paper, python_with_packages):
    ways = paper / "configs" / "ways.yaml"
    far = ways.with_name("far.yaml")
    far.write_text(ways.read_text() + CLAIM.format(bound=1000))
    ways.write_text(ways.read_text() + CLAIM.format(bound=0.01))
    workflow = paper / ".github" / "workflows" / "figures.yml"
    copy = f"      - if: always()\n        run: cp -r results site {paper.parent}\n"
    workflow.write_text(workflow.read_text() + copy)
    commit(paper)
    ended = events(paper)
    for name, verdict in (("ways", "supported"), ("far", "refuted")):
        folder = paper.parent / "results" / name / "paper"
        [claim] = json.loads((folder / "claims.json").read_text())
        assert claim["verdict"] == verdict
        assert (folder / "figure.svg").stat().st_size > 5000
    # a claim that is not supported fails the job, and the site is still written
    assert ended.pop("Run the configs") == ended.pop(f"{NAME}@REF") == ended.pop("") == "failure"
    assert set(ended.values()) == {"success"}
    assert (paper.parent / "site" / "index.html").exists()
