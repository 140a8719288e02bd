"""``geoforest neighbors``: the nearest rows of a user's own table."""

from pathlib import Path
from typing import Unpack

import click

from geoforest_cli import own_data
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.comparing import compared
from geoforest_cli.cli.saying import say
from geoforest_cli.cli.watching import compiling_told, watching

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
    "--missing", type=click.Choice(["refuse", "drop", "random"]), default="refuse",
    show_default=True,
    help="Missing values: an error, rows to leave out, or any value of their column (forests).",
)  # fmt: skip
@options.screen
@options.level
@click.option(
    "--compare", is_flag=True, help="Hold all methods that suit TABLE against each other."
)
@click.option(
    "--label", metavar="COLUMN", help="Classes that no method sees, to compare by (--compare)."
)
@click.option(
    "-o", "--output", type=options.PATH,
    help="Parquet, CSV or TSV; must be given without --compare.",
)  # fmt: skip
@options.reading
@options.seed
@options.jobs
@options.verbose
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
    compare: bool,
    label: str | None,
    output: Path | None,
    seed: int,
    jobs: int | None,
    verbose: bool,
    **how: Unpack[own_data.Reading],
) -> None:
    """List the K nearest rows of every row of TABLE (CSV, TSV, Parquet, NPY or a workbook).

    OUTPUT (Parquet, CSV or TSV) has one line per pair: id, rank, neighbor, distance, and for
    forests proximity = 1 - distance, the share of trees in which both lie in one leaf. Equally
    near rows stand in a random order that --seed fixes, but where a method searches an index, as
    euclidean does: it lists them as it finds them. Rows are numbered from 0 without --id.

    --compare lists no neighbours: it says for every method how many neighbours are of their row's
    class (--label), or how many two methods have in common.
    """
    _require_together(label, method, params, output, compare=compare)
    if output is not None:
        own_data.require_output(output, table)
    if compare:
        with options.in_options(verbose=verbose), options.warnings_told(), compiling_told():
            compared(
                lambda: own_data.compare_neighbors(
                    table, k, label, shape=shape, columns=columns, identifier=identifier,
                    scale=scale, missing=missing, screen=screen, level=level, seed=seed,
                    n_jobs=jobs, on_note=options.tell, on_method=_tell_method, **how,
                ),
                output,
            )  # fmt: skip
        return
    assert output is not None
    with options.in_options(verbose=verbose), options.warnings_told(), watching():
        given = own_data.parse_pairs(params)
        found = own_data.find_neighbors(
            table, k, method, given, shape=shape, columns=columns, identifier=identifier,
            scale=scale, missing=missing, screen=screen, level=level, seed=seed, n_jobs=jobs,
            on_note=options.tell, **how,
        )  # fmt: skip
        found.write(output)
    n, k = found.indices.shape
    say(f"{n} rows, {k} neighbours each: {output}")


def _require_together(
    label: str | None,
    method: str | None,
    params: tuple[str, ...],
    output: Path | None,
    *,
    compare: bool,
) -> None:
    if compare and (method is not None or params):
        given = "--method" if method is not None else "--param"
        raise click.UsageError(f"{given} is for one method, and --compare takes all")
    if not compare and label is not None:
        raise click.UsageError("--label is for --compare")
    if not compare and output is None:
        raise click.UsageError("name a file for the neighbours (-o), or --compare methods")


def _tell_method(method: str) -> None:
    options.tell(f"{method} ...")
