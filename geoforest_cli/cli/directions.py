"""``geoforest directions``: which combinations of a user's columns carry structure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.output import print_frame, say
from geoforest_cli.cli.progress import show_compiling

__all__ = ["directions"]

_HEADERS = {"p_value": "p-value", "columns": "follows most (correlation)"}


@click.command()
@options.table
@options.level("Probability that a table of nothing but normal noise has any direction.")
@click.option(
    "--standardise",
    is_flag=True,
    help="Let every column count alike in distances between rows: for different units.",
)
@options.missing("refuse", "drop", text="an error, or their rows are left out.")
@options.label
@options.selection
@options.file("-o", "--output", text="Parquet, CSV or TSV: every row in the directions.")
@options.file("--picture", text="PNG, SVG or PDF: the rows in each family.")
@options.common
def directions(*, table: Path, output: Path | None, picture: Path | None, **given: Any) -> None:
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
    picture = options.usable(table, output, picture=picture)
    with show_compiling():
        result = tables.find_directions(table, on_note=options.show_note, **given)
    if not result.names:
        nothing = ": nothing is written." if output or picture else "."
        say(result.summary().removesuffix(".") + nothing)
        return
    shown = result.frame().drop(columns="family").rename(columns=_HEADERS)
    print_frame(shown, {"z": ".2f", "p-value": ".2g"}, "directions")
    say(result.summary())
    say(result.advice())
    options.save(output, result.rows(), *result.names)
    options.draw(picture, "draw_directions", result)
