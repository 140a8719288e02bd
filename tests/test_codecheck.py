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
    manifest = yaml.safe_load(text)
    assert manifest["version"] == VERSION
    expected = {}
    for path in bundled("configs").glob("*.yaml"):
        config = open_config(path, "paper").config
        if re.match("(Figure|Table) ", config.artifact or "") and "beyond" not in config.artifact:
            file = "summary.md" if config.artifact.startswith("Table") else "figure.svg"
            expected[f"results/{path.stem}/paper/{file}"] = f"{config.artifact}: {config.title}"
    files = {entry["file"]: entry["comment"].partition(", ")[2] for entry in manifest["manifest"]}
    assert files == expected


def test_the_paper_is_the_one_of_the_citation_file():
    paper = yaml.safe_load((ROOT / "codecheck.yml").read_text())["paper"]
    [cited] = yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]
    assert paper["title"] == cited["title"]
    assert paper["reference"] == f"https://doi.org/{cited['doi']}"
    names = [f"{author['given-names']} {author['family-names']}" for author in cited["authors"]]
    assert [author["name"] for author in paper["authors"]] == names
    assert all(url.startswith("https://doi.org/") for url in paper["reference-other"])
