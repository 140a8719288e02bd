"""The action for the repository of a paper takes what the docs say."""

import re

import yaml

from tests.e2e.inside import ROOT

PAGE = (ROOT / "docs" / "reproducing.md").read_text()


def test_the_docs_name_every_input_with_its_default():
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    rows = dict(re.findall(r"^\| `([\w-]+)` \| .* \| (.*) \|$", PAGE, re.MULTILINE))
    told = {"required": "", "no site": "", "none": ""}
    assert {name: told.get(text, text.strip("`")) for name, text in rows.items()} == {
        name: str(one.get("default", "")) for name, one in inputs.items()
    }
    assert [name for name, text in rows.items() if text == "required"] == [
        name for name, one in inputs.items() if one.get("required")
    ]


def test_the_workflow_of_the_docs_gives_inputs_that_there_are():
    part = PAGE.partition("## In the repository of a paper")[2]
    workflow = yaml.safe_load(re.search(r"```yaml\n(.*?)```", part, re.DOTALL)[1])
    [step] = [one for one in workflow["jobs"]["figures"]["steps"] if "geoforest" in one["uses"]]
    assert set(step["with"]) <= set(yaml.safe_load((ROOT / "action.yml").read_text())["inputs"])
