"""What every command on configs and their results takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

__all__ = ["config_options"]

Command = Callable[..., None]


def config_options(*, several: bool = False) -> Callable[[Command], Command]:
    """Add the argument CONFIG, or CONFIGS, and the options on size and results."""
    argument = (
        click.argument("configs", nargs=-1, required=True) if several else click.argument("config")
    )
    options = [
        argument,
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

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add
