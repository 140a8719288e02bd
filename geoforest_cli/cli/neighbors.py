"""``geoforest neighbors``: the nearest rows of a user's own table."""

from pathlib import Path

import click

from geoforest_cli import own_data
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.saying import say
from geoforest_cli.cli.watching import watching

__all__ = ["neighbors"]


@click.command()
@options.table
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="Neighbours.")
@click.option(
    "--method",
    help="A method's name.  [default: structured_forest with --shape, else geodesic_forest]",
)
@click.option("--shape", help="Height x width of the images in the rows, or length of a series.")
@options.params
@options.columns
@options.identifier
@options.scale
@click.option(
    "--missing", type=click.Choice(["refuse", "random"]), default="refuse", show_default=True,
    help="Missing values: an error, or any value of their column (forests).",
)  # fmt: skip
@options.screen
@options.level
@click.option("-o", "--output", type=options.PATH, required=True, help="Parquet, CSV or TSV.")
@options.seed
@options.jobs
def neighbors(
    *,
    table: Path,
    k: int,
    method: str | None,
    shape: str | None,
    params: tuple[str, ...],
    columns: tuple[str, ...],
    identifier: str | None,
    scale: own_data.Scale,
    missing: own_data.Missing,
    screen: own_data.Which | None,
    level: float,
    output: Path,
    seed: int,
    jobs: int | None,
) -> None:
    """List the K nearest rows of every row of TABLE (CSV, TSV, Parquet or NPY).

    OUTPUT (Parquet, CSV or TSV) has one line per pair: id, rank, neighbor, distance, and for
    forests proximity = 1 - distance, the share of trees in which both lie in one leaf. Equally
    near rows stand in a random order that --seed fixes. Rows are numbered from 0 without --id.
    """
    own_data.require_output(output, table)
    with options.in_options(), options.warnings_told(), watching():
        given = own_data.parse_pairs(params)
        found = own_data.find_neighbors(
            table, k, method, given, shape=shape, columns=columns, identifier=identifier,
            scale=scale, missing=missing, screen=screen, level=level, seed=seed, n_jobs=jobs,
            on_note=options.tell,
        )  # fmt: skip
        found.write(output)
    n, k = found.indices.shape
    say(f"{n} rows, {len(found.columns)} columns, {k} neighbours each: {output}")
