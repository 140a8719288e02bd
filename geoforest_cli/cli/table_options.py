"""What the verbs on a user's own table share: options, and how messages name them."""

from __future__ import annotations

import csv
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
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
    "reading",
    "scale",
    "screen",
    "seed",
    "table",
    "tell",
    "verbose",
    "warnings_told",
]

_QUOTED = {"sep", "decimal", "sheet"}
_FLAGS = {"k": "-k", "params": "--param", "importances": "--picture", "identifier": "--id"}
_VERBS = {
    "find_columns": "geoforest columns",
    "find_neighbors": "geoforest neighbors",
    "cross_validate": "geoforest classify",
}
_PYTHON = {"None": None, "True": True, "False": False}
_ARGUMENT = re.compile(r'\b([a-z_]+)=(?:"([^"]+)"|(None|True|False)\b)')
_YAML = {None: "null", True: "true", False: "false"}


def _names(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Return names that commas separate; one in double quotes may have commas itself."""
    rows = csv.reader(values, skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


PATH = click.Path(path_type=Path)

table = click.argument("table", type=PATH)
Command = Callable[..., None]


def reading(command: Command) -> Command:
    """Add the options on how a file is read."""
    for option in (
        click.option("--sheet", metavar="NAME", help="Of a workbook.  [default: the first]"),
        click.option(
            "--encoding", metavar="NAME",
            help="Of a text.  [default: utf-8, or cp1252 where it is not]",
        ),
        click.option(
            "--decimal", metavar="[.|,]", help="Decimal mark of a text.  [default: found]"
        ),
        click.option(
            "--sep", metavar="CHARACTER",
            help="Between the values of a text: , ; | tab or another.  [default: found]",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


params = click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the method, n_estimators=500 say; may be repeated.",
)
columns = click.option(
    "--columns",
    multiple=True,
    metavar="A,B,...",
    callback=_names,
    help='Columns to use; may be repeated, and "a, b" in double quotes is one.  [default: all]',
)
identifier = click.option(
    "--id", "identifier", help="Column that names the rows.  [default: their numbers, from 0]"
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


verbose = click.option("--verbose", is_flag=True, help="Name all columns in notes, not ten.")


def tell(note: str) -> None:
    """Say something beside the product."""
    say(note, err=True, one_line=True)


@contextmanager
def in_options(*, verbose: bool = False) -> Iterator[None]:
    """Let messages name options, as in ``-k 5``, where Python has ``k=5``; all of many columns."""
    token = own_data.spelling.set(_option)
    most = own_data.most_names.set(sys.maxsize if verbose else own_data.MOST_NAMES)
    try:
        yield
    finally:
        own_data.most_names.reset(most)
        own_data.spelling.reset(token)


def _option(argument: str, value: object) -> str:
    if argument == "columns" and isinstance(value, str) and "," in value:
        value = f"'\"{value}\"'"
    if argument in _QUOTED and isinstance(value, str):
        value = "tab" if value == "\t" else shlex.quote(value)
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
            tell(f"Note: {_in_options(str(warning.message))}")


def _in_options(sentence: str) -> str:
    """Return a sentence of an estimator with its arguments as options have them.

    Examples
    --------
    >>> _in_options('they drown the others (binary_columns="exclude" leaves them out)')
    'they drown the others (--param binary_columns=exclude leaves them out)'
    """
    return _ARGUMENT.sub(
        lambda found: _option("params", {found[1]: found[2] or _PYTHON[found[3]]}), sentence
    )
