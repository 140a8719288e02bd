"""The table of all claims: complete, and the one that the docs show."""

from pathlib import Path

import pytest

from geoforest_cli.study import plan
from geoforest_cli.study.claims.readings import readings
from tools.docs import claims as index

pytestmark = pytest.mark.nightly
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def plans():
    return [plan.load(path) for path in sorted((ROOT / "configs").glob("*.yaml"))]


def test_the_docs_show_the_claims_of_the_configs(plans):
    shown = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert shown == index.page(plans)


def test_every_claim_has_its_line(plans):
    lines = index.page(plans).splitlines()
    for one in plans:
        for claim in one.config.claims:
            start = f"| `{one.path.stem}` | `{claim['id']}` | {claim['check']} |"
            assert sum(start in line for line in lines) == 1


def test_a_sentence_of_a_paper_has_a_primary_claim(plans):
    """Papers are judged by their sentences, and every paper has some that decide."""
    lines = index.page(plans).split("\n## Sentences without")[0].split("\n## ")[1:]
    assert len(lines) == 4
    for paper in lines:
        (theirs,) = (part for part in paper.split("\n### ") if part.startswith("The paper's"))
        assert theirs.count("| yes |") >= 10


def test_what_has_no_claim_says_where_it_stands_and_why(plans):
    papers = {one.config.paper for one in plans}
    for sentence in index.absent():
        assert set(sentence) == {"paper", "section", "sentence", "why"}
        assert sentence["paper"] in papers
        assert len(sentence["why"]) > 20


def test_readings_are_of_claims_that_are_there(plans):
    claims = {one.path.stem: {claim["id"] for claim in one.config.claims} for one in plans}
    for reading in readings():
        keys = {"config", "claims", "date", "was", "is", "why", "after_results"}
        assert set(reading) == keys
        for config in reading["config"].split(", "):
            ids = claims[config] if reading["claims"] == "all" else set(reading["claims"])
            assert ids <= claims[config], reading
