"""``geoforest show``: print a config as it is run."""

from __future__ import annotations

import click

from geoforest_cli.config import opening
from geoforest_cli.config.writing import written_out

__all__ = ["show"]


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--profile", default="paper", show_default=True, help="Size of the config.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a value.")
def show(*, profile: str, overrides: tuple[str, ...], **given: str) -> None:
    """Print CONFIG in full: with all it extends, one profile laid over it, no short forms.

    What is printed is a config itself, and gives the same cells and claims.
    """
    click.echo(written_out(opening.open_config(given["config"], profile, overrides)), nl=False)
