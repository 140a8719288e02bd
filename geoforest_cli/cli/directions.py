"""``geoforest directions``: which combinations of a user's columns carry structure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.output import print_table, say
from geoforest_cli.cli.progress import show_compiling
from geoforest_cli.core.escaping import escape_control_characters

__all__ = ["directions"]

_MOST_LINES, _WIDEST = 20, 60


@click.command()
@options.table
@click.option(
    "--level",
    type=float,
    default=tables.LEVEL,
    show_default=True,
    help="The chance that a table of nothing but normal noise has any direction.",
)
@click.option(
    "--standardise",
    is_flag=True,
    help="Measure distances in standardised columns: for columns of different units.",
)
@click.option(
    "--missing", type=click.Choice(["refuse", "drop"]), default="refuse", show_default=True,
    help="Missing values: an error, or their rows are left out.",
)  # fmt: skip
@options.columns
@options.exclude
@options.label
@options.identifier
@click.option(
    "-o", "--output", type=options.PATH, help="Parquet, CSV or TSV of the projected rows."
)
@click.option("--picture", type=options.PATH, help="PNG, SVG or PDF of the rows in each family.")
@options.reading
@options.seed
@options.jobs
@options.verbose
def directions(
    *,
    table: Path,
    output: Path | None,
    picture: Path | None,
    verbose: bool,
    **given: Any,
) -> None:
    """Find the combinations of columns of TABLE that carry structure, where columns are mixed.

    TABLE is CSV, TSV, Parquet, NPY or a workbook. Forty sensors that each pick up a bit of a few
    sources have no column that is signal or noise; weighted sums of them are. A sum whose values
    look like a bell curve counts as noise. What is left is listed in families that belong
    together, and -o writes the rows in these few new columns, for neighbors or any other method.

    There should be ten rows per column or more, and no missing values. If every column stands
    for itself, `geoforest columns` is the better choice: the last line says so.
    """
    if output is not None:
        tables.require_output(output, table)
    if picture is not None:
        picture = tables.require_picture(picture, table, output)
    options.require_request(table, given)
    with options.in_options(verbose=verbose), show_compiling():
        found = tables.find_directions(table, on_note=options.show_note, **given)
        _show(found)
    if not found.names:
        return
    if output is not None:
        with options.in_options(verbose=verbose):
            found.write(output)
        say(output)
    if picture is not None:
        say(found.draw(picture))


def _show(found: tables.Directions) -> None:
    """Print the directions, how many there are, and which screen suits the table."""
    if not found.names:
        say(found.summary())
        return
    rows = []
    for _, line in found.frame().head(_MOST_LINES).iterrows():
        numbers = [f"{line['z']:.2f}", f"{line['p_value']:.2g}"]
        rows.append([line["direction"], *numbers, _short(line["columns"])])
    headers = ["direction", "z", "p-value", "follows most (correlation)"]
    print_table(headers, rows, right={1, 2})
    if (more := len(found.names) - _MOST_LINES) > 0:
        say(f"and {more} more directions (-o FILE has all)")
    say(found.summary())
    say(found.advice())


def _short(name: str) -> str:
    name = escape_control_characters(name, one_line=True)
    return name if len(name) <= _WIDEST else f"{name[: _WIDEST - 1]}…"
