"""``geoforest report``: one page over all results."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli.cli.saying import say

__all__ = ["report"]


@click.command()
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="Folder with one folder per config.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The page to write.  [default: report.html in the results folder]",
)
def report(results: Path, output: Path | None) -> None:
    """Write one self-contained page: figures, verdicts, published values beside ours."""
    from geoforest_cli.files import write_atomically
    from geoforest_cli.report import html

    target = output or results / "report.html"
    write_atomically(target, html.page(results))
    say(target)
