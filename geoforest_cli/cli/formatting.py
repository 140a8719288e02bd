"""Texts and tables about a run that is planned, interrupted or done."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click
import pandas as pd

from geoforest_cli.cli.output import print_table, say
from geoforest_cli.core.escaping import escaped_json
from geoforest_cli.study.agreement import Agreement
from geoforest_cli.study.claims.outcome import STATES, ArtifactAnswer, PaperOutcome
from geoforest_cli.study.claims.results import ClaimResult, SentenceResult
from geoforest_cli.study.engine.driver import RunResult
from geoforest_cli.study.engine.preview import Preview
from geoforest_cli.study.engine.progress import duration_text
from geoforest_cli.study.report.tables import blocks
from geoforest_cli.study.results import Result

__all__ = [
    "cell_counts",
    "run_command",
    "show_agreement",
    "show_failures",
    "show_interrupt",
    "show_means",
    "show_outcomes",
    "show_plan",
    "show_summary",
    "show_verdicts",
]

_MOST_FAILURES = 20
_MAX_MEANS = 60  # lines of means in the terminal


def run_command(config: str, profile: str, overrides: Sequence[str], results: Path) -> str:
    """Return the command that runs a config, with the options of the call.

    Examples
    --------
    >>> run_command("my noise.yaml", "paper", (), Path("results"))
    "geoforest run 'my noise.yaml'"
    >>> run_command("noise", "smoke", ["params.n=9"], Path("mine"))
    'geoforest run noise --profile smoke --set params.n=9 --results mine'
    """
    words = ["geoforest", "run", config]
    words += [] if profile == "paper" else ["--profile", profile]
    words += [word for override in overrides for word in ("--set", override)]
    words += [] if results == Path("results") else ["--results", str(results)]
    return shlex.join(words)


def show_plan(preview: Preview, *, as_json: bool) -> None:
    """List the grid's axes and what would run of each method, and how long it would take."""
    if as_json:
        click.echo(escaped_json(asdict(preview)))
        return
    for name, values in preview.axes.items():
        say(f"{name}: {', '.join(map(str, values))}", one_line=True)
    rows = [
        [
            group.method,
            group.variant,
            *(str(count or "") for count in (group.cells, group.done, group.failed, group.to_run)),
            _seconds_text(group.seconds) if group.to_run else "",
        ]
        for group in preview.groups
    ]
    headers = ["method", "variant", "cells", "done", "failed", "to run", "expected"]
    print_table(headers, rows, right=range(2, len(headers)), ruled=True)
    duration = _seconds_text(preview.seconds if preview.to_run else 0.0)
    if preview.to_run and preview.seconds is not None and preview.unknown:
        duration += f" (a guess: {preview.unknown} cells are like none that has run)"
    say(
        f"{preview.cells} cells: {preview.done} done, {preview.failed} failed, "
        f"{preview.to_run} to run; expected duration with {preview.jobs} at once: {duration}"
    )


def _seconds_text(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    return duration_text(seconds) if seconds else "nothing"


def show_means(result: Result, metrics: str | Sequence[str]) -> None:
    """Print the means of a figure's metrics beside the published values and the deviations.

    Where values are published, the variants that they are given for and the recommended ones.
    """
    lines = pd.read_csv(result.folder / "summary.csv")
    of_figure = lines["metric"].isin([metrics] if isinstance(metrics, str) else metrics)
    lines = lines[of_figure | (lines["metric"] == "chance")] if of_figure.any() else lines
    if lines["published"].notna().any():
        has_values = lines.groupby(["method", "variant"])["published"].transform("count") > 0
        lines = lines[has_values | (lines["variant"] == "recommended")]
    left = _MAX_MEANS
    tables = list(blocks(lines, str))
    for number, table in enumerate(tables):
        if left < len(table.lines) and number:
            say(f"{len(tables) - number} more tables: {result.folder / 'summary.md'}")
            return
        left -= len(table.lines)
        say(f"{table.title}: means{' ± half the 95 % interval' if number == 0 else ''}")
        head = [table.axis, *table.head]
        rows = [[name, *cells] for name, cells in table.lines]
        print_table(head, rows, right=range(1, len(head)), ruled=True)


def show_agreement(result: Result) -> None:
    """Print how the means agree with the published values, where there are any."""
    if result.agreement:
        say(result.agreement.sentence(), one_line=True)


def show_verdicts(result: Result) -> None:
    """List the sentences and claims with their verdicts, and why some have none."""
    judged = result.judged
    if not judged.claims:
        return
    if result.caution:
        so_far = Counter[str](claim.preliminary for claim in judged.claims if claim.preliminary)
        counts = ", ".join(f"{so_far[state]} {state}" for state in STATES if so_far[state])
        say(
            f"{result.caution}: {len(judged.sentences)} sentences and {len(judged.claims)} claims "
            f"are not judged{f' (claims so far: {counts})' if counts else ''}"
        )
        return
    rows = []
    for sentence in judged.sentences:
        rows.append([sentence.key, _with_marks(sentence), ""])
        for name in (*sentence.parts, *sentence.readings):
            if claim := judged.claim(name):
                what = "reading" if claim.reading else "part"
                rows.append([f"  {what} {name}", _verdict(claim), _interval(claim)])
    other_claims = [claim for claim in judged.claims if claim.sentence is None]
    rows += [[claim.id, _verdict(claim), _interval(claim)] for claim in other_claims]
    print_table(["sentence or claim", "verdict", "estimate [95 % interval]"], rows, ruled=True)
    reasons = Counter(claim.reason for claim in judged.claims)
    for reason, count in reasons.items():
        if reason:
            say(f"{count} claim{'s' if count > 1 else ''} not judged: {reason}")


def _with_marks(sentence: SentenceResult) -> str:
    if sentence.verdict == "not judged":
        return _verdict(sentence)
    marks: list[str] = [sentence.registration]
    marks += ["hangs on a threshold of ours"] if sentence.hangs else []
    return f"{sentence.verdict} ({', '.join(marks)})"


def _verdict(claim: ClaimResult | SentenceResult) -> str:
    if claim.verdict == "not judged" and claim.preliminary:
        return f"not judged (so far: {claim.preliminary})"
    return claim.verdict


def _interval(claim: ClaimResult) -> str:
    if claim.estimate is None:
        return ""
    estimate = f"{claim.estimate:.4g}"
    if claim.low is None or claim.high is None:
        return estimate
    return f"{estimate} [{claim.low:.4g}, {claim.high:.4g}]"


def show_outcomes(
    outcomes: Sequence[PaperOutcome],
    answers: Sequence[ArtifactAnswer],
    agreements: Mapping[str, Agreement | None],
) -> None:
    """Show agreement and verdicts paper by paper; then each sentence and answer on a line."""
    for name, agreement in agreements.items():
        if agreement:
            say(f"{name}: {agreement.sentence()}", one_line=True)
    rows = [
        [paper.paper, what, *(str(counts[state] or "") for state in STATES), str(counts.total())]
        for paper in outcomes
        for what, counts in (("sentences", paper.counts), ("claims of ours", paper.ours))
        if counts
    ]
    headers = ["paper", "", *STATES, "all"]
    print_table(headers, rows, right=range(2, len(headers)), ruled=True)
    for paper in outcomes:
        lines = [finding.line for finding in paper.findings]
        lines += [answer.sentence for answer in answers if answer.paper == paper.paper]
        if lines:
            say(f"\n{paper.paper}")
        for line in lines:
            say(f"- {line}", one_line=True)


def show_failures(done: RunResult) -> None:
    """Print which cells failed, and why; equal reasons once."""
    if not done.failed:
        return
    reasons = Counter(
        (failure.entry.method, failure.entry.variant, failure.status, failure.error)
        for failure in done.failed
    )
    for (method, variant, status, error), count in reasons.most_common(_MOST_FAILURES):
        cells = f"{count} cell{'s' if count > 1 else ''} {status.replace('_', ' ')}"
        say(f"{method} ({variant}): {cells}: {error}", err=True, one_line=True)
    if len(reasons) > _MOST_FAILURES:
        others = len(reasons) - _MOST_FAILURES
        say(f"... and {others} more reasons, in {done.folder / 'record.json'}", err=True)
    say("--retry-failed runs the failed cells once more.", err=True)


def show_interrupt(done: RunResult) -> None:
    """Print what is kept, and how to go on."""
    reason = "The time of --budget is over." if done.out_of_time else "Interrupted."
    say(
        f"{reason} {done.ran + done.kept} of {done.total} cells are finished and kept in "
        f"{done.folder}; the same command goes on from there.",
        err=True,
    )


def show_summary(ran: int, problems: Mapping[str, str]) -> None:
    """Print how many configs ran, and which have a problem; `problems` are empty for the others."""
    say(f"{ran} of {len(problems)} configs ran.")
    for problem in dict.fromkeys(filter(None, problems.values())):
        names = ", ".join(Path(name).stem for name, word in problems.items() if word == problem)
        say(f"{problem}: {names}", err=True)


def cell_counts(done: RunResult) -> str:
    """Return how many cells there are, ran and failed."""
    failed = f", {len(done.failed)} failed" if done.failed else ""
    return f"{done.total} cells ({done.ran} run now, {done.kept} kept{failed})"
