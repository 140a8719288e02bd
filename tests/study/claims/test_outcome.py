"""How the claims of each paper fared, from results on disk."""

import json

import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.study.claims.outcome import error_summary, finding

CLAIM = {
    "id": "c", "origin": "paper", "says": "GF is best.", "quote": "", "primary": "", "reason": "",
    "verdict": "supported", "preliminary": "supported", "estimate": 0.123456, "low": 0.1,
    "high": 0.2, "print": None, "section": "", "unit": "sample", "caution": "", "where": {},
    "level": 0.95, "n": 9, "deciding": {}, "p_support": None, "p_refute": None, "check": "greater",
    "quantity": "precision", "allowed": [0.0, None], "quantifier": "all", "tie": 0.01,
    "expect": "", "supporting": 1, "refuting": 0, "repetitions": None, "points": [], "note": "",
}  # fmt: skip
ABOUT = {
    "schema": 1, "name": "", "title": "", "artifact": "", "about": "", "profile": "paper",
    "caution": "", "labels": {}, "cells": 9, "failed": [], "published": [],
}  # fmt: skip


def write(results, name, paper, claims, profile="paper"):
    folder = results / name / profile
    folder.mkdir(parents=True)
    (folder / "claims.json").write_text(json.dumps(claims))
    (folder / "report.json").write_text(json.dumps({**ABOUT, "paper": paper}))


@pytest.fixture
def results(tmp_path):
    refuted = {**CLAIM, "verdict": "refuted", "primary": "the variant that the text describes"}
    write(tmp_path, "noise", "geodesic_forests", [CLAIM, refuted, {**CLAIM, "origin": "ours"}])
    write(tmp_path, "noise", "geodesic_forests", [CLAIM] * 9, profile="smoke")
    write(tmp_path, "rotation", "geodesic_forests", [{**CLAIM, "verdict": "tie"}])
    ours = {**CLAIM, "origin": "ours", "verdict": "not judged", "reason": "no torch"}
    older = {**CLAIM, "origin": "agreement", "verdict": "supported"}
    write(tmp_path, "circle", "morf", [ours, older])
    lines = (
        "n,method,variant,metric,mean,half,repetitions,undefined,failed,published,difference\n"
        "50,morf,as_run,error,0.5,0.125,3,0,0,0.25,0.25\n50,rf,as_run,error,0.5,,1,0,0,,\n"
    )
    (tmp_path / "circle" / "paper" / "summary.csv").write_text(lines)
    write(tmp_path, "mine", "", [{**CLAIM, "origin": "ours"}])
    write(tmp_path, "empty", "smerf", [])
    return tmp_path


def claims(results, *words):
    return CliRunner().invoke(cli, ["claims", "--results", str(results), *words])


def test_states_are_counted_by_paper_and_origin(results):
    found = json.loads(claims(results, "--json").output)
    assert list(found) == ["geodesic_forests", "morf", "ours"]
    counts = found["geodesic_forests"]["counts"]
    assert list(counts) == ["paper", "ours"]
    assert counts["paper"] == {
        "supported": 1, "refuted": 1, "tie": 1, "undecided": 0, "not judged": 0,
    }  # fmt: skip
    assert list(found["morf"]["counts"]) == ["ours"]
    assert found["morf"]["counts"]["ours"]["not judged"] == 1
    assert found["geodesic_forests"]["agreement"] is None
    assert found["morf"]["agreement"] == {
        "values": 1, "median": 0.25, "percentile_90": 0.25, "inside": 1, "intervals": 1,
        "tau": None, "tau_points": 0,
        "largest": {"method": "morf", "variant": "as_run", "metric": "error", "ours": 0.5,
                    "published": 0.25},
    }  # fmt: skip
    [only] = found["geodesic_forests"]["findings"]
    assert only == "GF is best: refuted, 0.123 (95 % interval 0.1 to 0.2) (noise: c)"


def test_the_table_and_the_choice_of_papers(results):
    shown = claims(results, "geodesic_forests")
    assert shown.exit_code == 0
    assert "morf" not in shown.output
    assert (
        claims(results, "morf")
        .stdout.splitlines()[0]
        .startswith(
            "morf: 1 published value: median deviation .25, 90th percentile .25, 1 of 1 (100 %) inside"
        )
    )
    row = next(line for line in shown.output.splitlines() if "paper" in line and "1" in line)
    assert row.split() == ["geodesic_forests", "paper", "1", "1", "1", "3"]
    assert "- GF is best: refuted" in shown.output
    assert json.loads(claims(results, "--profile", "smoke", "--json").output)[
        "geodesic_forests"]["counts"]["paper"]["supported"] == 9  # fmt: skip


def test_what_is_wrong_is_a_sentence(results, tmp_path):
    assert "did you mean 'morf'" in str(claims(results, "mrof").exception)
    assert "run a config first" in str(claims(tmp_path / "nowhere").exception)
    path = results / "noise" / "paper" / "claims.json"
    path.write_text(json.dumps([{"id": "c"}]))
    assert "judged by an older version" in str(claims(results).exception)
    path.write_text("[")
    assert "claims.json is damaged" in str(claims(results).exception)


def test_findings_in_words():
    printed = {"answer": "partly", "held": 12, "points": 16}
    words = finding({**CLAIM, "quote": "best in all cases", "print": printed})
    assert (
        words
        == "“best in all cases”: supported, 0.123 (95 % interval 0.1 to 0.2); published numbers: at 12 of 16 points"
    )
    one = {"answer": "refuted", "held": 0, "points": 1}
    assert finding({**CLAIM, "print": one}).endswith("; published numbers: refuted")
    open_ = {**CLAIM, "verdict": "undecided", "note": "Clear by themselves: 3 of 9 points."}
    assert finding(open_).endswith("to 0.2). Clear by themselves: 3 of 9 points")
    lost = {**CLAIM, "verdict": "not judged", "reason": "no torch"}
    assert finding(lost) == "GF is best: not judged (no torch; the numbers at hand: supported)"
    assert finding({**lost, "preliminary": None}) == "GF is best: not judged (no torch)"
    assert finding({**CLAIM, "low": None, "note": "n"}) == "GF is best: supported, 0.123"


def judged(verdict, support, refute, **more):
    claim = {"origin": "paper", "primary": "yes", "verdict": verdict}
    return claim | {"p_support": support, "p_refute": refute} | more


def test_errors_are_counted_over_the_papers_primary_claims_alone():
    claims = [
        judged("supported", 0.0001, 1.0),
        judged("refuted", 1.0, 0.0002),
        judged("tie", 0.5, 0.5),
        judged("undecided", 0.03, 0.97),
        judged("not judged", None, None),
        judged("supported", 0.0, 1.0, primary=""),
        judged("supported", 0.0, 1.0, origin="ours"),
    ]
    found = error_summary(claims)
    assert (found.judged, found.decided, found.kept) == (4, 2, 2)
    assert found.expected == pytest.approx(0.1)
    assert error_summary([]).judged == 0


def test_a_verdict_that_many_undecided_ones_surround_is_not_kept():
    lonely = [judged("supported", 0.02, 0.98), *[judged("undecided", 0.4, 0.6)] * 20]
    assert (error_summary(lonely).decided, error_summary(lonely).kept) == (1, 0)
