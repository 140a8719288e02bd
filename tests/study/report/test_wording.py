"""Claims, numbers, records and papers in the words of the site, whole."""

from types import SimpleNamespace

import pandas as pd
import pytest

from geoforest_cli.study.claims.results import ClaimResult, Verdicts
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.report.site import overview, pictures, variants, wording
from geoforest_cli.study.report.site.wording import Point
from geoforest_cli.study.results.record import RunRecord

POINT = {"at": {"n": 10000, "noise": 0.5}, "estimate": 0.123456, "low": 0.1, "high": 0.2, "n": 9,
         "verdict": "supported"}  # fmt: skip
CLAIM = {
    "id": "best", "sentence": "all_best", "reading": False, "says": "a forest is best", "expect": "",
    "check": "greater", "quantity": "precision of gf minus that of umap", "where": {},
    "quantifier": "all", "allowed": (0.0, None), "tie": 0.01, "unit": "sample",
    "registration": "post hoc", "verdict": "tie", "estimate": 0.123456, "low": -0.1, "high": 0.25,
    "n": 9, "deciding": {"n": 20}, "p_support": 0.04321, "p_refute": 0.00001,
    "points": [POINT, {**POINT, "low": None}],
}  # fmt: skip
SENTENCE = {
    "key": "all_best", "quote": "Forests are best.", "paraphrase": "", "section": "1", "why": "",
    "holds": "all", "verdict": "tie", "reason": "", "registration": "post hoc", "hangs": True,
    "parts": ("best",), "readings": (),
}  # fmt: skip


def described(**changes):
    return wording.describe_claim(ClaimResult.model_validate(CLAIM | changes))


def test_a_claim_in_words():
    found = described()
    assert (found.estimate, found.interval) == ("0.1235", "[-0.1, 0.25]")
    assert found.p == "0.043 for it, < 0.0001 against it"
    assert (found.rule, found.place) == ("above 0, at every point", "n 20")
    assert found.points == [
        Point("n 10,000, noise 0.5", "0.1235", "[0.1, 0.2]", 9, "supported"),
        Point("n 10,000, noise 0.5", "0.1235", "–", 9, "supported"),
    ]
    assert found.statement == "A forest is best"
    for changes, said in [({"n": 1}, "1 sample"), ({"n": 2, "unit": "query"}, "2 queries")]:
        assert described(**changes).repetitions == said
    single = described(points=[POINT], estimate=None, high=None, p_support=None)
    assert (single.points, single.place) == ([], "")
    assert (single.estimate, single.interval) == ("–", "–")


def test_a_threshold_of_ours_and_the_population_are_said():
    assert described().threshold == ""
    said = described(half="supported", twice="refuted", population="undecided").threshold
    assert "half of our threshold: supported; with twice: refuted" in said
    assert said.endswith("(Nadeau and Bengio): undecided.")


def test_a_sentence_in_words():
    judged = Verdicts.model_validate({"sentences": [SENTENCE], "claims": [CLAIM]})
    (found,) = wording.describe_sentences(judged)
    assert found.raw.text == "“Forests are best.”"
    assert found.deciding.raw.id == "best"
    assert found.marks == ["post hoc", "hangs on a threshold of ours"]


@pytest.mark.parametrize(
    ("check", "allowed", "quantifier", "said"),
    [
        ("greater", (0.0, None), "all", "above 0, at every point"),
        ("greater", (0.5, None), "most", "above 0.5, at most points"),
        ("at_least", (0.5, None), "mean", "at least 0.5, on the mean over points"),
        ("less", (None, 0.0), "all", "below 0, at every point"),
        ("at_most", (None, 0.25), "all", "at most 0.25, at every point"),
        ("within", (-0.1, 0.1), "all", "within -0.1 to 0.1, at every point"),
        ("greater", (0.0, None), 0.75, "above 0, at 75% of the points"),
    ],
)
def test_rules_in_words(check, allowed, quantifier, said):
    assert described(check=check, allowed=allowed, quantifier=quantifier).rule == said


def test_what_a_record_says():
    origin = {"first": "2026-01-02T03", "last": "2026-01-02T09", "seconds": 90, "commit": "c0",
              "python": "3.12", "numba": "", "processor": "i7", "numpy": "2.1"}  # fmt: skip
    other = {**origin, "first": "2026-01-01T08", "seconds": 10.5, "python": "3.11"}
    failed = [{"cell": "k", "what": "gf at n 3", "status": "timeout"}]
    known = {"name": "a", "profile": "paper", "config": {"name": "a", "text": ""}}
    record = RunRecord.model_validate(
        {**known, "environment": {"origins": [origin]}, "cells": {"total": 3, "failed": failed}}
    )
    assert record.facts == [
        ("made", "2026-01-02"), ("commit", "c0"), ("processor", "i7"), ("python", "3.12"),
        ("numpy", "2.1"),
    ]  # fmt: skip
    assert record.failed == ["timeout: gf at n 3 (k)"]
    parts = RunRecord.model_validate(
        {**known, "environment": {"differ": ["python", "first"], "origins": [origin, other]}}
    )
    assert parts.facts == [
        ("made", "2026-01-01 to 2026-01-02"), ("commit", "c0"), ("processor", "i7"),
        ("numpy", "2.1"), ("made in", "2 parts that differ in python, first (record.json)"),
    ]  # fmt: skip
    assert (record.seconds, parts.seconds) == (90.0, 100.5)
    assert parts.commits == ["c0"]
    nothing = RunRecord.model_validate(known)
    assert (nothing.facts, nothing.commits, nothing.failed, nothing.seconds) == ([], [], [], 0)


def run(**changes):
    known = {"paper": "smerf", "artifact": "Figure 1", "name": "a", "title": "T", "caution": "",
             "claims": [], "lines": pd.DataFrame()}  # fmt: skip
    return SimpleNamespace(**known | changes)


def test_the_values_of_runs_that_judge_the_paper_are_taken_together():
    lines = pd.DataFrame({
        "method": ["gf", "umap"], "variant": "as_run", "metric": "precision", "half": 0.1,
        "repetitions": 3, "mean": [0.5, 0.6], "published": [0.45, 0.9],
    })  # fmt: skip
    several = [run(lines=lines), run(name="b", lines=lines[:1]), run(name="c")]
    found = overview.together([*several, run(name="d", lines=lines, caution="small")])
    assert (found.values, found.inside, found.tau, found.tau_points) == (3, 2, 1.0, 1)
    assert found.largest["config"] == "a"
    assert overview.together([run(lines=lines, caution="small"), run()]) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Precision, fit seconds (vertical) against n (horizontal)."),
        ({"labels": {"n": "sample size", "precision": "share"}},
         "Share, fit seconds (vertical) against sample size (horizontal)."),
        ({"x_label": "size", "y_label": "IQ"}, "IQ (vertical) against size (horizontal)."),
        ({"x": ()}, "Shown: precision, fit seconds."),
        ({"y": (), "x": "noise_dims"}, "Shown: noise dims."),
        ({"x": (), "y": ()}, ""),
    ],
)  # fmt: skip
def test_axes_in_words(given, said):
    figure = {"x": "n", "y": ("precision", "fit_seconds"), **given}
    config = SimpleNamespace(figure=figure, more_figures={}, params={}, grid_values={})
    assert pictures._axes("figure", config) == said


def test_what_a_config_runs_in_words():
    config = Config.model_validate({
        "title": "T", "experiment": "e", "grid": {"n": [1]},
        "methods": {
            "mine": {"use": "gf", "label": "M", "params": {"trees": 5, "depth": None},
                     "from_grid": {"k": "n"},
                     "variants": {"recommended": {}, "as_written": {
                         "params": {"sizes": [1, 2], "name": "a: b"}, "sample": {"seed": 3}}}},
            "umap": {"variants": {"as_run": {}}},
        },
    })  # fmt: skip
    assert variants.lines(config) == [
        variants.Line(
            "mine", "M", "gf", ["trees: 5", "depth: null", "k: of the grid (n)"],
            {"as_written": ["sizes: [1, 2]", "name: 'a: b'", "sample seed: 3"], "recommended": []},
        ),
        variants.Line("umap", "umap", "umap", [], {"as_run": []}),
    ]  # fmt: skip
