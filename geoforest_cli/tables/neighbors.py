"""The nearest rows of every row of a user's table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.errors import UserError
from geoforest_cli.estimators.methods import METHODS, build
from geoforest_cli.tables.groups import EACH
from geoforest_cli.tables.header import require_neighbors
from geoforest_cli.tables.imputation import fill_missing
from geoforest_cli.tables.memory import (
    require_memory_for_graph,
    require_memory_for_lists,
    require_memory_for_matrix,
    require_memory_for_trees,
)
from geoforest_cli.tables.messages import as_argument, format_names
from geoforest_cli.tables.nearest import (
    ADAPTIVE,
    FEWEST_COLUMNS,
    flat_rows_note,
    nearest_rows,
    unreached_note,
)
from geoforest_cli.tables.neighbor_lists import Neighbors
from geoforest_cli.tables.options import NeighborOptions, read_table, takes_options
from geoforest_cli.tables.parameters import checked
from geoforest_cli.tables.reading import RawTable, TableLike, open_table
from geoforest_cli.tables.scaling import chosen_scale, scaled
from geoforest_cli.tables.screens import ScreenResult, unpaired_note
from geoforest_cli.tables.shapes import Shape, require_columns, require_no_screen, sides
from geoforest_cli.tables.table import UserTable

__all__ = [
    "Neighbors",
    "find_neighbors",
    "find_neighbors_by_group",
    "neighbors_of",
]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_STRUCTURED, _FOREST = "structured_forest", "geodesic_forest"
_INDEX = "leaf_mates"
_MANY_ROWS = 100_000


@takes_options(NeighborOptions)
def find_neighbors(
    table: TableLike,
    k: int = 10,
    method: str | None = None,
    params: Mapping[str, Any] | None = None,
    **options: Any,
) -> Neighbors:
    """Find the k nearest rows of every row of a table.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        A file is CSV, TSV, Parquet, NPY or a workbook.
    k : int
        At most N - 1; a row is no neighbour of its own.
    method : str, optional
        A method that yields neighbours, see ``geoforest list methods``; by default
        "adaptive_neighbors", "structured_forest" with a `shape`, and "leaf_mates" for more than
        100,000 rows.
    params : mapping, optional
        Its parameters, such as ``{"n_estimators": 500}``.
    shape : str, int or (height, width), optional
        Of the images in the rows, such as "28x28", or the length of a series.
    columns : sequence of str
        Columns to compare; by default all numeric ones but the identifier.
    exclude : sequence of str
        Columns to leave out.
    label : str, optional
        A column of classes; it is left out as well.
    identifier : str, optional
        Column that names the rows.
    scale : {"auto", "none", "standardise", "min_max"}
        How columns of unlike units are brought to one scale, see `scaling.chosen_scale`.
    missing : {"refuse", "impute", "drop"}
        Missing values are an error; they are filled by the mean of the five nearest rows that have
        a value (behind the table's screen, and for every method); or their rows are left out.
    screen : {"auto", "pairs", "correlation", "forest", "both", "none"}, optional
        Drop the columns that depend on no other first, see `find_columns`. "auto" is as there, but
        keeps all columns where fewer than two would be kept, where at most one, or one in twenty,
        would be dropped, in tables of fewer than 10 rows, and of images; ``adaptive_neighbors`` has
        a screen of its own instead, unless there are categories or missing values. None is "none".
    group : str or int, optional
        Use one group of the columns that depend on each other: the one that holds this column, or
        the one of this number, as `find_columns` counts them from 1 with the same columns, level
        and seed. Its screen finds them, unless `screen` names another one.
    level : float, optional
        Bound on the probability that the screen keeps any column that is independent of all others;
        by default 0.01, and 0.001 of ``adaptive_neighbors``' own.
    seed : int
        Random seed. Equally near rows are in a random order that it fixes; if no rows are equal in
        all columns, the default takes the first of equally near rows, and ``euclidean`` those that
        its search meets first.
    n_jobs : int, optional
        Threads; by default one per core. The result does not depend on it.
    on_note : callable
        Called with each note as soon as it is known, and with the columns that are used.
    strict : bool
        Raise an error where a note tells of a leak, of an id among the features, or of rows in
        order of time.
    sep, decimal, encoding, sheet, not_missing : str, optional
        How a file is read, see `geoforest_cli.tables.dialect.ReadingOptions`.

    Returns
    -------
    Neighbors

    Raises
    ------
    UserError
        For a method, a parameter, a group or an option that is wrong.
    DataError
        For a table that cannot be read or compared, k out of range, what does not fit in memory,
        or a screen that keeps no column.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> t = np.random.default_rng(0).permuted(np.linspace(0, 1, 200))
    >>> spiral = pd.DataFrame({"x": t * np.cos(9 * t), "y": t * np.sin(9 * t)})
    >>> result = find_neighbors(spiral, 5)
    >>> result.columns, result.distances.shape
    (('x', 'y'), (200, 5))
    >>> result.notes
    ('adaptive_neighbors: kept all 2 columns; columns raw; graph geodesic, no forest.',)
    >>> near = result.frame()
    >>> bool(np.median(np.abs(t[near["id"]] - t[near["neighbor"]])) < 0.05)
    True
    """
    return neighbors_of(table, k, method, params, NeighborOptions.of(options))


@takes_options(NeighborOptions)
def find_neighbors_by_group(
    table: TableLike,
    k: int = 10,
    method: str | None = None,
    params: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[int, Neighbors]:
    """Find the k nearest rows of every row of a table, in each group of its columns alone.

    Parameters
    ----------
    table, k, method, params
        As in `find_neighbors`, and so are all options but `group`.

    Returns
    -------
    dict of int to Neighbors
        By the number of the group, from 1.

    Raises
    ------
    UserError, DataError
        As `find_neighbors`.

    Examples
    --------
    >>> import pandas as pd
    >>> turn = np.random.default_rng(0).uniform(0, 6, (2, 200))
    >>> circles = pd.DataFrame(np.c_[np.cos(turn.T), np.sin(turn.T)], columns=["a", "b", "c", "d"])
    >>> found = find_neighbors_by_group(circles, 3, "euclidean")
    >>> [near.columns for near in found.values()]
    [('a', 'c'), ('b', 'd')]
    """
    return _by_group(table, k, method, params, NeighborOptions.of({**options, "group": EACH}))


def neighbors_of(
    table: TableLike, k: int, method: str | None, params: Mapping[str, Any] | None,
    options: NeighborOptions,
) -> Neighbors:  # fmt: skip
    """Find the k nearest rows of every row of a table, as `find_neighbors` does.

    Parameters
    ----------
    table, k, method, params
        As in `find_neighbors`.
    options : NeighborOptions

    Raises
    ------
    UserError
        For each group, of which there may be several.
    """
    if options.group == EACH:
        message = "that is several lists: find_neighbors_by_group returns them"
        raise UserError(f"{as_argument('group', EACH)}: {message}")
    (result,) = _by_group(table, k, method, params, options).values()
    return result


def _by_group(
    table: TableLike, k: int, method: str | None, params: Mapping[str, Any] | None,
    options: NeighborOptions,
) -> dict[int, Neighbors]:  # fmt: skip
    """Return the neighbours in each group that is asked for, or else in all columns, as 0."""
    shape = sides(options.shape)
    name = method or (ADAPTIVE if shape is None else _STRUCTURED)
    given = checked(name, params, "neighbors", shape)
    images = shape is not None or name == _STRUCTURED
    choice = options.group_choice()
    screening = None if choice else options.column_screen(images=images)
    require_no_screen(None if screening is None else options.screen, options.shape)
    raw = open_table(table, options)
    data = read_for_neighbors(raw, options, images=images)
    if method is None and name == ADAPTIVE and len(data.points) > _MANY_ROWS:
        name, given = _INDEX, checked(_INDEX, params, "neighbors")
        many = f"{len(data.points):,} rows: by {_INDEX}, since {ADAPTIVE} would take long"
        note = f"{many} ({as_argument('method', ADAPTIVE)}: even so)."
        data = replace(data, notes=(*data.notes, note))
    _require_possible(name, k, data, options.shape)
    for note in data.notes:
        options.on_note(note)
    if screening and (note := unpaired_note(screening.which, data.points.shape[1])):
        options.on_note(note)
    if name == ADAPTIVE and _screens_itself(given, options, data):
        screening = None
    if choice is not None:
        return {
            number: _of_columns(name, given, k, part, screened, options, raw)
            for number, (part, screened) in choice.tables(data).items()
        }
    screened = None if screening is None else screening.keep(data.points, data.sources, data.name)
    if screened is not None:
        data = data.select_columns(screened.kept_among(data.sources))
    return {0: _of_columns(name, given, k, data, screened, options, raw)}


def read_for_neighbors(
    raw: RawTable, options: NeighborOptions, *, images: bool | None = None
) -> UserTable:
    """Return the columns and rows of which neighbours are found.

    Parameters
    ----------
    raw : RawTable
    options : NeighborOptions
    images : bool, optional
        Whether the rows are images or series; by default if they have a shape.
    """
    images = options.shape is not None if images is None else images
    filled = options.missing == "impute"
    clean = options.clean_options(
        # pixels that never vary belong to the image
        keep_constant=images,
        missing="keep" if filled else options.missing,
        remedies=("impute", "drop"),
    )
    return read_table(raw, clean, options, images=images, filled=filled)


def _of_columns(
    method: str, params: Mapping[str, Any], k: int, data: UserTable,
    screened: ScreenResult | None, options: NeighborOptions, raw: RawTable,
) -> Neighbors:  # fmt: skip
    """Return the neighbours in a table of the columns that are used."""
    given = dict(params)
    images = options.shape is not None or method == _STRUCTURED
    notes = []
    if screened is not None and (screened.note or screened.dropped or options.screen != "auto"):
        notes.append(screened.sentence())
    dropped = () if screened is None else screened.dropped
    if options.missing == "impute":
        data, filled = fill_missing(data)
        notes += filled
    rescale, note = chosen_scale(method, options.scale, data.points, images=images)
    notes += [note] if note else []
    _set_forest_defaults(method, given, k)
    notes += _too_few_columns(method, data.points.shape[1])
    for note in notes if method == ADAPTIVE else (*notes, data.used()):
        options.on_note(note)
    unfitted = build(method, given, seed=options.seed, n_jobs=options.n_jobs or -1)
    of_forest = hasattr(unfitted, "proximity")
    if of_forest and (trees := getattr(unfitted, "n_estimators", 0)):
        argument = as_argument("params", {"n_estimators": trees})
        require_memory_for_trees(argument, len(data.points), trees)
    points = data.points if rescale == "none" else scaled(data.points, rescale)
    distances, indices = nearest_rows(unfitted, method, points, data.columns, k, options.seed)
    for note in filter(None, (unreached_note(distances), flat_rows_note(method, points))):
        notes.append(note)
        options.on_note(note)
    if method == ADAPTIVE:
        notes.append(_adapted(data, unfitted))
        kept = np.isin(np.arange(len(data.columns)), unfitted.kept_)
        dropped += tuple(np.array(data.columns, object)[~kept])
        data = data.select_columns(kept)
        for note in (notes[-1], data.used()):
            options.on_note(note)
    return Neighbors(
        data.ids, distances, indices, data.columns, (*data.notes, *notes), of_forest,
        dropped, data.path, data.left_out, options.label, raw.frame, data.rows,
    )  # fmt: skip


def _screens_itself(given: dict[str, Any], options: NeighborOptions, data: UserTable) -> bool:
    """Pass scale and screen to the adaptive method; return whether its own screen is used."""
    if options.scale != "auto":
        given.setdefault("scale", "raw")
    # the columns of a category depend on one another: only the table's screen takes them as one
    by_itself = options.screen == "auto" and options.group is None
    by_itself = by_itself and len(set(data.sources)) == len(data.sources)
    # and only it takes missing values: what is filled depends on other columns
    by_itself = by_itself and not np.isnan(data.points).any()
    if not by_itself:
        given.setdefault("screen", None)
    elif options.level is not None:
        given.setdefault("level", options.level)
    return by_itself


def _too_few_columns(method: str, p: int) -> list[str]:
    least = FEWEST_COLUMNS.get(method, 1)
    if p >= least:
        return []
    seen = "one column" if p == 1 else f"{p} columns"
    return [f"{method}: by {seen} all rows are at one of two distances; it needs {least} or more."]


def _adapted(data: UserTable, fitted: Any) -> str:
    """Return what the adaptive method has chosen, in a sentence with the names of columns."""
    sentence = f"{ADAPTIVE}: {fitted.describe()}"
    if len(fitted.left_out_):
        sentence += f" ({as_argument('group')}: take one group)"
    independent = np.setdiff1d(fitted.dropped_, fitted.left_out_)
    if len(independent):
        names = format_names([data.columns[j] for j in independent])
        sentence += f"; dropped, independent of all others: {names}"
    return f"{sentence}."


def _require_possible(method: str, k: int, data: UserTable, shape: Shape | None) -> None:
    """Refuse a wrong shape, too many neighbours, and what does not fit in memory."""
    require_columns(shape, data.points.shape[1])
    n = len(data.points)
    require_neighbors(k, n, data.name)
    require_memory_for_lists(as_argument("k", k), n, k)
    if method == ADAPTIVE:
        require_memory_for_graph(method, n, k)
    loaded = METHODS[method].load()
    if isinstance(loaded, type) and not hasattr(loaded, "kneighbors"):
        require_memory_for_matrix(method, n)  # before a screen takes its time


def _set_forest_defaults(method: str, params: dict[str, Any], k: int) -> None:
    """Set what a method needs for k neighbours, where the user does not."""
    if method not in {_STRUCTURED, _FOREST, ADAPTIVE, _INDEX}:
        return
    # leaves, an index, or lists of candidates, large enough for as many neighbours as are asked for
    params.setdefault("n_neighbors", k)
    if method in {_FOREST, _INDEX}:
        params.setdefault("screen", None)  # the table is screened before
    if method == _INDEX:
        params.setdefault("rescale", "none")  # and on its scale
