"""``geoforest reference``: copy the outcome of runs into the repository."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli.cli import options
from geoforest_cli.cli.output import say

__all__ = ["reference"]


@click.command()
@click.argument("configs", nargs=-1)
@options.results
@click.option(
    "-o",
    "--out",
    type=options.FOLDER,
    default=Path("results/reference"),
    show_default=True,
    help="Folder of the reference.",
)
@options.profile
@click.option("--mixed", is_flag=True, help="Accept results that are not of one clean commit.")
def reference(
    *, configs: tuple[str, ...], results: Path, out: Path, profile: str, mixed: bool
) -> None:
    """Copy claims, summary, provenance and a small figure of CONFIGS into the reference.

    Without CONFIGS, all that have results are copied. Equal results give equal bytes. Results of
    an incomplete run are refused, and so are those of several commits.
    """
    from geoforest_cli.study.config.find import known_configs
    from geoforest_cli.study.reference.snapshot import write_snapshot

    snapshot = write_snapshot(results, out, configs, profile=profile, mixed=mixed)
    for name, count in snapshot.failed.items():
        say(f"{name}: {count} failed cell{'s' if count > 1 else ''}", err=True)
    for name, count in snapshot.not_judged.items():
        say(f"{name}: {count} claim{'s are' if count > 1 else ' is'} not judged", err=True)
    present = {*snapshot.configs, *snapshot.unchanged}
    lists = {
        "Without a figure": snapshot.without_figure,
        "Unchanged": snapshot.unchanged,
        "Without results": [name for name in known_configs() if name not in present],
    }
    for words, names in lists.items():
        if names:
            say(f"{words}: {', '.join(names)}", err=True)
    say(f"{len(snapshot.configs)} configs, {snapshot.size / 1e6:.2f} MB in all: {out}")
