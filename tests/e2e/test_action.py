"""The steps of ``action.yml`` in the repository of a paper, by the workflow of the docs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.e2e.inside import ROOT
from tests.e2e.test_tutorial import FILES

PAGE = (
    (ROOT / "docs" / "reproducing.md").read_text().partition("## In the repository of a paper")[2]
)
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
CLAIM = """\
claims:
  - id: farther_with_more
    says: The farthest of twenty neighbours is at least one step away
    check: at_least
    metric: longest
    value: {bound}
    where: {{k: 20}}
    method: {{name: euclidean, variant: recommended}}
"""


def test_the_docs_name_every_input_with_its_default():
    rows = dict(re.findall(r"^\| `([\w-]+)` \| .* \| (.*) \|$", PAGE, re.MULTILINE))
    defaults = {
        name: "required" if given.get("required") else given["default"]
        for name, given in ACTION["inputs"].items()
    }
    words = {"no site": "", "none": ""}
    assert {name: words.get(text, text.strip("`")) for name, text in rows.items()} == defaults


def run(step, inputs, folder):
    """Run the script of a step with the variables that these inputs give."""
    given = {name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], str(text))
             for name, text in step["env"].items()}  # fmt: skip
    if "CHECK" in given:
        given["CHECK"] = "--check-claims"
    assert "${{" not in "".join(given.values())
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=folder, env={**os.environ, "PATH": path, **given},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.nightly
@pytest.mark.compiled
def test_a_paper_regenerates_its_figures_and_checks_its_claims(tmp_path):
    (tmp_path / "configs").mkdir()
    for name in ("lle.py", "longest.py", "spiral.py", "printed.csv"):
        (tmp_path / "configs" / name).write_text(FILES[name])
    for name, bound in (("ways", 0.01), ("far", 1000)):
        before, _, rest = FILES["ways.yaml"].partition("sentences:")
        text = before + CLAIM.format(bound=bound) + "published:" + rest.partition("published:")[2]
        (tmp_path / "configs" / f"{name}.yaml").write_text(text)
    workflow = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])
    (given,) = (
        step["with"] for step in workflow["jobs"]["figures"]["steps"] if "REF" in step["uses"]
    )
    inputs = {name: entry.get("default") for name, entry in ACTION["inputs"].items()} | given
    steps = {step.get("name"): step for step in ACTION["runs"]["steps"]}
    # a claim that is not supported fails the job, and the site is still written
    assert run(steps["Run the configs"], inputs, tmp_path).returncode == 1
    for name, verdict in (("ways", "supported"), ("far", "refuted")):
        folder = tmp_path / "results" / name / "paper"
        [claim] = json.loads((folder / "record.json").read_text())["claims"]
        assert claim["verdict"] == verdict
        assert (folder / "figure.svg").stat().st_size > 5000
    done = run(steps["Write the site"], inputs, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "index.html").exists()
