"""``geoforest columns``: which columns of a user's own table depend on others."""

from pathlib import Path
from typing import Unpack

import click

from geoforest_cli import own_data
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.saying import say
from geoforest_cli.cli.watching import watching
from geoforest_cli.terminal import harmless

__all__ = ["columns"]

_MOST_LINES, _WIDEST = 20, 32


@click.command()
@options.table
@click.option(
    "--method",
    default=own_data.SCREEN,
    show_default=True,
    help="pairs: each column against each other; forest: against trees of others; or both.",
)
@options.level
@click.option(
    "--adjust",
    default=own_data.ADJUST,
    show_default=True,
    help="What the level bounds: fwer, the chance of any wrong column; fdr, their share.",
)
@options.columns
@options.identifier
@click.option("-o", "--output", type=options.PATH, help="Parquet, CSV or TSV of all columns.")
@click.option("--picture", type=options.PATH, help="PNG, SVG or PDF of the scores.")
@options.reading
@options.seed
@options.jobs
@options.verbose
def columns(
    *,
    table: Path,
    method: own_data.Which,
    level: float,
    adjust: own_data.Adjust,
    columns: tuple[str, ...],
    identifier: str | None,
    output: Path | None,
    picture: Path | None,
    seed: int,
    jobs: int | None,
    verbose: bool,
    **how: Unpack[own_data.Reading],
) -> None:
    """Rank the columns of TABLE by how surely they depend on others.

    TABLE is CSV, TSV, Parquet, NPY or a workbook. A column that is independent of all others is
    noise to any method that has no labels, and is dropped. Columns of a group are connected
    through best partners. Scales do not matter, and missing values are allowed; rows count as
    independent of one another.
    """
    if output is not None:
        own_data.require_output(output, table)
    if picture is not None:
        picture = own_data.require_picture(picture, table, output)
    with options.in_options(verbose=verbose), options.warnings_told(), watching():
        found = own_data.find_columns(
            table, method, level=level, adjust=adjust, columns=columns, identifier=identifier,
            seed=seed, n_jobs=jobs, on_note=options.tell, **how,
        )  # fmt: skip
    _show(found)
    if output is not None:
        with options.warnings_told():
            found.write(output)
        say(output)
    if picture is not None:
        say(found.draw(picture))


def _show(found: own_data.Columns) -> None:
    """Print the first lines of the ranking and how many follow."""
    lines = [["rank", "column", "kept", "z", "p-value", "adjusted", "partner", "group"]]
    for rank, number in enumerate(found.ranking[:_MOST_LINES].tolist(), 1):
        partner, group = int(found.partners[number]), int(found.groups[number])
        lines.append(
            [
                str(rank),
                _short(found.names[number]),
                "yes" if found.kept[number] else "no",
                f"{found.scores[number]:.2f}",
                f"{found.pvalues[number]:.2g}",
                f"{found.adjusted[number]:.2g}",
                _short(found.names[partner]) if partner >= 0 else "",
                str(group) if group else "",
            ]
        )
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for cells in lines:
        padded = [
            cell.ljust(width) if number in {1, 2, 6} else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        say("  ".join(padded).rstrip())
    if (more := len(found.names) - _MOST_LINES) > 0:
        say(f"and {more} more columns (-o FILE lists all)")
    say(found.summary())


def _short(name: str) -> str:
    name = harmless(name, one_line=True)
    return name if len(name) <= _WIDEST else f"{name[: _WIDEST - 1]}…"
