"""What the verbs on a user's own table share: options, and how messages name them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from geoforest_cli import own_data
from geoforest_cli.cli.saying import say

__all__ = [
    "PATH",
    "columns",
    "identifier",
    "in_options",
    "jobs",
    "level",
    "params",
    "scale",
    "screen",
    "seed",
    "table",
    "tell",
    "warnings_told",
]

_FLAGS = {"k": "-k", "params": "--param", "importances": "--picture"}
_VERBS = {"find_columns": "geoforest columns"}
_YAML = {None: "null", True: "true", False: "false"}


def _names(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


PATH = click.Path(path_type=Path)

table = click.argument("table", type=PATH)
params = click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the method, n_estimators=500 say; may be repeated.",
)
columns = click.option(
    "--columns",
    default="",
    metavar="A,B,...",
    callback=_names,
    help="Columns to use.  [default: all]",
)
identifier = click.option(
    "--id", "identifier", help="Column that names the rows.  [default: row numbers]"
)
level = click.option(
    "--level",
    type=float,
    default=own_data.LEVEL,
    show_default=True,
    help="Of the screen: bounds how often a column is kept wrongly.",
)
screen = click.option(
    "--screen",
    is_flag=False,
    flag_value=own_data.SCREEN,
    metavar="[pairs|forest|both]",
    help="Drop columns that depend on no other first, see `geoforest columns`.",
)
seed = click.option("--seed", type=int, default=0, show_default=True, help="Of everything random.")
jobs = click.option("--jobs", type=click.IntRange(min=1), help="Threads.  [default: one per core]")


scale = click.option(
    "--scale",
    type=click.Choice(["auto", "none", "standardise", "min_max"]),
    default="auto",
    show_default=True,
    help="Bring columns to one scale; auto: where the method needs it.",
)


def tell(note: str) -> None:
    """Say something beside the product."""
    say(note, err=True, one_line=True)


@contextmanager
def in_options() -> Iterator[None]:
    """Let messages name options, as in ``-k 5``, where Python has ``k=5``."""
    token = own_data.spelling.set(_option)
    try:
        yield
    finally:
        own_data.spelling.reset(token)


def _option(argument: str, value: object) -> str:
    flag = _VERBS.get(argument) or _FLAGS.get(argument, f"--{argument}")
    if isinstance(value, Mapping):
        value = " ".join(f"{name}={_plain(one)}" for name, one in value.items())
    return flag if value is None else f"{flag} {value}"


def _plain(value: object) -> object:
    return _YAML[value] if value is None or isinstance(value, bool) else value


@contextmanager
def warnings_told() -> Iterator[None]:
    """Turn what is warned of while the block runs into lines at its end."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield
    for warning in heard:
        if issubclass(warning.category, UserWarning):
            tell(f"Note: {warning.message}")
