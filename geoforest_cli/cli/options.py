"""Options that several commands on configs and their results share."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["FOLDER", "overrides", "profile", "results"]

FOLDER = click.Path(path_type=Path, file_okay=False)

profile = click.option("--profile", default="paper", help="Profile of the configs: their size.")
overrides = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a value of the config, params.n=500 say; may be repeated.",
)
results = click.option(
    "--results",
    type=FOLDER,
    default=Path("results"),
    help="Folder with one folder per config.",
)
