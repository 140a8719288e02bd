"""``geoforest columns``: which columns of a user's table depend on others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.output import print_table, say
from geoforest_cli.cli.progress import show_progress
from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.tables.choices import ADJUST, SCREEN
from geoforest_cli.tables.messages import format_names
from geoforest_cli.tables.writers import require_output, require_picture

__all__ = ["columns"]

_MOST_LINES, _WIDEST, _MOST_GROUPS = 20, 32, 20


@click.command()
@options.table
@click.option(
    "--method",
    default=SCREEN,
    show_default=True,
    help="pairs: each column against each other; correlation: trends only; auto: both of these; "
    "forest: against trees of others; both: pairs and forest.",
)
@options.level
@click.option(
    "--adjust",
    default=ADJUST,
    show_default=True,
    help="What the level bounds: fwer, the chance that any column of noise is kept; fdr, the share "
    "of noise among the columns that are kept.",
)
@options.columns
@options.exclude
@options.label
@options.identifier
@click.option("-o", "--output", type=options.PATH, help="Parquet, CSV or TSV of all columns.")
@click.option(
    "--picture",
    type=options.PATH,
    help="PNG, SVG or PDF: how surely each column depends on others, and the groups.",
)
@options.reading
@options.seed
@options.jobs
@options.verbose
def columns(
    *,
    table: Path,
    output: Path | None,
    picture: Path | None,
    verbose: bool,
    **given: Any,
) -> None:
    """Rank the columns of TABLE by how surely they depend on others.

    TABLE is CSV, TSV, Parquet, Feather, NPY, .h5ad or a workbook.

    Of forty sensors that each measure something of their own, one that is independent of all others
    is noise to any method without labels: `--screen` of `geoforest neighbors` and `classify` drops
    it, and here it is named. The columns that are kept fall into groups: columns of a group depend
    on each other, directly or through others, and none was found to depend on one of another
    group; `geoforest neighbors --group N` takes one of them.

    Units do not matter, and missing values are allowed; rows count as independent of one another.
    If the sensors each record a bit of the same few sources, see `geoforest directions`.
    """
    if output is not None:
        require_output(output, table)
    if picture is not None:
        picture = require_picture(picture, table, output)
    with options.in_options(verbose=verbose), show_progress():
        ranking = tables.find_columns(table, on_note=options.show_note, **given)
        _show(ranking)
    if output is not None:
        with options.in_options(verbose=verbose):
            ranking.write(output)
        say(output)
    if picture is not None:
        say(ranking.draw(picture))


def _show(ranking: tables.ColumnRanking) -> None:
    """Print the first lines of the ranking and how many follow."""
    rows = []
    lines = ranking.frame().head(_MOST_LINES).astype(object)
    for _, line in lines.where(lines.notna(), "").iterrows():
        numbers = [f"{line['z']:.2f}", f"{line['p_value']:.2g}", f"{line['adjusted']:.2g}"]
        names = [_short(line["column"]), "yes" if line["kept"] else "no"]
        rows.append(
            [str(line["rank"]), *names, *numbers, _short(line["partner"]), str(line["group"])]
        )
    headers = ["rank", "column", "kept", "z", "p-value", "adjusted", "partner", "group"]
    print_table(headers, rows, right={0, 3, 4, 5, 7})
    if (more := len(ranking.names) - _MOST_LINES) > 0:
        say(f"and {more} more columns (-o FILE lists all)")
    say(ranking.summary())
    for number in range(1, min(ranking.count, _MOST_GROUPS) + 1):
        members = ranking.group_of(number)
        count = f"{len(members)} column{'s' if len(members) > 1 else ''}"
        say(f"group {number}, {count}: {format_names(members)}")
    if (more := ranking.count - _MOST_GROUPS) > 0:
        say(f"and {more} more groups (-o FILE lists all)")


def _short(name: str) -> str:
    name = escape_control_characters(name, one_line=True)
    return name if len(name) <= _WIDEST else f"{name[: _WIDEST - 1]}…"
