"""``geoforest neighbors``: the nearest rows of a user's table."""

from pathlib import Path
from typing import Any

import click

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.comparison import compare as compare_methods
from geoforest_cli.cli.output import say
from geoforest_cli.cli.progress import show_progress

__all__ = ["neighbors"]


@click.command()
@options.table
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="Neighbours.")
@click.option(
    "--method",
    help="A method's name.  [default: adaptive_neighbors; structured_forest with --shape; "
    "geodesic_forest with --missing random, and for more than 100,000 rows]",
)
@click.option("--shape", help="Height x width of the images in the rows, or length of a series.")
@options.params
@options.columns
@options.exclude
@options.label
@options.identifier
@options.scale
@click.option(
    "--missing", type=click.Choice(["refuse", "drop", "random"]), default="refuse",
    show_default=True,
    help="Missing values: an error, rows to leave out, or any value of their column (forests).",
)  # fmt: skip
@click.option(
    "--screen",
    is_flag=False,
    flag_value=tables.SCREEN,
    type=click.Choice(["auto", "pairs", "correlation", "forest", "both", "none"]),
    default="auto",
    show_default=True,
    help="Drop columns that depend on no other first, see `geoforest columns`; auto: by pairs "
    "and correlations, unless fewer than two would be kept or at most one in twenty dropped.",
)
@options.group("; each: one output per group")
@click.option(
    "--level",
    type=float,
    help=f"Error rate of the screen.  [default: {tables.LEVEL:g}; 0.001 in adaptive_neighbors]",
)
@click.option("--compare", is_flag=True, help="Compare methods on TABLE.")
@options.methods
@click.option(
    "-o", "--output", type=options.PATH,
    help="Parquet, CSV or TSV; must be given without --compare.",
)  # fmt: skip
@click.option("--picture", type=options.PATH, help="PNG, SVG or PDF of what --compare shows.")
@options.reading
@options.seed
@options.jobs
@options.verbose
def neighbors(
    *,
    table: Path,
    method: str | None,
    params: tuple[str, ...],
    compare: bool,
    methods: tuple[str, ...],
    output: Path | None,
    picture: Path | None,
    verbose: bool,
    **given: Any,
) -> None:
    """List the K nearest rows of every row of TABLE (CSV, TSV, Parquet, NPY or a workbook).

    OUTPUT (Parquet, CSV or TSV) has one line per pair: id, rank, neighbor, distance, and for
    forests proximity = 1 - distance, the share of trees in which both lie in one leaf. Equally
    near rows are in a random order that --seed fixes, except for methods that search an index,
    such as euclidean. Rows are numbered from 0 without --id.

    Columns that depend on no other column are noise to every method, and are dropped first unless
    you say --screen none. A class must not be a feature: name it with --label.

    Columns that depend on one another form a group, and groups are independent of each other: see
    `geoforest columns`. --group takes one of them; --group each writes near_group1.csv and so on
    for `-o near.csv`.

    --compare lists no neighbours: it shows for every method how many neighbours are of their row's
    class (--label), or without a label how well neighbours found in some columns predict the
    others. OUTPUT has a line per method then, written as each of them ends.
    """
    if compare and (method is not None or params):
        option = "--method" if method is not None else "--param"
        raise click.UsageError(f"{option} is for one method, and --compare takes several")
    if not compare and (methods or picture is not None):
        option = "--methods" if methods else "--picture"
        raise click.UsageError(f"{option} needs --compare")
    if output is not None:
        tables.require_output(output, table)
    elif not compare:
        raise click.UsageError("name a file for the neighbours (-o), or --compare methods")
    if compare and given["group"] == tables.EACH:
        raise click.UsageError("--group each is for lists of neighbours, and --compare writes none")
    if picture is not None:
        picture = tables.require_picture(picture, table, output)
    if compare:
        with options.in_options(verbose=verbose):
            compare_methods(table, output, picture, methods=methods, **given)
        return
    assert output is not None
    with options.in_options(verbose=verbose), show_progress():
        given |= {"method": method, "params": tables.parse_pairs(params)}
        if given["group"] == tables.EACH:
            del given["group"]
            _write_each(output, table, given)
            return
        result = tables.find_neighbors(table, on_note=options.show_note, **given)
        result.write(output)
    n, k = result.indices.shape
    say(f"{n} rows, {k} neighbours each: {output}")


def _write_each(output: Path, table: Path, given: dict[str, Any]) -> None:
    """Write the neighbours in each group of columns to a file of its own."""
    found = tables.find_neighbors_by_group(table, on_note=options.show_note, **given)
    for number, result in found.items():
        own = output.with_name(f"{output.stem}_group{number}{output.suffix}")
        result.write(own)
        n, k = result.indices.shape
        names = tables.format_names(result.columns)
        say(f"{n} rows, {k} neighbours each in group {number} ({names}): {own}")
