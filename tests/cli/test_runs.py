"""Lines of verbs on configs and their results, from made-up runs."""

import json
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from click.testing import CliRunner

from geoforest_cli.cli import run as verb
from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import ConfigError, ConfigErrors, MissingData, UserError
from geoforest_cli.study.agreement import Agreement
from geoforest_cli.study.claims.results import Answer
from geoforest_cli.study.engine.driver import RunResult
from geoforest_cli.study.engine.preview import Preview
from geoforest_cli.study.results.record import RunRecord
from geoforest_cli.study.results.result import Result
from tests.study.claims.made import claim, judged

ANSWER = Answer(question="Which is best?", text="GF\nis.", verdict="supported")


AGREEMENT = Agreement(
    values=2, median=0.1, percentile_90=0.2, inside=1, intervals=2, tau=0.5, tau_points=1,
    largest={"method": "gf", "variant": "as_run", "metric": "error", "ours": 1, "published": 2},
)  # fmt: skip


def invoke(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


def lines(text):
    return [line.rstrip() for line in text.splitlines()]


class Made:
    """A study that records how it is called; what becomes of it is set by a test."""

    done = RunResult(Path("there"), pd.DataFrame(), 5, 1, 4, (), interrupted=False)
    claims = ()
    answer = None
    agreement = None
    warned = ()
    artifact, paper = "Table 2", "geodesic_forests"
    problem = None
    absent, broken, older_sentence = 0, 0, ""

    def __init__(self, name):
        config = SimpleNamespace(
            artifact=self.artifact, title="Banknotes", paper=self.paper, figure={}
        )
        self.plan = SimpleNamespace(
            name=name, notes=("a rare note",), config=config, jobs=[None] * 5
        )

    @classmethod
    def open(cls, *given):
        cls.calls.append(("open", *given))
        return cls(given[0])

    def left_out(self):
        return {"umap": "it is not installed"}

    def preview(self, **given):
        self.calls.append(("preview", given))
        return Preview({}, (), 5, 4, 0, 1, 0, 2, 90.0)

    def run(self, **given):
        self.calls.append(("run", given))
        if self.problem:
            raise self.problem
        return self.done

    def render(self, done=None):
        for text in self.warned:
            warnings.warn(text, stacklevel=1)
        record = RunRecord(
            name="made", profile="paper", config={"name": "made", "text": ""}, answer=self.answer,
            agreement=self.agreement, claims=judged(*self.claims).claims,
            sentences=judged(*self.claims).sentences,
        )  # fmt: skip
        return Result(Path("there"), record, pd.DataFrame())

    def missing(self):
        return self.absent

    def failed(self):
        return self.broken

    def older(self):
        return self.older_sentence


@pytest.fixture
def made(monkeypatch):
    class Here(Made):
        pass

    Here.calls = []

    monkeypatch.setattr(verb, "Study", Here)
    monkeypatch.setattr(verb.formatting, "show_means", lambda *_: None)
    monkeypatch.setattr("geoforest_cli.cli.figure.Study", Here)
    return Here


OF_PROCESSORS = (
    "Note: the rows come from 2 kinds of processor (i7, arm): floating-point results, UMAP's "
    "above all, may differ between them; record.json counts the records of each"
)


def test_a_run_tells_notes_claims_cells_and_the_answer(made):
    made.claims, made.answer = [claim()], ANSWER
    made.agreement = AGREEMENT
    made.warned = ("few points", "few points")
    made.done = RunResult(
        Path("there"), pd.DataFrame(), 5, 1, 4, (), False, "2 kinds of processor (i7, arm)"
    )
    done = invoke("run", "noise", "--set", "a=1", "--results", "r", "--profile", "smoke")
    assert done.exit_code == 0
    assert made.calls[0] == ("open", "noise", "smoke", ("a=1",), Path("r"))
    assert lines(done.stderr) == [
        "Note: a rare note",
        "umap is left out: it is not installed",
        "Note: few points",
        "Note: few points",
        OF_PROCESSORS,
    ]
    assert lines(done.stdout) == [
        AGREEMENT.sentence(),
        "sentence or claim  verdict    estimate [95 % interval]",
        "c                  supported  0.25 [0.1, 0.5]",
        "Results of 5 cells (1 run now, 4 kept): there",
        r"Table 2: Which is best? GF\nis.",
    ]


@pytest.mark.parametrize("artifact", ["", None, "beyond the papers"])
def test_an_answer_beyond_the_papers_has_the_title(made, artifact):
    made.answer, made.artifact, made.paper = ANSWER, artifact, None
    assert lines(invoke("run", "noise").stdout)[-1] == r"Banknotes: Which is best? GF\nis."


def test_options_of_a_run_come_through(made):
    invoke("run", "noise", "--jobs", 3, "--retry-failed")
    _, (word, given) = made.calls
    assert word == "run"
    assert (given["retry_failed"], given["until"]) == (True, None)
    made.calls.clear()
    invoke("run", "noise", "--budget", 0.5)
    assert 1000.0 < made.calls[1][1]["until"] - time.monotonic() <= 1800.0


def test_all_configs_have_one_budget(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(verb.time, "monotonic", lambda: now[0])
    words = "profile overrides results jobs executor scheduler retry_failed only_plan as_json"
    given = dict.fromkeys(f"{words} check_claims skip_missing_data".split())
    call = verb._Call(**given, hours=1.0, began=100.0)
    assert (call.until, call.is_over) == (3700.0, False)
    now[0] += 3600
    assert (call.until, call.is_over) == (3700.0, True)
    assert not verb._Call(**given, hours=None).is_over


def test_a_plan_is_shown_and_nothing_is_run(made):
    done = invoke("run", "noise", "--plan", "--jobs", 2, "--retry-failed")
    assert made.calls[1:] == [("preview", {"jobs": 2, "retry_failed": True})]
    assert lines(done.stdout)[-1] == (
        "5 cells: 4 done, 0 failed, 1 to run; expected duration with 2 at once: 1 min 30 s"
    )
    shown = json.loads(invoke("run", "noise", "--plan", "--json").stdout)
    assert shown == {
        "axes": {}, "groups": [], "cells": 5, "done": 4, "failed": 0, "to_run": 1, "unknown": 0, "jobs": 2,
        "seconds": 90.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("out_of_time", "reason", "status"),
    [(False, "Interrupted.", 130), (True, "The time of --budget is over.", 0)],
)
def test_what_is_finished_is_kept(made, out_of_time, reason, status):
    interrupted = not out_of_time
    made.done = RunResult(
        Path("there"), pd.DataFrame(), 9, 2, 3, (), interrupted, out_of_time=out_of_time
    )
    done = invoke("run", "noise")
    assert done.exit_code == status
    assert done.stdout == ""
    assert lines(done.stderr)[-1] == (
        f"{reason} 5 of 9 cells are finished and kept in there; the same command goes on from "
        "there."
    )


@pytest.mark.parametrize(
    ("problem", "said", "word", "status"),
    [
        (ConfigErrors([ConfigError("first"), ConfigError("second")]),
         ["Error: first", "Error: second"], "wrong", 2),
        (OSError(28, "No space left on device"), [
            "Error: a: the output: No space left on device",
        ], "failed", 1),
        (MissingData("no file"), [
            "a is skipped, it needs data: no file; --skip-missing-data runs the other configs",
        ], "without their data", 2),
    ],
)  # fmt: skip
def test_of_several_configs_the_problem_of_one_is_told(made, problem, said, word, status):
    made.problem = problem
    done = invoke("run", "a", "dir/b.yaml")
    shown = lines(done.stderr)
    assert shown[0] == "Config 1 of 2: a"
    assert [line for line in shown if line in said] == (said * 2 if word == "wrong" else said)
    assert f"{word}: a, b" in shown
    assert lines(done.stdout) == ["0 of 2 configs ran."]
    assert done.exit_code == status


def test_configs_of_one_name_have_one_results_folder(made):
    refused = invoke("run", "dir/noise.yaml", "noise")
    assert isinstance(refused.exception, UserError)
    said = str(refused.exception)
    assert said.startswith("dir/noise.yaml and noise would have one results folder, noise: ")
    assert made.calls == []
    # the same config twice is one
    assert invoke("run", "noise", "noise").exit_code == 0
    assert [call[0] for call in made.calls].count("run") == 1


def test_a_figure_drawn_again_says_what_is_missing(made):
    made.agreement = AGREEMENT
    assert lines(invoke("figure", "noise").output) == [AGREEMENT.sentence(), "there"]
    made.agreement = None
    assert made.calls == [("open", "noise", "paper", (), Path("results"))]
    made.older_sentence = "of an older version"
    assert lines(invoke("figure", "noise").output) == ["there"]
    made.absent = 2
    assert lines(invoke("figure", "noise").output) == [
        "2 of 5 cells are missing: geoforest run noise", "of an older version", "there",
    ]  # fmt: skip
    made.older_sentence = ""
    made.broken = 3
    call = ("noise", "--profile", "smoke", "--set", "params.n=9", "--results", "my own")
    command = "geoforest run noise --profile smoke --set params.n=9 --results 'my own'"
    assert lines(invoke("figure", *call).output) == [
        f"2 of 5 cells are missing: {command}",
        f"3 of 5 cells failed: {command} --retry-failed",
        "there",
    ]


def test_a_report_goes_beside_results_and_counts_current_ones(tmp_path, monkeypatch):
    written = []

    def write(*given):
        written.append(given)
        return given[1] / "index.html"

    monkeypatch.setattr("geoforest_cli.study.report.site.write", write)
    monkeypatch.setattr(
        "geoforest_cli.study.results.verify.summary", lambda folder: f"of {folder.name}"
    )
    here, nowhere = tmp_path / "here", tmp_path / "nowhere"
    here.mkdir()
    assert invoke("report", "--results", here).output == f"{here}/site/index.html\n"
    invoke("report", "--results", here, "-o", tmp_path / "out")
    invoke("report", "--results", nowhere)
    assert written == [
        (here, here / "site", "of here"),
        (here, tmp_path / "out", "of here"),
        (nowhere, nowhere / "site", ""),
    ]
