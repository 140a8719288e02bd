"""Words for plans, failures and long computations."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
from rich.console import Console

from geoforest_cli.cli import formatting, progress
from geoforest_cli.study.claims.outcome import ArtifactAnswer, Finding, PaperOutcome
from geoforest_cli.study.claims.results import Answer
from geoforest_cli.study.engine.driver import Failure, RunResult
from geoforest_cli.study.engine.preview import Group, Preview
from tests.study.claims.made import claim, judged, sentence


def ended(*failed):
    return RunResult(Path("there"), pd.DataFrame(), 9, 2, 7, failed, interrupted=False)


def failure(error, method="gf"):
    return Failure(SimpleNamespace(method=method, variant="as_run"), "out_of_memory", error)


def test_equal_failures_are_told_once_and_none_is_passed_over(capsys):
    formatting.show_failures(ended(*[failure("no room")] * 3, failure("no room", "urf")))
    assert capsys.readouterr().err.splitlines() == [
        "gf (as_run): 3 cells out of memory: no room",
        "urf (as_run): 1 cell out of memory: no room",
        "--retry-failed runs the failed cells once more.",
    ]
    formatting.show_failures(ended(*[failure(f"reason {i}") for i in range(21)]))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 22
    assert lines[20] == "... and 1 more reasons, in there/record.json"
    formatting.show_failures(ended())
    assert capsys.readouterr().err == ""


def test_counts_of_a_run():
    assert formatting.cell_counts(ended()) == "9 cells (2 run now, 7 kept)"
    assert formatting.cell_counts(ended(failure("x"))) == "9 cells (2 run now, 7 kept, 1 failed)"


def test_a_table_in_a_pipe_is_not_cut_off(capsys):
    name = "a_claim_with_a_name_that_is_far_longer_than_the_width_of_most_terminals_" * 3
    for high in (None, 0.2):
        row = claim(id=name, estimate=0.123456, low=0.1, high=high)
        formatting.show_verdicts(SimpleNamespace(judged=judged(row), caution=""))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines() if name in line]
    assert [line.split(maxsplit=2)[1:] for line in lines] == [
        ["supported", "0.1235"], ["supported", "0.1235 [0.1, 0.2]"],
    ]  # fmt: skip


def _forests(**options):
    return progress.ForestProgress(Console(width=200, **options))


def test_lines_come_now_and_then_and_at_the_end(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    forests = _forests(get_time=lambda: now[0])
    for seconds in (0.0, 4.0, 8.0, 12.0, 16.0):
        now[0] = seconds
        forests.update("trees", 10, 50)
    assert capsys.readouterr().out.splitlines() == [
        "40 of 50 trees, about 3 s left",
        "50 of 50 trees",
    ]


ANSWER = Answer(question="Which is best?", text="GF\nis.", verdict="supported")


def shown(text):
    return [line.rstrip() for line in text.splitlines()]


def test_a_plan_has_a_line_for_each_axis_and_method(capsys):
    groups = (
        Group("gf", "as_run", cells=3, done=1, failed=0, to_run=2, seconds=150.0),
        Group("gf", "as_written", cells=3, done=3, failed=0, to_run=0, seconds=9.0),
        Group("rf", "as_written", cells=2, done=0, failed=1, to_run=1, seconds=None),
    )
    preview = Preview({"n": [10, 20]}, groups, 8, 4, 1, 3, unknown=1, jobs=1, seconds=None)
    formatting.show_plan(preview, as_json=False)
    axis, head, *rows, last = shown(capsys.readouterr().out)
    assert (axis, head) == (
        "n: 10, 20", "method  variant     cells  done  failed  to run    expected"
    )  # fmt: skip
    assert [row.split() for row in rows] == [
        ["gf", "as_run", "3", "1", "2", "2", "min", "30", "s"],
        ["gf", "as_written", "3", "3"],
        ["rf", "as_written", "2", "1", "1", "unknown"],
    ]
    assert last.endswith("expected duration with 1 at once: unknown")


def test_means_stand_beside_published_values(tmp_path, capsys):
    (tmp_path / "summary.csv").write_text(
        "k,method,variant,metric,mean,half,repetitions,undefined,failed,published,difference\n"
        "1,gf,as_run,precision,0.75,0.01,5,0,0,0.74,0.01\n"
        "2,gf,as_run,precision,0.5,0.01,5,0,0,,\n"
        "1,gf,as_written,precision,0.3,0.01,5,0,0,,\n"
        "1,gf,as_run,recall,0.2,0.01,5,0,0,,\n"
    )
    formatting.show_means(SimpleNamespace(folder=tmp_path), ["precision"])
    assert shown(capsys.readouterr().out) == [
        "precision: means ± half the 95 % interval",
        "k                         1              2",
        "gf (as_run)   0.750 ± 0.010  0.500 ± 0.010",
        "  published           0.740",
        "  difference         +0.010",
    ]


def test_sentences_stand_with_parts_and_open_claims_are_counted(capsys):
    few = {"verdict": "not judged", "estimate": None, "reason": "too few cells"}
    said = judged(
        claim(id="part", sentence="best"),
        claim(id="other", sentence="best", reading=True, verdict="tie"),
        claim(id="d", **few, preliminary="tie"),
        claim(id="e", **few),
        sentences=[sentence(parts=("part",), readings=("other",), hangs=True)],
    )
    formatting.show_verdicts(SimpleNamespace(judged=said, caution=""))
    assert shown(capsys.readouterr().out) == [
        "sentence or claim  verdict                                               estimate [95 % interval]",
        "best               supported (registered, hangs on a threshold of ours)",
        "  part part        supported                                             0.25 [0.1, 0.5]",
        "  reading other    tie                                                   0.25 [0.1, 0.5]",
        "d                  not judged (so far: tie)",
        "e                  not judged",
        "2 claims not judged: too few cells",
    ]
    formatting.show_verdicts(SimpleNamespace(judged=judged(), caution=""))
    assert capsys.readouterr().out == ""


def test_claims_that_the_profile_cannot_judge_are_one_line(capsys):
    few = {"verdict": "not judged", "estimate": None, "reason": "a small run"}
    said = judged(
        claim(id="d", **few, preliminary="tie"), claim(id="e", **few), sentences=[sentence()]
    )
    formatting.show_verdicts(SimpleNamespace(judged=said, caution="a small run"))
    assert shown(capsys.readouterr().out) == [
        "a small run: 1 sentences and 2 claims are not judged (claims so far: 1 tie)"
    ]


def test_outcomes_of_papers(capsys):
    findings = [
        Finding(["noise"], "“GF is best.”", "1", "supported", registered=True, hangs=False),
        Finding(["noise", "low"], "“SG is not.”", "2", "refuted", registered=False, hangs=True),
    ]
    outcomes = [
        PaperOutcome("gf", findings, Counter({"not judged": 1, "tie": 3})),
        PaperOutcome("ours", [], Counter({"undecided": 1})),
    ]
    answers = [ArtifactAnswer("noise", "gf", "Table 2", ANSWER)]
    agreement = SimpleNamespace(sentence=lambda: "two values")
    formatting.show_outcomes(outcomes, answers, {"gf": agreement, "ours": None})
    assert shown(capsys.readouterr().out) == [
        "gf: two values",
        "paper                  supported  refuted  tie  undecided  not judged  all",
        "gf     sentences               1        1                                2",
        "gf     claims of ours                        3                      1    4",
        "ours   claims of ours                                   1                1",
        "",
        "gf",
        "- supported: “GF is best.” [noise]",
        "- refuted (post hoc, hangs on a threshold of ours): “SG is not.” [noise, low]",
        r"- Table 2: Which is best? GF\nis.",
    ]
