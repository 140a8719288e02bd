"""``geoforest check``: validate configs without running them."""

from __future__ import annotations

import click

from geoforest_cli.cli.saying import say
from geoforest_cli.config import opening
from geoforest_cli.errors import UserError
from geoforest_cli.study import Study

__all__ = ["check"]


@click.command()
@click.argument("configs", nargs=-1, required=True)
@click.option("--profile", help="Only this profile.  [default: all of them]")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a value.")
def check(*, configs: tuple[str, ...], profile: str | None, overrides: tuple[str, ...]) -> None:
    """Validate CONFIGS, files or names, in every profile; exit with 2 if one is wrong."""
    problems: dict[str, None] = {}
    notes: dict[str, None] = {}
    for name in configs:
        for one in _profiles(name, profile, problems):
            try:
                plan = Study.open(name, one, overrides).plan
                notes |= dict.fromkeys(plan.notes)
                say(f"{plan.path} ({one}): {len(plan.jobs)} cells")
            except UserError as error:
                problems |= dict.fromkeys(error.sentences)
    for sentence in notes:
        say(f"Note: {sentence}", err=True)
    for sentence in problems:
        say(f"Error: {sentence}", err=True)
    if problems:
        raise SystemExit(2)


def _profiles(name: str, profile: str | None, problems: dict[str, None]) -> tuple[str, ...]:
    if profile is not None:
        return (profile,)
    try:
        return opening.profiles_of(name)
    except UserError as error:
        problems |= dict.fromkeys(error.sentences)
        return ()
