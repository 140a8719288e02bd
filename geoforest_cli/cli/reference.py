"""``geoforest reference``: keep the outcome of runs in the repository."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli.cli.saying import say

__all__ = ["reference"]


@click.command()
@click.argument("configs", nargs=-1)
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="Folder with one folder per config.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results/reference"),
    show_default=True,
    help="Where the outcome is kept.",
)
@click.option("--profile", default="paper", show_default=True, help="Which size of the results.")
@click.option("--mixed", is_flag=True, help="Accept results that are not of one clean commit.")
def reference(
    *, configs: tuple[str, ...], results: Path, out: Path, profile: str, mixed: bool
) -> None:
    """Keep claims, summary, provenance and a small figure of CONFIGS, or of all that have results.

    Equal results give equal bytes. Results of an incomplete run are refused, and so are those of
    several commits.
    """
    from geoforest_cli.config.find import known_configs
    from geoforest_cli.reference.keeping import keep

    kept = keep(results, out, configs, profile=profile, mixed=mixed)
    for name, count in kept.failed.items():
        say(f"{name}: {count} cell{'s' if count > 1 else ''} did not end well", err=True)
    for name, count in kept.not_judged.items():
        say(f"{name}: {count} claim{'s are' if count > 1 else ' is'} not judged", err=True)
    for name, scale in kept.shrunk.items():
        say(f"{name}: its figure is shrunk to {scale:.0%} of its width", err=True)
    if kept.packed:
        say(f"Summaries packed (summary.csv.gz): {', '.join(kept.packed)}", err=True)
    if kept.not_drawn:
        say(f"Without a figure: {', '.join(kept.not_drawn)}", err=True)
    if kept.earlier:
        say(f"Kept as they were: {', '.join(kept.earlier)}", err=True)
    there = {*kept.configs, *kept.earlier}
    if lacking := [name for name in known_configs() if name not in there]:
        say(f"Left out: {', '.join(lacking)}", err=True)
    say(f"{len(kept.configs)} configs, {kept.size / 1e6:.2f} MB in all: {out}")
