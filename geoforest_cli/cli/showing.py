"""What a run says when it is planned, interrupted or done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from geoforest_cli.agenda import Entry
from geoforest_cli.claims import Judged
from geoforest_cli.claims.outcome import STATES, Outcome
from geoforest_cli.cli.saying import say
from geoforest_cli.engine import progress
from geoforest_cli.engine.driver import RunResult
from geoforest_cli.engine.preview import Preview
from geoforest_cli.study import Result
from geoforest_cli.terminal import harmless, in_json

__all__ = [
    "agenda",
    "claims",
    "counts",
    "failures",
    "interrupt",
    "outcomes",
    "plan",
    "several",
    "verdict",
]

_MOST_FAILURES = 20


def plan(seen: Preview, *, as_json: bool) -> None:
    """List what would run, and how long it would take."""
    if as_json:
        click.echo(in_json(asdict(seen)))
        return
    points = list(dict.fromkeys(name for group in seen.groups for name in group.point))
    rows = [
        [
            group.method,
            group.variant,
            *(str(group.point.get(name, "")) for name in points),
            *(str(count or "") for count in (group.cells, group.done, group.failed, group.to_run)),
            _expected(group.seconds) if group.to_run else "",
        ]
        for group in seen.groups
    ]
    counts = ["cells", "done", "failed", "to run", "expected"]
    _print_table(["method", "variant", *points, *counts], rows, numbers=5)
    say(
        f"{seen.cells} cells: {seen.done} done, {seen.failed} failed, {seen.to_run} to run; "
        f"expected duration with {seen.jobs} at once: {_duration(seen)}"
    )


def _duration(seen: Preview) -> str:
    text = _expected(seen.seconds if seen.to_run else 0.0)
    if seen.seconds is not None and seen.unknown:
        return f"{text} (a guess: {seen.unknown} cells are like none that has run)"
    return text


def _expected(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    return progress.in_words(seconds) if seconds else "nothing"


def claims(found: Result) -> None:
    """List the claims with their verdicts, and why some have none."""
    if not found.claims:
        return
    if found.caution:
        say(f"{found.caution[:1].upper()}{found.caution[1:]}.")
    rows = [[claim["id"], verdict(claim), _interval(claim)] for claim in found.claims]
    _print_table(["claim", "verdict", "estimate [low, high]"], rows, numbers=0)
    reasons = Counter(c["reason"] for c in found.claims if c["reason"] not in {"", found.caution})
    for reason, count in reasons.items():
        say(f"{count} claim{'s' if count > 1 else ''} not judged: {reason}")


def verdict(claim: Judged) -> str:
    """Return the verdict; where there is none, what the numbers at hand say too."""
    if claim["verdict"] == "not judged" and claim["preliminary"]:
        return f"not judged (so far: {claim['preliminary']})"
    return claim["verdict"]


def outcomes(found: Sequence[Outcome]) -> None:
    """Count the states paper by paper; then the primary claims in words."""
    rows = [
        [one.paper, origin, *(str(counts[state] or "") for state in STATES), str(counts.total())]
        for one in found
        for origin, counts in one.counts.items()
    ]
    _print_table(["paper", "origin", *STATES, "claims"], rows, numbers=len(STATES) + 1)
    for one in found:
        if one.findings:
            say(f"\n{one.paper}")
        for finding in one.findings:
            say(f"- {finding}")


def _interval(claim: Judged) -> str:
    if claim["estimate"] is None:
        return ""
    estimate = f"{claim['estimate']:.4g}"
    if claim["low"] is None or claim["high"] is None:
        return estimate
    return f"{estimate} [{claim['low']:.4g}, {claim['high']:.4g}]"


def failures(done: RunResult) -> None:
    """Say which cells failed, and why; equal reasons once."""
    found = Counter(
        (one.place.method, one.place.variant, one.status.replace("_", " "), one.error)
        for one in done.failed
    )
    for (method, variant, status, error), count in found.most_common(_MOST_FAILURES):
        cells = f"{count} cell{'s' if count > 1 else ''}"
        told = f"{method} ({variant}): {cells} {status}: {error}"
        say(told, err=True, one_line=True)
    if (more := len(found) - _MOST_FAILURES) > 0:
        say(f"... and {more} more reasons, in {done.folder / 'provenance.json'}", err=True)
    if done.failed:
        say("--retry-failed runs the failed cells once more.", err=True)


def interrupt(done: RunResult) -> None:
    """Say what is kept, and how to go on."""
    say(
        f"Interrupted. {done.ran + done.kept} of {done.total} cells are finished and kept in "
        f"{done.folder}; the same command goes on from there.",
        err=True,
    )


def agenda(entries: Sequence[Entry], *, cheapest: bool) -> None:
    """Say how long several configs are expected to take, and which may take longer."""
    cells = sum(one.cells for one in entries)
    known = [one.seconds for one in entries if one.seconds is not None and one.cells]
    unknown = [Path(one.given).stem for one in entries if one.seconds is None and not one.wrong]
    parts = [f"{len(entries)} configs, {cells} cells to run"]
    if known:
        least = "at least" if unknown else "about"
        parts.append(f"{least} {progress.in_words(sum(known))}")
    if cheapest:
        parts.append("the least time for each claim first")
    say(", ".join(parts), err=True)
    if unknown:
        say(f"How long they take is not known: {', '.join(unknown)}", err=True)


def several(words: Mapping[str, str]) -> None:
    """Say how many configs ran, and which did not; `words` are empty for those that did."""
    say(f"{sum(not word for word in words.values())} of {len(words)} configs ran.")
    for kind in dict.fromkeys(filter(None, words.values())):
        names = ", ".join(Path(name).stem for name, word in words.items() if word == kind)
        say(f"{kind}: {names}", err=True)


def counts(done: RunResult) -> str:
    """Return how many cells there are, ran and failed."""
    failed = f", {len(done.failed)} failed" if done.failed else ""
    return f"{done.total} cells ({done.ran} run now, {done.kept} kept{failed})"


def _print_table(names: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(names):
        right = place >= len(names) - numbers
        table.add_column(
            Text(harmless(name, one_line=True)), justify="right" if right else "left", no_wrap=True
        )
    for row in rows:
        table.add_row(*(Text(harmless(text, one_line=True)) for text in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        # a file or a pipe has no width: nothing there may be cut off
        table.box = None
        console = Console(highlight=False, width=1000)
    console.print(table)
