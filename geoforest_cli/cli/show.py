"""``geoforest show``: print a config as it is run."""

from __future__ import annotations

import click

from geoforest_cli.cli import options
from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.config.writing import written_out

__all__ = ["show"]


@click.command()
@click.argument("config")
@options.profile
@options.overrides
def show(*, profile: str, overrides: tuple[str, ...], config: str) -> None:
    """Print CONFIG in full: merged with all it extends and one profile, without short forms.

    The output is a config itself, of the same cells and claims.
    """
    click.echo(written_out(open_config(config, profile, overrides)), nl=False)
