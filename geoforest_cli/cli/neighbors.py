"""``geoforest neighbors``: the nearest rows of a user's table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.comparison import compare as compare_methods
from geoforest_cli.cli.output import say
from geoforest_cli.cli.progress import show_counts, show_progress
from geoforest_cli.tables.choices import EACH, LEVEL, SCREEN
from geoforest_cli.tables.messages import format_names
from geoforest_cli.tables.writers import (
    require_map,
    require_output,
    require_picture,
    write_lists,
)

__all__ = ["neighbors"]

# what a table in parts takes, and what its other options have to be
_OF_PARTS = {
    "columns", "exclude", "label", "identifier", "screen", "level", "seed", "n_jobs", "scheduler",
    "cell_rows",
}  # fmt: skip
_DEFAULTS = {"method": "leaf_mates", "missing": "refuse", "scale": "auto"}


@click.command()
@click.argument(
    "paths", metavar="TABLE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("-k", type=click.IntRange(min=1), default=10, help="Neighbours.")
@options.method(
    "adaptive_neighbors; structured_forest with --shape; leaf_mates for more than 100,000 rows"
)
@options.label
@options.selection
@options.missing(
    "refuse", "impute", "drop",
    text="an error, filled from the 5 nearest rows (suits most tables), or rows to leave out.",
)  # fmt: skip
@click.option(
    "--screen",
    is_flag=False,
    flag_value=SCREEN,
    type=click.Choice(["auto", "pairs", "correlation", "forest", "both", "none"]),
    default="auto",
    help="Drop columns that depend on no other first, see `geoforest columns`; auto: by pairs "
    "and correlations, unless fewer than two would be kept, or at most one or one in twenty "
    "dropped; both if no value is given.",
)
@options.group("; each: one output per group")
@options.level(
    "Probability that the screen keeps any column of noise by mistake.  "
    f"[default: {LEVEL:g}; 0.001 in adaptive_neighbors]",
    default=None,
)
@click.option("--compare", is_flag=True, help="Compare methods on TABLE, by its --label.")
@options.names("--methods", "Methods that --compare runs.  [default: all that suit the table]")
@click.option(
    "--together",
    metavar="COLUMN",
    help="For --compare: rows with the same value here (several of one patient) are no neighbours.",
)
@click.option(
    "--blocks", is_flag=True,
    help="For --compare: so are rows in each of twenty blocks, for rows in order of time.",
)  # fmt: skip
@options.file(
    "-o", "--output",
    text="Parquet, CSV or TSV, or .h5ad for an .h5ad table; needed unless --compare or --picture "
    "is given.",
)  # fmt: skip
@options.file(
    "--picture",
    text="PNG, SVG or PDF of a map, or HTML: an interactive one that works offline. With "
    "--compare a picture of the scores.",
)
@click.option(
    "--color", metavar="COLUMN",
    help="Column that colours the map; it is compared as well, unless --exclude names it too.  "
    "[default: --label]",
)  # fmt: skip
@click.option(
    "--scheduler", metavar="ADDRESS",
    help="For a table in parts: a dask scheduler whose workers search it.  [default: --jobs "
    "workers of this machine]",
)  # fmt: skip
@click.option(
    "--cell-rows", type=int, metavar="N",
    help="For a table in parts: rows that are searched together.  [default: 50000]",
)  # fmt: skip
@options.common
def neighbors(*, paths: tuple[Path, ...], params: tuple[str, ...], **given: Any) -> None:
    """List the K nearest rows of every row of TABLE (CSV, TSV, Parquet, .h5ad, a workbook, ...).

    OUTPUT (Parquet, CSV or TSV) has one line per pair: id, rank, neighbor, distance, and for
    forests proximity = 1 - distance, the share of trees in which both lie in one leaf. Equally
    near rows are in a random order that --seed fixes; in a table without equal rows, the default
    takes the first ones first, and euclidean those that its search meets first. Rows are numbered
    from 0 without --id.

    Columns that depend on no other column are noise to every method, and are dropped first unless
    you say --screen none. A class must not be a feature: name it with --label.

    Columns that depend on one another form a group, and groups are independent of each other: see
    `geoforest columns`. --group takes one of them; --group each writes near_group1.csv and so on
    for `-o near.csv`.

    --picture draws a map: the rows in two dimensions, by UMAP's layout of these neighbours. Numbers
    have a colour scale; text and the --label have a colour for each class.

    --compare lists no neighbours: it shows for every method how many neighbours are of their row's
    class (--label). OUTPUT has a line per method then, written as each of them ends.

    Several Parquet files, a folder of them, or one with a folder as OUTPUT are the parts of one
    table, which may be larger than the memory: dask lists neighbours in each of many cells, and the
    folder OUTPUT gets a file for each part. A call that was stopped goes on when given again.
    """
    from geoforest_cli.tables.parameters import parse_pairs

    given["params"] = parse_pairs(params)
    output: Path | None = given["output"]
    to_folder = output is not None and (output.is_dir() or not output.suffix)
    in_parts = to_folder and paths[0].suffix.lower() == ".parquet"
    if len(paths) > 1 or paths[0].is_dir() or given["scheduler"] is not None or in_parts:
        _list_in_parts(paths, **given)
        return
    _require_fitting(given)
    del given["scheduler"], given["cell_rows"]
    _list(paths[0], **given)


def _list_in_parts(
    paths: tuple[Path, ...], *, output: Path | None, k: int, params: dict[str, Any], **given: Any
) -> None:
    """Write the neighbours of a table in parts, and print what there is."""
    for name, value in given.items():
        if name not in _OF_PARTS and value and value != _DEFAULTS.get(name):
            option = f"--{name.replace('_', '-')}"
            allowed = f"; only {_DEFAULTS[name]} is" if name in _DEFAULTS else ""
            raise click.UsageError(f"{option} is not possible for a table in parts{allowed}")
    if output is None:
        raise click.UsageError("name a folder for the neighbours of a table in parts (-o)")
    named = {name: given[name] for name in _OF_PARTS if given[name] is not None}
    with show_counts() as update:
        written = tables.find_neighbors_in_parts(
            paths, output, k, params, on_note=options.show_note, on_progress=update, **named
        )
    say(f"{k} neighbours of each row, {len(written)} files: {output}")


def _list(
    table: Path,
    *,
    compare: bool,
    methods: tuple[str, ...],
    together: str | None,
    blocks: bool,
    output: Path | None,
    picture: Path | None,
    color: str | None,
    **given: Any,
) -> None:
    """Write the neighbours, in each group of columns to files of its own where that is asked."""
    if output is not None:
        require_output(output, table, annotated=not compare)
    if picture is not None:
        picture = (require_picture if compare else require_map)(picture, table, output)
    if compare:
        del given["method"], given["params"]
        rules = {"methods": methods, "together": together, "blocks": blocks}
        compare_methods(table, output, picture, **rules, **given)
        return
    source = table if color is None else _with_color(table, color, given)
    with show_progress():
        if given["group"] == EACH:
            del given["group"]
            lists = tables.find_neighbors_by_group(source, on_note=options.show_note, **given)
        else:
            lists = {0: tables.find_neighbors(source, on_note=options.show_note, **given)}
    for number, result in lists.items():
        of = f" in group {number} ({format_names(result.columns)})" if number else ""
        n, k = result.indices.shape
        if output is not None:
            path = require_output(_of_group(output, number), table, annotated=True)
            write_lists(path, result)
            say(f"{n} rows, {k} neighbours each{of}: {path}")
        if picture is not None:
            from geoforest_cli.tables import figures

            options.show_note(f"Map of {n} rows: UMAP's layout of their neighbours ...")
            path = require_map(_of_group(picture, number), table)
            say(figures.write_map(result, path, color, given["seed"]))


def _of_group(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}_group{number}{path.suffix}") if number else path


def _require_fitting(given: dict[str, Any]) -> None:
    """Refuse options that exclude each other."""
    compare, output, picture = given["compare"], given["output"], given["picture"]
    reason = "is for one method, and --compare takes several"
    nothing = "name a file for the neighbours (-o) or a map (--picture), or --compare methods"
    each = "--group each is for lists of neighbours, and --compare writes none"
    color = "--color is for a map of neighbours: name its file with --picture"
    for wrong, message in (
        (given["cell_rows"], "--cell-rows is for a table in parts: -o names a folder"),
        (compare and given["method"], f"--method {reason}"),
        (compare and given["params"], f"--param {reason}"),
        (given["methods"] and not compare, "--methods needs --compare"),
        (given["together"] and not compare, "--together needs --compare"),
        (given["blocks"] and not compare, "--blocks needs --compare"),
        (output is None and picture is None and not compare, nothing),
        (compare and given["group"] == EACH, each),
        (given["color"] and (compare or picture is None), color),
        (compare and not given["label"], "--compare needs a column of classes: name its --label"),
    ):
        if wrong:
            raise click.UsageError(message)


def _with_color(table: Path, color: str, given: dict[str, Any]) -> Any:
    """Return the table if it has the column that colours a map: before neighbours are found."""
    from geoforest_cli.tables.header import require_color_among
    from geoforest_cli.tables.kinds import reading_options

    source = tables.open_table(table, reading_options(given))
    require_color_among(list(source.frame.columns), source.name, color)
    return source
