"""``geoforest show``: print a config as it is run."""

from __future__ import annotations

import click

from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.config.writing import written_out

__all__ = ["show"]


@click.command()
@click.argument("config")
@click.option("--profile", default="paper", show_default=True, help="Size of the config.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a value.")
def show(*, profile: str, overrides: tuple[str, ...], config: str) -> None:
    """Print CONFIG in full: merged with all it extends and one profile, without short forms.

    The output is a config itself, of the same cells and claims.
    """
    click.echo(written_out(open_config(config, profile, overrides)), nl=False)
