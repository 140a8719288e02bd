"""The options that the commands on a user's table share, and how messages name them."""

from __future__ import annotations

import csv
import functools
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geoforest_cli.cli.output import say
from geoforest_cli.tables.choices import LEVEL, parse_group
from geoforest_cli.tables.messages import MAX_NAMES, argument_format, max_names
from geoforest_cli.tables.writers import require_output, require_picture, write_table

if TYPE_CHECKING:
    import pandas as pd

Command = Callable[..., None]
Decorator = Callable[[Command], Command]

# arguments and functions of Python whose options and commands have other names
_FLAGS = {
    "k": "-k",
    "params": "--param",
    "importances": "--picture",
    "identifier": "--id",
    "cell_rows": "--cell-rows",
    "not_missing": "--not-missing",
    "find_columns": "geoforest columns",
    "find_directions": "geoforest directions",
    "find_neighbors": "geoforest neighbors",
    "find_neighbors_by_group": "--group each",
    "cross_validate": "geoforest classify",
}
_ARGUMENT = re.compile(r'\b([a-z_]+)=(?:"([^"]+)"|(None|True|False)\b)')
_YAML = {"None": "null", "True": "true", "False": "false"}
_NOISE_KEPT = "Probability that the screen keeps any column of noise by mistake."
_READING = {
    "--sep": ("CHARACTER", "Separator of a text file: , ; | tab or another.  [default: detected]"),
    "--decimal": ("[.|,]", "Decimal mark of a text file.  [default: detected]"),
    "--encoding": ("NAME", "Of a text file.  [default: utf-8, or cp1252 where it is not]"),
    "--sheet": ("NAME", "Sheet of the workbook to read.  [default: the first]"),
    "--not-missing": ("WORD", "Word of a text file that is a value, such as NA for a class."),
    "--matrix": ("NAME", "Of .h5ad: X, layers/NAME or obsm/NAME.  [default: X]"),
}


def _stacked(*options: Decorator) -> Decorator:
    """Return all options as one, in this order."""
    return lambda command: functools.reduce(lambda made, add: add(made), options[::-1], command)


def _split(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Return names that commas separate; one in double quotes may have commas itself."""
    rows = csv.reader(values, skipinitialspace=True)
    try:
        parts = tuple(name.strip() for row in rows for name in row if name.strip())
    except csv.Error as error:
        raise click.BadParameter(f"names of columns are separated by commas ({error})") from None
    if values and not parts:
        raise click.BadParameter(f"{values[0]!r} names nothing")
    return parts


def names(option: str, text: str) -> Decorator:
    """Return an option that takes names, separated by commas."""
    return click.option(option, multiple=True, metavar="A,B,...", callback=_split, help=text)


def file(*option: str, text: str) -> Decorator:
    """Return an option that names a file."""
    return click.option(*option, type=click.Path(path_type=Path), help=text)


def level(text: str = _NOISE_KEPT, default: float | None = LEVEL) -> Decorator:
    """Return the option of a probability."""
    return click.option("--level", type=float, default=default, help=text)


def missing(*values: str, text: str) -> Decorator:
    """Return the option on missing values; the first one is the default."""
    text = f"Missing values: {text}"
    return click.option("--missing", type=click.Choice(values), default=values[0], help=text)


def method(default: str) -> Decorator:
    """Return the options on a method: its name, the shape of its images, its parameters."""
    shape = "Height x width of the images in the rows, or length of a series."
    params = "A parameter of the method, n_estimators=500 say; may be repeated."
    return _stacked(
        click.option("--method", help=f"A method's name.  [default: {default}]"),
        click.option("--shape", help=shape),
        click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help=params),
        click.option(
            "--scale",
            type=click.Choice(["auto", "none", "standardise", "min_max"]),
            default="auto",
            help="Bring columns to one scale; auto: where the method needs it.",
        ),
    )


def group(more: str) -> Decorator:
    """Return the option that names a group of columns, with more in its help."""
    return click.option(
        "--group",
        metavar="NAME|N",
        callback=lambda _context, _option, text: parse_group(text),
        help="Use one group of columns that depend on each other: that of the column NAME, or the "
        f"Nth that `geoforest columns` prints with the same options{more}. Groups are found as "
        "there, unless --screen names another method.",
    )


table = click.argument("table", type=click.Path(path_type=Path))
label = click.option(
    "--label", metavar="COLUMN", help="Column with the classes; never used as a feature."
)
selection = _stacked(
    names(
        "--columns",
        'Columns to use; may be repeated, and "a, b" in double quotes is one.  [default: all]',
    ),
    names("--exclude", "Columns to leave out, written as for --columns."),
    click.option(
        "--id", "identifier", help="Column that names the rows.  [default: their numbers, from 0]"
    ),
)


def common(command: Command) -> Command:
    """Add how a file is read, seed, threads and --verbose; messages of the command name options."""

    @functools.wraps(command)
    def called(*, verbose: bool, **given: Any) -> None:
        with in_options(verbose=verbose):
            command(**given)

    jobs = "Threads.  [default: one per core]"
    return _stacked(
        *(click.option(name, metavar=kind, help=text) for name, (kind, text) in _READING.items()),
        click.option("--seed", type=int, default=0, help="Random seed."),
        click.option("--jobs", "n_jobs", type=click.IntRange(min=1), help=jobs),
        click.option(
            "--strict",
            is_flag=True,
            help="Stop where a note tells of a leak, an id among the features, or rows in order of "
            "time.",
        ),
        click.option("--verbose", is_flag=True, help="Name all columns in notes, not ten."),
    )(called)


def usable(source: Path, *outputs: Path | None, picture: Path | None) -> Path | None:
    """Return the file of a picture, if all files can be written: asked before anything runs."""
    files = [source]
    for output in filter(None, outputs):
        files.append(require_output(output, *files))
    return picture and require_picture(picture, *files)


def save(path: Path | None, frame: pd.DataFrame, *rounded: str) -> None:
    """Write a table if a file was asked for, seven digits of some columns, and print its name."""
    if path is not None:
        write_table(path, [frame], rounded)
        say(path)


def draw(path: Path | None, draw_figure: str, result: object) -> None:
    """Write a figure of `geoforest_cli.tables.figures` if one was asked for; print its name."""
    if path is not None:
        from geoforest_cli.tables import figures

        say(figures.write_figure(path, getattr(figures, draw_figure), result))


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


def _option(argument: str, value: Any) -> str:
    if isinstance(value, Mapping):
        value = " ".join(f"{name}={_YAML.get(repr(v), v)}" for name, v in value.items())
    elif argument in {"columns", "exclude"} and value is not None:
        columns = [value] if isinstance(value, str) else value
        value = shlex.quote(",".join(f'"{name}"' if "," in name else name for name in columns))
    elif isinstance(value, str):
        value = "tab" if value == "\t" else shlex.quote(value)
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
