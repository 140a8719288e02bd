"""``geoforest neighbors``: the nearest rows of a user's table."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Self

import click

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.comparison import compare as compare_methods
from geoforest_cli.cli.output import say
from geoforest_cli.cli.progress import show_counts, show_progress
from geoforest_cli.tables.choices import EACH, LEVEL, SCREEN
from geoforest_cli.tables.messages import format_names
from geoforest_cli.tables.writers import require_map, require_output, require_picture

__all__ = ["neighbors"]


@click.command()
@click.argument("tables_", metavar="TABLE...", nargs=-1, required=True, type=options.PATH)
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="Neighbours.")
@click.option(
    "--method",
    help="A method's name.  [default: adaptive_neighbors; structured_forest with --shape; "
    "geodesic_forest for more than 100,000 rows]",
)
@click.option("--shape", help="Height x width of the images in the rows, or length of a series.")
@options.params
@options.columns
@options.exclude
@options.label
@options.identifier
@options.scale
@click.option(
    "--missing", type=click.Choice(["refuse", "impute", "drop"]),
    default="refuse", show_default=True,
    help="Missing values: an error, filled from the 5 nearest rows (suits most tables), or rows to "
    "leave out.",
)  # fmt: skip
@click.option(
    "--screen",
    is_flag=False,
    flag_value=SCREEN,
    type=click.Choice(["auto", "pairs", "correlation", "forest", "both", "none"]),
    default="auto",
    show_default=True,
    help="Drop columns that depend on no other first, see `geoforest columns`; auto: by pairs "
    "and correlations, unless fewer than two would be kept or at most one in twenty dropped; "
    "both if no value is given.",
)
@options.group("; each: one output per group")
@click.option(
    "--level",
    type=float,
    help="Probability that the screen keeps any column of noise by mistake.  "
    f"[default: {LEVEL:g}; 0.001 in adaptive_neighbors]",
)
@click.option("--compare", is_flag=True, help="Compare methods on TABLE.")
@options.methods
@click.option(
    "-o", "--output", type=options.PATH,
    help="Parquet, CSV or TSV, or .h5ad for an .h5ad table; needed unless --compare or --picture "
    "is given.",
)  # fmt: skip
@click.option(
    "--picture", type=options.PATH,
    help="PNG, SVG or PDF of a map, or HTML: an interactive one that works offline. With "
    "--compare a picture of the scores.",
)  # fmt: skip
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
@options.reading
@options.seed
@options.jobs
@options.verbose
def neighbors(
    *,
    tables_: tuple[Path, ...],
    method: str | None,
    params: tuple[str, ...],
    compare: bool,
    methods: tuple[str, ...],
    output: Path | None,
    picture: Path | None,
    color: str | None,
    verbose: bool,
    scheduler: str | None,
    cell_rows: int | None,
    **given: Any,
) -> None:
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
    class (--label), or without a label how well neighbours found in some columns predict the
    others. OUTPUT has a line per method then, written as each of them ends.

    Several Parquet files, a folder of them, or one with a folder as OUTPUT are the parts of one
    table, which may be larger than the memory: dask grows a forest in each of many cells, and the
    folder OUTPUT gets a file for each part. A call that was stopped goes on when given again.
    """
    if _in_parts(tables_, output, scheduler, cell_rows):
        own: dict[str, Any] = {
            "method": method,
            "compare": compare,
            "methods": methods,
            "picture": picture,
        }
        own |= {"color": color, **given, "scheduler": scheduler, "cell_rows": cell_rows}
        with options.in_options(verbose=verbose):
            _list_neighbors_in_parts(tables_, output, _parsed(params), own)
        return
    (table,) = tables_
    if compare and (method is not None or params):
        option = "--method" if method is not None else "--param"
        raise click.UsageError(f"{option} is for one method, and --compare takes several")
    if methods and not compare:
        raise click.UsageError("--methods needs --compare")
    if output is not None:
        require_output(output, table, annotated=not compare)
    elif not compare and picture is None:
        raise click.UsageError(
            "name a file for the neighbours (-o) or a map (--picture), or --compare methods"
        )
    if compare and given["group"] == EACH:
        raise click.UsageError("--group each is for lists of neighbours, and --compare writes none")
    if color is not None and (compare or picture is None):
        raise click.UsageError("--color is for a map of neighbours: name its file with --picture")
    if picture is not None:
        require = require_picture if compare else require_map
        picture = require(picture, table, output)
    if compare:
        with options.in_options(verbose=verbose):
            compare_methods(table, output, picture, methods=methods, **given)
        return
    files = _Files(output, picture, color, given["seed"])
    with options.in_options(verbose=verbose):
        given |= {"method": method, "params": _parsed(params)}
        source = table if color is None else _with_color(table, color, given)
        _list_neighbors(source, files, given)


def _parsed(params: tuple[str, ...]) -> dict[str, Any]:
    from geoforest_cli.tables.parameters import parse_pairs

    return parse_pairs(params)


def _with_color(table: Path, color: str, given: dict[str, Any]) -> Any:
    """Return the table if it has the column that colours a map: before neighbours are found."""
    from geoforest_cli.tables.header import require_color_among
    from geoforest_cli.tables.kinds import reading_options

    source = tables.open_table(table, reading_options(given))
    require_color_among(list(source.frame.columns), source.name, color)
    return source


def _in_parts(
    paths: tuple[Path, ...], output: Path | None, scheduler: str | None, cell_rows: int | None
) -> bool:
    """Whether files are the parts of one table."""
    if len(paths) > 1 or paths[0].is_dir() or scheduler is not None:
        return True
    folder = output is not None and (output.is_dir() or not output.suffix)
    if folder and paths[0].suffix.lower() == ".parquet":
        return True
    if cell_rows is not None:
        raise click.UsageError("--cell-rows is for a table in parts: -o names a folder")
    return False


_OF_PARTS = {
    "columns", "exclude", "label", "identifier", "screen", "level", "seed", "n_jobs", "scheduler",
    "cell_rows",
}  # fmt: skip
_DEFAULTS = {"method": "geodesic_forest", "missing": "refuse", "scale": "auto"}


def _list_neighbors_in_parts(
    paths: tuple[Path, ...], output: Path | None, params: dict[str, Any], given: dict[str, Any]
) -> None:
    """Write the neighbours of a table in parts, and print what there is."""
    k = given.pop("k")
    for name, value in given.items():
        if name not in _OF_PARTS and value and value != _DEFAULTS.get(name):
            option = f"--{name.replace('_', '-')}"
            allowed = f"; only {_DEFAULTS[name]} is" if name in _DEFAULTS else ""
            raise click.UsageError(f"{option} is not possible for a table in parts{allowed}")
    if output is None:
        raise click.UsageError("name a folder for the neighbours of a table in parts (-o)")
    chosen = {name: given[name] for name in _OF_PARTS if given[name] is not None}
    with show_counts() as update:
        written = tables.find_neighbors_in_parts(
            paths, output, k, params, on_note=options.show_note, on_progress=update, **chosen
        )
    say(f"{k} neighbours of each row, {len(written)} files: {output}")


class _Files(NamedTuple):
    """What is written of neighbours: their list, and a map."""

    output: Path | None
    picture: Path | None
    color: str | None
    seed: int

    def of_group(self, number: int) -> Self:
        """Return the files of one group of columns."""
        output, picture = (
            path and path.with_name(f"{path.stem}_group{number}{path.suffix}") for path in self[:2]
        )
        return self._replace(output=output, picture=picture)

    def write(self, result: tables.Neighbors, of: str = "") -> None:
        """Write the files, and print what is in them."""
        n, k = result.indices.shape
        if self.output is not None:
            result.write(self.output)
            say(f"{n} rows, {k} neighbours each{of}: {self.output}")
        if self.picture is not None:
            options.show_note(f"Map of {n} rows: UMAP's layout of their neighbours ...")
            say(result.draw(self.picture, self.color, self.seed))


def _list_neighbors(table: Any, files: _Files, given: dict[str, Any]) -> None:
    """Write the neighbours, in each group of columns to files of its own where that is asked."""
    each = given["group"] == EACH
    with show_progress():
        if each:
            del given["group"]
            found = tables.find_neighbors_by_group(table, on_note=options.show_note, **given)
        else:
            found = {0: tables.find_neighbors(table, on_note=options.show_note, **given)}
    for number, result in found.items():
        if each:
            names = format_names(result.columns)
            files.of_group(number).write(result, f" in group {number} ({names})")
        else:
            files.write(result)
