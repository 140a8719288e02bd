"""The number of claims that were read after results were seen."""

import re
from pathlib import Path

import pytest

from geoforest_cli.study import plan
from geoforest_cli.study.claims.readings import late_among, readings
from geoforest_cli.study.claims.storage import read_claims

ROOT = Path(__file__).parents[3]
CLAIM = {"id": "a", "origin": "paper", "primary": "yes"}


def is_late(config, claim):
    """Whether the list of readings has a claim, looked up one by one."""
    for one in readings():
        of_claim = one["claims"] == "all" or claim["id"] in one["claims"]
        if config in one["config"].split(", ") and of_claim and one["after_results"]:
            return True
    return False


@pytest.mark.parametrize(
    ("config", "change", "count"),
    [
        ("hyperparameters", {"id": "robust_to_mtry_as_run"}, 1),
        ("hyperparameters", {"id": "another"}, 0),
        ("another", {"id": "robust_to_mtry_as_run"}, 0),
        ("hyperparameters", {"id": "robust_to_mtry_as_run", "origin": "ours"}, 0),
        ("hyperparameters", {"id": "robust_to_mtry_as_run", "primary": ""}, 0),
        # all claims of a config
        ("smerf_links", {"id": "any"}, 1),
        # the second of several configs
        ("impulse", {"id": "larger_lead_at_low_n"}, 1),
    ],
)
def test_only_late_readings_of_primary_claims_count(config, change, count):
    assert late_among([(config, CLAIM | change)]) == count


def test_the_number_of_the_claims_page_is_that_of_the_readings():
    primary = [
        (path.stem, claim)
        for path in sorted((ROOT / "configs").glob("*.yaml"))
        for claim in plan.load(path).config.claims
        if claim["origin"] == "paper" and claim.get("primary")
    ]
    page = " ".join((ROOT / "docs" / "claims.md").read_text(encoding="utf-8").split())
    said = re.search(
        r"Of the (\d+) claims of all configs that decide a paper's sentence, (\d+) were read", page
    )
    late = sum(is_late(config, claim) for config, claim in primary)
    assert 0 < late < len(primary)
    assert said.groups() == (str(len(primary)), str(late))


def test_the_number_of_the_readme_is_that_of_the_readings():
    folders = sorted((ROOT / "results" / "reference").glob("*/claims.json"))
    late = sum(
        is_late(path.parent.name, claim)
        for path in folders
        for claim in read_claims(path.parent)
        if claim["origin"] == "paper" and claim["primary"]
    )
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert re.search(
        rf" {late} of the \d+ was changed or added after results had been seen", readme
    )
