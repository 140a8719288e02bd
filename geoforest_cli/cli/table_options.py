"""The options that the commands on a user's table share, and how messages name them."""

from __future__ import annotations

import csv
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import click

from geoforest_cli.cli.output import say
from geoforest_cli.tables.choices import LEVEL, SCREEN, parse_group
from geoforest_cli.tables.messages import MAX_NAMES, argument_format, max_names

__all__ = [
    "PATH",
    "columns",
    "exclude",
    "group",
    "identifier",
    "in_options",
    "jobs",
    "label",
    "level",
    "methods",
    "params",
    "reading",
    "scale",
    "screen",
    "seed",
    "show_note",
    "table",
    "verbose",
]

_QUOTED = {
    "sep", "decimal", "sheet", "columns", "exclude", "label", "identifier", "color", "group",
    "together",
}  # fmt: skip
# arguments and functions of Python whose options and commands have other names
_FLAGS = {
    "k": "-k",
    "params": "--param",
    "importances": "--picture",
    "identifier": "--id",
    "cell_rows": "--cell-rows",
    "find_columns": "geoforest columns",
    "find_directions": "geoforest directions",
    "find_neighbors": "geoforest neighbors",
    "find_neighbors_by_group": "--group each",
    "cross_validate": "geoforest classify",
}
_ARGUMENT = re.compile(r'\b([a-z_]+)=(?:"([^"]+)"|(None|True|False)\b)')
_YAML = {"None": "null", "True": "true", "False": "false"}


def _names(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Return names that commas separate; one in double quotes may have commas itself."""
    rows = csv.reader(values, skipinitialspace=True)
    try:
        names = tuple(name.strip() for row in rows for name in row if name.strip())
    except csv.Error as error:
        raise click.BadParameter(f"names of columns are separated by commas ({error})") from None
    if values and not names:
        raise click.BadParameter(f"{values[0]!r} names nothing")
    return names


PATH = click.Path(path_type=Path)

table = click.argument("table", type=PATH)
Command = Callable[..., None]


def reading(command: Command) -> Command:
    """Add the options on how a file is read."""
    for option in (
        click.option(
            "--matrix", metavar="NAME",
            help="Of .h5ad: X, layers/NAME or obsm/NAME.  [default: X]",
        ),
        click.option(
            "--sheet", metavar="NAME", help="Sheet of the workbook to read.  [default: the first]"
        ),
        click.option(
            "--encoding", metavar="NAME",
            help="Encoding of a text file.  [default: utf-8, or cp1252 where it is not]",
        ),
        click.option(
            "--decimal", metavar="[.|,]", help="Decimal mark of a text file.  [default: detected]"
        ),
        click.option(
            "--sep", metavar="CHARACTER",
            help="Separator of a text file: , ; | tab or another.  [default: detected]",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


methods = click.option(
    "--methods",
    multiple=True,
    metavar="A,B,...",
    callback=_names,
    help="Methods that --compare runs.  [default: all that suit the table]",
)
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
exclude = click.option(
    "--exclude",
    multiple=True,
    metavar="A,B,...",
    callback=_names,
    help="Columns to leave out, written as for --columns.",
)
label = click.option(
    "--label", metavar="COLUMN", help="Column with the classes; never used as a feature."
)
identifier = click.option(
    "--id", "identifier", help="Column that names the rows.  [default: their numbers, from 0]"
)
level = click.option(
    "--level",
    type=float,
    default=LEVEL,
    show_default=True,
    help="Probability that the screen keeps any column of noise by mistake.",
)
screen = click.option(
    "--screen",
    is_flag=False,
    flag_value=SCREEN,
    metavar="[pairs|correlation|forest|auto|both]",
    help="Drop columns that depend on no other first, see `geoforest columns`; both if no value "
    "is given.",
)


def group(more: str) -> Callable[[Command], Command]:
    """Return the option that names a group of columns, with more in its help."""
    return click.option(
        "--group",
        metavar="NAME|N",
        callback=lambda _context, _option, text: parse_group(text),
        help="Use one group of columns that depend on each other: that of the column NAME, or the "
        f"Nth that `geoforest columns` prints with the same options{more}. Groups are found as "
        "there, unless --screen names another method.",
    )


seed = click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
jobs = click.option(
    "--jobs", "n_jobs", type=click.IntRange(min=1), help="Threads.  [default: one per core]"
)


scale = click.option(
    "--scale",
    type=click.Choice(["auto", "none", "standardise", "min_max"]),
    default="auto",
    show_default=True,
    help="Bring columns to one scale; auto: where the method needs it.",
)


verbose = click.option("--verbose", is_flag=True, help="Name all columns in notes, not ten.")


def show_note(note: str) -> None:
    """Print a note to stderr."""
    say(note, err=True, one_line=True)


@contextmanager
def in_options(*, verbose: bool = False) -> Iterator[None]:
    """Let messages name options, as in ``-k 5``, where Python has ``k=5``; all of many columns.

    The warnings of the block are printed as notes at its end.
    """
    token = argument_format.set(_option)
    most = max_names.set(sys.maxsize if verbose else MAX_NAMES)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            if issubclass(warning.category, UserWarning):
                show_note(f"Note: {_in_options(str(warning.message))}")
    finally:
        max_names.reset(most)
        argument_format.reset(token)


def _option(argument: str, value: object) -> str:
    if argument in {"columns", "exclude"} and value is not None:
        names = [value] if isinstance(value, str) else list(cast("Sequence[str]", value))
        value = shlex.quote(",".join(f'"{name}"' if "," in name else name for name in names))
    elif argument in _QUOTED and isinstance(value, str):
        value = "tab" if value == "\t" else shlex.quote(value)
    if isinstance(value, Mapping):
        value = " ".join(f"{name}={_YAML.get(repr(v), v)}" for name, v in value.items())
    flag = _FLAGS.get(argument, f"--{argument}")
    return flag if value is None else f"{flag} {value}"


def _in_options(sentence: str) -> str:
    """Return a sentence of an estimator with its arguments as options have them.

    Examples
    --------
    >>> _in_options('they drown the others (binary_columns="exclude" leaves them out)')
    'they drown the others (--param binary_columns=exclude leaves them out)'
    """
    return _ARGUMENT.sub(
        lambda match: f"--param {match[1]}={match[2] or _YAML[match[3]]}", sentence
    )
