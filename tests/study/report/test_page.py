"""What a run leaves beside its rows, and what the site says about it, from a folder by hand."""

import json
from pathlib import Path

import pandas as pd
import pytest

from geoforest_cli.study.claims.evaluation import evaluate
from geoforest_cli.study.claims.results import EvaluationContext
from geoforest_cli.study.plan import load
from geoforest_cli.study.report.render import with_missing
from geoforest_cli.study.report.site.build import pages
from geoforest_cli.study.report.site.runs import read

METHODS = [{"name": name, "variant": "as_run"} for name in "ab"]
CHECKS = {
    "better": {"check": "greater", "than": METHODS[1:], "margin": 0.1},
    "worse": {"check": "less", "than": METHODS[1:], "quantifier": "most"},
    "enough": {"check": "at_least", "value": 0.25, "quantifier": 0.9},
    "little": {"check": "at_most", "value": 0.75, "quantifier": "mean"},
    "close": {"check": "near", "target": 0.5, "tolerance": 0.125},
}
RULES = {
    "better": "above 0.1, at every point",
    "worse": "below 0, at most points",
    "enough": "at least 0.25, at 90% of the points",
    "little": "at most 0.75, on the mean over points",
    "close": "within 0.375 to 0.625, at every point",
}


def rows():
    return pd.DataFrame(
        [
            {"n": n, "method": name, "variant": "as_run", "repetition": r, "metric": "share",
             "value": value + 0.001 * r * (1 + (name == "b")), "status": "ok", "cell": "c"}
            for n in (1, 2) for name, value in (("a", 0.5), ("b", 0.3)) for r in range(3)
        ]
    )  # fmt: skip


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "noise" / "paper"
    folder.mkdir(parents=True)
    claims = [
        {"id": name, "origin": "ours", "says": f"It is {name}.", "metric": "share",
         "method": METHODS[0], **check}
        for name, check in CHECKS.items()
    ]  # fmt: skip
    found = evaluate(claims, rows(), None, EvaluationContext())
    (folder / "claims.json").write_text(json.dumps(found, default=dict))
    about = {
        "schema": 1, "name": "noise", "title": "Noise", "paper": "", "artifact": "", "about": "",
        "profile": "paper", "caution": "", "labels": {}, "cells": 12, "published": [],
        "failed": [{"n": 1, "method": "a", "variant": "as_run", "repetition": 2,
                    "status": "timeout", "cell": "abc"}],
    }  # fmt: skip
    (folder / "report.json").write_text(json.dumps(about))
    origins = [
        {"first": "2021-03-05T10", "last": "2021-03-06T10", "commit": "c1", "python": "3.12"},
        {"first": "2021-03-01T10", "last": "2021-03-02T10", "commit": "c2", "python": "3.12"},
    ]
    made = {"made": {"origins": origins, "differ": ["commit"]}}
    (folder / "provenance.json").write_text(json.dumps(made))
    return tmp_path


def test_the_page_states_the_rule_of_every_claim(results):
    (run,) = read(results)
    assert {claim.raw["id"]: claim.rule for claim in run.claims} == RULES
    verdicts = {claim.raw["id"]: claim.verdict for claim in run.claims}
    assert verdicts == {name: "refuted" if name == "worse" else "supported" for name in CHECKS}
    assert run.counts == {
        "supported": 4, "refuted": 1, "tie": 0, "undecided": 0, "not judged": 0,
    }  # fmt: skip
    page = pages([run])[Path("runs/noise/paper/index.html")]
    for rule in RULES.values():
        assert rule in page


def test_the_page_says_when_and_with_what_the_rows_were_made(results):
    (run,) = read(results)
    assert run.record.facts == [
        ("made", "2021-03-01 to 2021-03-06"),
        ("python", "3.12"),
        ("made in", "2 parts that differ in commit (provenance.json)"),
    ]
    assert run.failed == ["timeout: a as_run, repetition 2, n 1 (abc)"]


def test_points_stand_with_their_intervals(results):
    (run,) = read(results)
    points = {claim.raw["id"]: claim.points for claim in run.claims}["enough"]
    assert [point.place for point in points] == ["n 1", "n 2"]
    assert {(point.estimate, point.n, point.verdict) for point in points} == {
        ("0.501", 3, "supported")
    }
    assert points[0].interval == "[0.4985, 0.5035]"


def test_a_cell_without_a_row_is_a_missing_row():
    plan = load("noise", "smoke")
    done, lost = plan.entries[:5], plan.entries[5:]
    frame = pd.DataFrame(
        [
            {**place.point, "k": 10, "method": place.method, "variant": place.variant,
             "repetition": place.repetition, "metric": "precision", "value": 0.5, "status": "ok",
             "cell": place.cell.key}
            for place in done
        ]
    )  # fmt: skip
    whole = with_missing(plan, frame)
    assert whole.iloc[: len(done)]["value"].tolist() == [0.5] * len(done)
    added = whole.iloc[len(done) :]
    assert added["cell"].tolist() == [
        place.cell.key for place in lost if place.cell not in [one.cell for one in done]
    ]
    assert set(added["status"]) == {"missing"}
    assert added["k"].isna().all()
    assert added["value"].isna().all()
