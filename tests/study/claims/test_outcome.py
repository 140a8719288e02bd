"""What became of each paper's sentences, over all configs that test parts of them."""

import json

import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.study.claims.outcome import outcomes
from tests.study.claims.by_hand import GREATER, OF, around, judged

ABOUT = {
    "schema": 1, "name": "", "title": "", "artifact": "", "about": "", "profile": "paper",
    "caution": "", "labels": {}, "cells": 9, "failed": [], "published": [],
}  # fmt: skip
AHEAD, BEHIND = around({"a": 0.6, "b": 0.5}), around({"a": 0.4, "b": 0.5})
UNCLEAR = around({"a": 0.5, "b": 0.5}, spread=0.1)
PART = GREATER | OF


def outcome(*several):
    """The only outcome of configs that test parts of a sentence."""
    [found] = outcomes((f"config {i}", "gf", one) for i, one in enumerate(several))
    return found


@pytest.mark.parametrize(
    ("frames", "verdict"),
    [([AHEAD, AHEAD], "supported"), ([AHEAD, BEHIND], "refuted"),
     ([UNCLEAR, BEHIND, AHEAD], "refuted"), ([AHEAD, UNCLEAR], "undecided")],
)  # fmt: skip
def test_a_sentence_tested_in_several_configs_is_one_finding(frames, verdict):
    [finding] = outcome(*(judged([PART], frame) for frame in frames)).findings
    assert (finding.verdict, len(finding.configs)) == (verdict, len(frames))


def test_it_is_registered_in_all_configs_and_hangs_on_a_threshold_in_one():
    early, late = (judged([PART], AHEAD, registered=names) for names in (["c0"], []))
    hanging = judged([PART | {"margin": 0.08}], AHEAD, registered=["c0"])
    for several, marks in (([early], (True, False)), ([early, late], (False, False)),
                           ([early, hanging], (True, True))):  # fmt: skip
        [finding] = outcome(*several).findings
        assert (finding.registered, finding.hangs) == marks


@pytest.fixture
def shown(tmp_path):
    """What `geoforest claims` says of some results."""
    several = [("noise", "geodesic_forests", [PART], AHEAD), ("mine", "", [GREATER], BEHIND),
               ("circle", "morf", [PART], BEHIND)]  # fmt: skip
    for name, paper, claims, frame in several:
        folder = tmp_path / name / "paper"
        folder.mkdir(parents=True)
        (folder / "claims.json").write_text(judged(claims, frame).model_dump_json())
        (folder / "report.json").write_text(json.dumps({**ABOUT, "paper": paper}))
    return lambda *words: CliRunner().invoke(cli, ["claims", "--results", str(tmp_path), *words])


def test_findings_are_shown_by_paper(shown):
    found = json.loads(shown("--json").output)
    told = [(paper, *[one["verdict"] for one in found[paper]["sentences"]]) for paper in found]
    assert told == [("geodesic_forests", "supported"), ("morf", "refuted"), ("ours",)]
    assert found["ours"]["ours"]["refuted"] == 1  # claims of ours are counted apart
    assert "refuted (post hoc): “A is best” [circle]" in shown("morf").output
    assert "morf" not in shown("geodesic_forests").output


def test_what_is_wrong_is_a_sentence(shown, tmp_path):
    assert "did you mean 'morf'" in str(shown("mrof").exception)
    assert "run a config first" in str(shown("--profile", "smoke").exception)
    path = tmp_path / "noise" / "paper" / "claims.json"
    for text, words in (("[]", "older version"), ("[", "damaged"), ('{"version": 3}', "damaged")):
        path.write_text(text)
        assert words in str(shown().exception)
