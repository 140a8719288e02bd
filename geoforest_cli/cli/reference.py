"""``geoforest reference``: keep the outcome of runs in the repository, and verify it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from geoforest_cli.cli import options
from geoforest_cli.cli.output import say

__all__ = ["reference"]

_FOLDER = click.option(
    "-o",
    "--out",
    type=options.FOLDER,
    default=Path("results/reference"),
    help="Folder of the reference.",
)


@click.group()
def reference() -> None:
    """Keep the outcome of complete runs in the repository, and verify it against the code."""


@reference.command()
@click.argument("configs", nargs=-1)
@options.results
@_FOLDER
@options.profile
@click.option("--uncommitted", is_flag=True, help="Accept results of code that is not committed.")
@click.option(
    "--current",
    is_flag=True,
    help="Pass over configs without complete results of today's code, instead of refusing them.",
)
def write(
    *,
    configs: tuple[str, ...],
    results: Path,
    out: Path,
    profile: str,
    uncommitted: bool,
    current: bool,
) -> None:
    """Copy record, rows, summary and small figures of CONFIGS into the reference.

    Without CONFIGS, all that have results are copied; what is kept of others stays. Equal results
    give equal bytes. Results of an incomplete run are refused, and so are those of code that is
    not committed.
    """
    from geoforest_cli.study.config.find import known_configs
    from geoforest_cli.study.results.keep import write_snapshot

    snapshot = write_snapshot(
        results, out, configs, profile=profile, uncommitted=uncommitted, current=current
    )
    for name, count in snapshot.failed.items():
        say(f"{name}: {count} failed cell{'s' if count > 1 else ''}", err=True)
    present = {*snapshot.configs, *snapshot.unchanged}
    lists = {
        "Unchanged": snapshot.unchanged,
        "Without complete results of today's code": snapshot.passed_over,
        "Without results": [name for name in known_configs() if name not in present],
    }
    for words, names in lists.items():
        if names:
            say(f"{words}: {', '.join(names)}", err=True)
    say(f"{len(snapshot.configs)} configs, {snapshot.size / 1e6:.2f} MB in all: {out}")


@reference.command()
@click.argument("configs", nargs=-1)
@_FOLDER
@options.profile
@click.option(
    "--list", "only_names", is_flag=True, help="Only print the names of the configs to run again."
)
def verify(*, configs: tuple[str, ...], out: Path, profile: str, only_names: bool) -> None:
    """Tell whether a run with today's code would compute the cells that the reference keeps.

    Without CONFIGS, all that are kept are verified, and configs of ./configs that are not kept
    are named. What a cell's rows depend on is compared (parameters, the experiment's code,
    versions of methods and data, the seed), and nothing is run. The exit status is 1 unless all
    that are kept are the same; with --list it is 0.
    """
    from geoforest_cli.study.results import verify as verification

    if only_names:
        for name in verification.to_run(out, profile, configs):
            say(name)
        return

    counts: Counter[str] = Counter()
    for entry in verification.verify(out, profile, configs):
        counts[entry.state] += 1
        if entry.state != "same":
            say(entry.describe())
    total = counts.total()
    same = "all" if counts["same"] == total else f"{counts['same']} of"
    say(f"{same} {total} configs of {out} have the cells that a run would compute now")
    if not configs and (missing := verification.not_kept(out, profile)):
        say(f"Not kept: {', '.join(missing)}", err=True)
    if counts["same"] < total:
        say("geoforest run computes what has changed, geoforest reference write keeps it", err=True)
        raise SystemExit(1)
