"""``codecheck.yml`` names what the papers' figures and tables are reproduced as."""

import re

import pytest
import yaml

from geoforest_cli.core.bundled import bundled
from geoforest_cli.study.config.loading import open_config
from tests.e2e.inside import ROOT

pytestmark = pytest.mark.nightly
# CODECHECK, configuration file specification 2.0
VERSION = "https://codecheck.org.uk/spec/config/2.0/"


def test_the_manifest_is_every_figure_and_table_of_the_papers():
    text = (ROOT / "codecheck.yml").read_text()
    assert text.startswith("---\n")
    told = yaml.safe_load(text)
    assert told["version"] == VERSION
    expected = {}
    for path in bundled("configs").glob("*.yaml"):
        config = open_config(path, "paper").config
        if re.match("(Figure|Table) ", config.artifact or "") and "beyond" not in config.artifact:
            file = "summary.md" if config.artifact.startswith("Table") else "figure.svg"
            expected[f"results/{path.stem}/paper/{file}"] = f"{config.artifact}: {config.title}"
    found = {one["file"]: one["comment"].partition(", ")[2] for one in told["manifest"]}
    assert found == expected


def test_the_paper_is_the_one_of_the_citation_file():
    paper = yaml.safe_load((ROOT / "codecheck.yml").read_text())["paper"]
    [cited] = yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]
    assert paper["title"] == cited["title"]
    assert paper["reference"] == f"https://doi.org/{cited['doi']}"
    names = [f"{one['given-names']} {one['family-names']}" for one in cited["authors"]]
    assert [one["name"] for one in paper["authors"]] == names
    assert all(one.startswith("https://doi.org/") for one in paper["reference-other"])
