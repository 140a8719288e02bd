"""``geoforest check``: validate configs without running them."""

from __future__ import annotations

import click

from geoforest_cli.cli import options
from geoforest_cli.cli.output import say
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.config.loading import profiles_of
from geoforest_cli.study.session import Study

__all__ = ["check"]


@click.command()
@click.argument("configs", nargs=-1, required=True)
@click.option("--profile", help="Only this profile.  [default: all of them]")
@options.overrides
def check(*, configs: tuple[str, ...], profile: str | None, overrides: tuple[str, ...]) -> None:
    """Validate CONFIGS, files or names, in every profile; exit with 2 if one is wrong."""
    problems: dict[str, None] = {}
    notes: dict[str, None] = {}
    for config in configs:
        try:
            profiles = (profile,) if profile is not None else profiles_of(config)
        except UserError as error:
            problems |= dict.fromkeys(error.sentences)
            continue
        for name in profiles:
            try:
                plan = Study.open(config, name, overrides).plan
                notes |= dict.fromkeys(plan.notes)
                say(f"{plan.path} ({name}): {len(plan.jobs)} cells")
            except UserError as error:
                problems |= dict.fromkeys(error.sentences)
    for sentence in notes:
        say(f"Note: {sentence}", err=True)
    for sentence in problems:
        say(f"Error: {sentence}", err=True)
    if problems:
        raise SystemExit(2)
