"""The table of all claims: complete, and the one that the docs show."""

from pathlib import Path

import pytest

from geoforest_cli.study import plan
from tools.docs import claims as index

pytestmark = pytest.mark.nightly
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def plans():
    return [plan.load(path) for path in sorted((ROOT / "configs").glob("*.yaml"))]


def test_the_docs_show_the_claims_of_the_configs(plans):
    shown = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert shown == index.page(plans)


def test_every_claim_has_its_line_and_every_paper_its_sentences(plans):
    text = index.page(plans)
    for one in plans:
        if one.config.paper:
            for claim in one.config.claims:
                assert f"| `{one.path.stem}` | `{claim['id']}` |" in text
            for key in one.config.sentences:
                assert f"`{key}`)" in text


def test_what_has_no_claim_says_where_it_stands_and_why(plans):
    papers = {one.config.paper for one in plans}
    for sentence in index.absent():
        assert set(sentence) == {"paper", "section", "sentence", "why"}
        assert sentence["paper"] in papers
        assert len(sentence["why"]) > 20


def test_former_readings_are_of_configs_that_are_there(plans):
    known = {one.path.stem for one in plans}
    for reading in index.history():
        keys = {"config", "claims", "date", "was", "is", "why", "after_results"}
        assert set(reading) == keys
        assert set(reading["config"].split(", ")) <= known
