"""``geoforest run``: run a config, draw it, judge its claims."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from geoforest_cli import engine, report
from geoforest_cli.cli.loading import load
from geoforest_cli.config import Plan
from geoforest_cli.engine import Preview, RunResult, progress

__all__ = ["config_options", "run"]

_MOST_FAILURES = 20
_INTERRUPTED = 130


def config_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add what every command on a config and its results takes."""
    options = [
        click.argument("config"),
        click.option("--profile", default="paper", show_default=True, help="Size of the config."),
        click.option(
            "--set",
            "overrides",
            multiple=True,
            metavar="KEY=VALUE",
            help="Change a value of the config, params.n=500 say; may be repeated.",
        ),
        click.option(
            "--results",
            type=click.Path(path_type=Path, file_okay=False),
            default=Path("results"),
            show_default=True,
            help="Folder with one folder per config.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@config_options
@click.option("--jobs", type=click.IntRange(min=1), help="Cells at once.  [default: one per core]")
@click.option("--retry-failed", is_flag=True, help="Run failed cells once more.")
@click.option("--plan", "only_plan", is_flag=True, help="Only list what would run.")
@click.option("--json", "as_json", is_flag=True, help="With --plan: as JSON.")
@click.option("--check-claims", is_flag=True, help="Exit with 1 unless every claim is reproduced.")
def run(
    *,
    config: str,
    profile: str,
    overrides: tuple[str, ...],
    results: Path,
    jobs: int | None,
    retry_failed: bool,
    only_plan: bool,
    as_json: bool,
    check_claims: bool,
) -> None:
    """Run CONFIG: a file, or the name of one that geoforest brings along.

    Only cells that are missing in the results are run. Ctrl-C keeps everything that is finished.
    Exit status: 0; 1 when a cell failed; 2 when the input is wrong; 130 after Ctrl-C.
    """
    if as_json and not only_plan:
        raise click.UsageError("--json goes with --plan")
    plan = load(config, profile, overrides)
    if only_plan:
        seen = engine.preview(plan, results, jobs=jobs or engine.cores(), retry_failed=retry_failed)
        _show_plan(seen, as_json=as_json)
        return
    left_out = _left_out(plan, results)
    for name, sentence in left_out.items():
        click.echo(f"{name} is left out: {sentence}", err=True)
    plan = plan.without(left_out)
    plan.prepare()
    watch = progress.choose(Console(stderr=True))
    done = engine.run(plan, results, jobs=jobs, retry_failed=retry_failed, progress=watch)
    if done.interrupted:
        _explain_interrupt(done)
        raise SystemExit(_INTERRUPTED)
    claims = report.render(plan, done.frame, done.folder)
    _show_claims(claims)
    _show_failures(done)
    click.echo(f"Results of {_counts(done)}: {done.folder}")
    refuted = check_claims and any(claim["verdict"] != "reproduced" for claim in claims)
    if done.failed or refuted:
        raise SystemExit(1)


def _show_plan(seen: Preview, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(asdict(seen), indent=2))
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
    click.echo(
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


def _show_claims(claims: Sequence[dict[str, Any]]) -> None:
    rows = [[claim["id"], claim["verdict"], _interval(claim)] for claim in claims]
    if rows:
        _print_table(["claim", "verdict", "estimate [low, high]"], rows, numbers=0)


def _interval(claim: dict[str, Any]) -> str:
    if claim["estimate"] is None:
        return ""
    estimate = f"{claim['estimate']:.4g}"
    if claim["low"] is None or claim["high"] is None:
        return estimate
    return f"{estimate} [{claim['low']:.4g}, {claim['high']:.4g}]"


def _show_failures(done: RunResult) -> None:
    counts = Counter(
        (cell.method, cell.variant, outcome.status.replace("_", " "), outcome.error)
        for cell, outcome in done.failed
    )
    for (method, variant, status, error), count in counts.most_common(_MOST_FAILURES):
        cells = f"{count} cell{'s' if count > 1 else ''}"
        click.echo(f"{method} ({variant}): {cells} {status}: {error}", err=True)
    if (more := len(counts) - _MOST_FAILURES) > 0:
        click.echo(f"... and {more} more reasons, in {done.folder / 'provenance.json'}", err=True)
    if done.failed:
        click.echo("--retry-failed runs the failed cells once more.", err=True)


def _left_out(plan: Plan, results: Path) -> dict[str, str]:
    """Methods that cannot be had here, but for those that have been run elsewhere to the end."""
    found = plan.unavailable()
    path = engine.store_path(plan, results)
    if found and path.exists():
        with engine.Store(path) as store:
            known = set(store.get(cell.key for cell in plan.cells if cell.method in found))
        lacking = {cell.method for cell in plan.cells if cell.key not in known}
        found = {name: sentence for name, sentence in found.items() if name in lacking}
    return found


def _explain_interrupt(done: RunResult) -> None:
    click.echo(
        f"Interrupted. {done.ran + done.kept} of {done.total} cells are finished and kept in "
        f"{done.folder}; the same command goes on from there.",
        err=True,
    )


def _counts(done: RunResult) -> str:
    failed = f", {len(done.failed)} failed" if done.failed else ""
    return f"{done.total} cells ({done.ran} run now, {done.kept} kept{failed})"


def _print_table(names: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(names):
        right = place >= len(names) - numbers
        table.add_column(name, justify="right" if right else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        # a file or a pipe has no width: nothing there may be cut off
        table.box = None
        console = Console(highlight=False, width=1000)
    console.print(table)
