"""``geoforest report``: a site over all results."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli.cli import options
from geoforest_cli.cli.output import say

__all__ = ["report"]


@click.command()
@options.results
@click.option(
    "-o",
    "--output",
    type=options.FOLDER,
    help="The folder of the site.  [default: site in the results folder]",
)
def report(results: Path, output: Path | None) -> None:
    """Write a static site: figures, verdicts, published values beside ours, methods, errata.

    It is opened as a file or put on any server. Of RESULTS it reads what runs have left, or what
    is kept of them in a reference. Of what is kept the front page says how much is of today's
    code.
    """
    from geoforest_cli.study.report import site
    from geoforest_cli.study.results.verify import summary

    note = summary(results) if results.is_dir() else ""
    say(site.write(results, output or results / "site", note))
