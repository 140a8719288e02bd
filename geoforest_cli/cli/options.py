"""What every command on a config and its results takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

__all__ = ["config_options"]


def config_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument CONFIG and the options on its size and its results."""
    options = [
        click.argument("config"),
        click.option("--profile", default="paper", show_default=True, help="Size of the config."),
        click.option(
            "--set",
            "overrides",
            multiple=True,
            metavar="KEY=VALUE",
            help="Change a value of the config, params.n=500 say; may be repeated.",
        ),
        click.option(
            "--results",
            type=click.Path(path_type=Path, file_okay=False),
            default=Path("results"),
            show_default=True,
            help="Folder with one folder per config.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command
