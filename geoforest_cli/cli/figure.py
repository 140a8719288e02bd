"""``geoforest figure``: draw again what has been run."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli.cli import options
from geoforest_cli.cli.formatting import run_command, show_agreement
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
    show_agreement(result)
    total = len(study.plan.jobs)
    command = run_command(config, profile, overrides, results)
    if missing := study.missing():
        say(f"{missing} of {total} cells are missing: {command}")
        if older := study.older():
            say(older)
    if failed := study.failed():
        say(f"{failed} of {total} cells failed: {command} --retry-failed")
    say(result.folder)
