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
from geoforest_cli.tables.choices import LEVEL
from geoforest_cli.tables.writers import require_output, require_picture

__all__ = ["directions"]

_MOST_LINES, _WIDEST = 20, 60


@click.command()
@options.table
@click.option(
    "--level",
    type=float,
    default=LEVEL,
    show_default=True,
    help="Probability that a table of nothing but normal noise has any direction.",
)
@click.option(
    "--standardise",
    is_flag=True,
    help="Let every column count alike in distances between rows: for different units.",
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
    "-o", "--output", type=options.PATH, help="Parquet, CSV or TSV: every row in the directions."
)
@click.option("--picture", type=options.PATH, help="PNG, SVG or PDF: the rows in each family.")
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
    """Find weighted sums of the columns of TABLE that are more than noise.

    For tables whose columns are mixed: forty sensors, say, that each record a bit of the same few
    sources, and noise. No sensor alone is to be kept or dropped then, but a weighted sum of all
    forty may follow the sources. TABLE is CSV, TSV, Parquet, Feather, NPY, .h5ad or a workbook.

    The values of a sum of noise look like a bell curve (the normal distribution). Listed are the
    sums whose values surely do not, but are flatter or form clusters; here they are called
    directions. Those that depend on one another are a family. -o writes their values for every row:
    a table of a few columns, for `geoforest neighbors` or any other method.

    There should be ten rows per column or more, and no missing values. If each column measures
    something of its own, `geoforest columns` is the better choice, which keeps or drops columns as
    they are: the last line of the output says which of the two suits the table.
    """
    if output is not None:
        require_output(output, table)
    if picture is not None:
        picture = require_picture(picture, table, output)
    with options.in_options(verbose=verbose), show_compiling():
        found = tables.find_directions(table, on_note=options.show_note, **given)
        _show(found, written=output is not None or picture is not None)
    if not found.names:
        return
    if output is not None:
        with options.in_options(verbose=verbose):
            found.write(output)
        say(output)
    if picture is not None:
        say(found.draw(picture))


def _show(found: tables.Directions, *, written: bool) -> None:
    """Print the directions, how many there are, and which screen suits the table."""
    if not found.names:
        say(found.summary().removesuffix(".") + (": nothing is written." if written else "."))
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
