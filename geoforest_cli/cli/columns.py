"""``geoforest columns``: which columns of a user's table depend on others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.output import print_frame, say
from geoforest_cli.cli.progress import show_progress
from geoforest_cli.tables.choices import ADJUST, SCREEN
from geoforest_cli.tables.messages import format_names

__all__ = ["columns"]

_MOST_GROUPS = 20


@click.command()
@options.table
@click.option(
    "--method",
    default=SCREEN,
    help="pairs: each column against each other; correlation: trends only; auto: both of these; "
    "forest: against trees of others; both: pairs and forest.",
)
@options.level()
@click.option(
    "--adjust",
    default=ADJUST,
    help="What the level bounds: fwer, the chance that any column of noise is kept; fdr, the share "
    "of noise among the columns that are kept.",
)
@options.label
@options.selection
@options.file("-o", "--output", text="Parquet, CSV or TSV of all columns.")
@options.file("--picture", text="PNG, SVG or PDF: how surely each column depends on others.")
@options.common
def columns(*, table: Path, output: Path | None, picture: Path | None, **given: Any) -> None:
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
    picture = options.usable(table, output, picture=picture)
    with show_progress():
        ranking = tables.find_columns(table, on_note=options.show_note, **given)
    shown = ranking.frame().rename(columns={"p_value": "p-value"})
    print_frame(shown, {"z": ".2f", "p-value": ".2g", "adjusted": ".2g"}, "columns", widest=32)
    say(ranking.summary())
    for number in range(1, min(ranking.count, _MOST_GROUPS) + 1):
        members = ranking.group_of(number)
        count = f"{len(members)} column{'s' if len(members) > 1 else ''}"
        say(f"group {number}, {count}: {format_names(members)}")
    if (more := ranking.count - _MOST_GROUPS) > 0:
        say(f"and {more} more groups (-o FILE has all)")
    options.save(output, ranking.frame(), "z", "p_value", "adjusted")
    options.draw(picture, "draw_columns", ranking)
