"""``geoforest figure``: draw again what has been run."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli.cli import options
from geoforest_cli.cli.output import say
from geoforest_cli.study.session import Study

__all__ = ["figure"]


@click.command()
@click.argument("config")
@options.profile
@options.overrides
@options.results
def figure(*, config: str, profile: str, overrides: tuple[str, ...], results: Path) -> None:
    """Draw figure, tables and claims of CONFIG again from its results; nothing is run."""
    study = Study.open(config, profile, overrides, results)
    result = study.render()
    if missing := study.missing():
        total = len(study.plan.jobs)
        say(f"{missing} of {total} cells are missing: geoforest run {config}")
        if older := study.older():
            say(older)
    say(result.folder)
