"""The nearest rows of every row of a user's table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.registry import parameter_model
from geoforest_cli.estimators.methods import METHODS, build
from geoforest_cli.problems.metrics.ranking import rank_neighbors
from geoforest_cli.tables.memory import (
    require_memory_for_graph,
    require_memory_for_lists,
    require_memory_for_matrix,
    require_memory_for_trees,
)
from geoforest_cli.tables.messages import as_argument, format_names
from geoforest_cli.tables.options import Missing, NeighborOptions, read_table, takes_options
from geoforest_cli.tables.parameters import checked
from geoforest_cli.tables.reading import TableLike
from geoforest_cli.tables.scaling import chosen_scale, scaled
from geoforest_cli.tables.screens import ScreenOptions
from geoforest_cli.tables.shapes import Shape, require_columns, require_no_screen, sides
from geoforest_cli.tables.table import Points, UserTable
from geoforest_cli.tables.writers import write_table

__all__ = ["Neighbors", "accepts_missing", "find_neighbors", "neighbors_of"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_STRUCTURED, _FOREST, _ADAPTIVE = "structured_forest", "geodesic_forest", "adaptive_neighbors"
_BLOCK = 50_000  # rows of the user's table that are written at once
_MANY_ROWS, _SEARCH = 100_000, 10_000


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The k nearest rows of every row of a table, nearest first.

    Attributes
    ----------
    ids : pandas.Series
        Names of the rows: the identifier column, or their numbers in the table, from 0.
    distances : (N, k) float64
    indices : (N, k) int64
        Places of the neighbours in `ids`, from 0.
    columns : tuple of str
        The columns that were compared.
    notes : tuple of str
        One sentence for everything that was left out or settled for the user.
    of_forest : bool
        Distances are 1 - proximity, the share of trees in which both rows lie in one leaf.
    dropped : tuple of str
        The columns that a screen has dropped.
    source : Path, optional
        The file that was read; it is not written over.
    left_out : mapping
        The columns that were not compared, with the reason.

    Examples
    --------
    >>> find_neighbors([[0.0], [1.0], [3.0]], k=1, method="euclidean").frame()
       id  rank  neighbor  distance
    0   0     1         1       1.0
    1   1     1         0       1.0
    2   2     1         1       2.0
    """

    ids: pd.Series[Any]
    distances: Floats
    indices: Indices
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()
    of_forest: bool = False
    dropped: tuple[str, ...] = ()
    source: Path | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    def frame(self) -> pd.DataFrame:
        """Return one line per pair: id, rank, neighbor, distance, and proximity for forests."""
        return self._lines(slice(0, len(self.indices)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the lines of `frame` to a Parquet, CSV or TSV file, without building them all.

        Raises
        ------
        DataError
            For another ending, a folder that is not there, or the table's own file.
        """
        write_table(path, self._blocks(), self.source, rounded=("distance", "proximity"))

    def _blocks(self) -> Iterator[pd.DataFrame]:
        for start in range(0, len(self.indices), _BLOCK):
            yield self._lines(slice(start, min(start + _BLOCK, len(self.indices))))

    def _lines(self, part: slice) -> pd.DataFrame:
        names = self.ids.to_numpy()
        size, k = self.indices[part].shape
        lines = pd.DataFrame(
            {
                "id": np.repeat(names[part], k),
                "rank": np.tile(np.arange(1, k + 1), size),
                "neighbor": names[self.indices[part].ravel()],
                "distance": self.distances[part].ravel(),
            }
        )
        return lines.assign(proximity=1.0 - lines["distance"]) if self.of_forest else lines


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
        "adaptive_neighbors", "structured_forest" with a `shape`, and "geodesic_forest" for missing
        values at random and for more than 100,000 rows.
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
    missing : {"refuse", "drop", "random"}
        Missing values are an error; their rows are left out; or, for forests that take them, they
        stand for any value of their column, drawn anew for every tree.
    screen : {"auto", "pairs", "correlation", "forest", "both", "none"}, optional
        Drop the columns that depend on no other first, see `find_columns`. "auto" is as there, but
        keeps all columns where fewer than two would be kept, where at most one in twenty would be
        dropped, in tables of fewer than 10 rows, and of images; ``adaptive_neighbors`` has a screen
        of its own instead, unless there are categories. None is "none".
    level : float, optional
        Bound on the probability that the screen keeps any column that is independent of all others;
        by default 0.01, and 0.001 of ``adaptive_neighbors``' own.
    seed : int
        Random seed. Equally near rows are in a random order that it fixes, but for
        methods that search without all distances, as ``euclidean`` does.
    n_jobs : int, optional
        Threads; by default one per core. The result does not depend on it.
    on_note : callable
        Called with each note as soon as it is known, and with the columns that are used.
    sep, decimal, encoding, sheet : str, optional
        How a file is read, see `geoforest_cli.tables.dialect.ReadingOptions`.

    Returns
    -------
    Neighbors

    Raises
    ------
    UserError
        For a method, a parameter or an option that is wrong.
    DataError
        For a table that cannot be read or compared, k out of range, what does not fit in memory,
        or a screen that keeps no column.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.linspace(0, 1, 200)
    >>> spiral = pd.DataFrame({"x": t * np.cos(9 * t), "y": t * np.sin(9 * t)})
    >>> result = find_neighbors(spiral, 5)
    >>> result.columns, result.distances.shape
    (('x', 'y'), (200, 5))
    >>> result.notes
    ('adaptive_neighbors: kept all 2 columns; columns raw; graph geodesic, no forest.',)
    >>> near = result.frame()
    >>> bool((near["id"] - near["neighbor"]).abs().median() < 10)
    True
    """
    return neighbors_of(table, k, method, params, NeighborOptions.of(options))


def neighbors_of(
    table: TableLike,
    k: int,
    method: str | None,
    params: Mapping[str, Any] | None,
    options: NeighborOptions,
) -> Neighbors:
    """Find the k nearest rows of every row of a table, as `find_neighbors` does.

    Parameters
    ----------
    table, k, method, params
        As in `find_neighbors`.
    options : NeighborOptions
    """
    shape = sides(options.shape)
    chosen = method or _default_method(shape, options.missing)
    given = checked(chosen, params, "neighbors", shape)
    _pass_missing(chosen, options.missing, given)
    images = shape is not None or chosen == _STRUCTURED
    screening = options.column_screen(images=images)
    require_no_screen(None if screening is None else options.screen, options.shape)
    clean = options.clean_options(
        # pixels that never vary belong to the image
        keep_constant=images,
        missing="keep" if options.missing == "random" else options.missing,
        remedies=("drop", "random"),
    )
    data = read_table(table, clean, options, images=images)
    notes = list(data.notes)
    if method is None and chosen == _ADAPTIVE and len(data.points) > _MANY_ROWS:
        chosen, given = _FOREST, checked(_FOREST, params, "neighbors")
        notes.append(_many_rows(len(data.points)))
    _require_possible(chosen, k, data, options.shape)
    if chosen == _ADAPTIVE and _screens_itself(given, options, data):
        screening = None
    dropped: tuple[str, ...] = ()
    if screening is not None:
        data, dropped, note = _screened(data, screening)
        notes += [note] if note else []
    rescale, note = chosen_scale(chosen, options.scale, data.points, images=images)
    notes += [note] if note else []
    notes += _set_forest_defaults(chosen, given, k, len(data.points))
    for note in (*notes, data.used()):
        options.on_note(note)
    unfitted = build(chosen, given, seed=options.seed, n_jobs=options.n_jobs or -1)
    of_forest = hasattr(unfitted, "proximity")
    if of_forest:
        _require_memory_for_forest(unfitted, len(data.points))
    points = data.points if rescale == "none" else scaled(data.points, rescale)
    distances, indices = _nearest(unfitted, chosen, points, k, options.seed)
    if chosen == _ADAPTIVE:
        data, left = _compared(data, unfitted.kept_)
        dropped += left
        names = f"; dropped: {format_names(left)}" if left else ""
        notes.append(f"{chosen}: {unfitted.describe()}{names}.")
        options.on_note(notes[-1])
    return Neighbors(
        data.ids, distances, indices, data.columns, tuple(notes), of_forest, dropped,
        data.path, data.left_out,
    )  # fmt: skip


def _default_method(shape: tuple[int, int] | None, missing: Missing) -> str:
    if shape is not None:
        return _STRUCTURED
    return _FOREST if missing == "random" else _ADAPTIVE


def _many_rows(n: int) -> str:
    way = as_argument("method", _ADAPTIVE)
    return f"{n:,} rows: by {_FOREST}, since {_ADAPTIVE} would take long ({way}: even so)."


def _screens_itself(given: dict[str, Any], options: NeighborOptions, data: UserTable) -> bool:
    """Pass scale and screen to the adaptive method; return whether its own screen is used."""
    if options.scale != "auto":
        given.setdefault("scale", "raw")
    # the columns of a category depend on one another: only the table's screen takes them as one
    own = options.screen == "auto" and len(set(data.sources)) == len(data.sources)
    if not own:
        given.setdefault("screen", None)
    elif options.level is not None:
        given.setdefault("level", options.level)
    return own


def _screened(data: UserTable, screening: ScreenOptions) -> tuple[UserTable, tuple[str, ...], str]:
    """Return the table of the columns that a screen keeps, the others' names, and a sentence."""
    result = screening.keep(data.points, data.sources, data.name)
    worth_saying = result.note or result.dropped or not screening.cautious
    note = result.sentence() if worth_saying else ""
    return data.select_columns(result.kept_among(data.sources)), result.dropped, note


def _compared(data: UserTable, kept: Indices) -> tuple[UserTable, tuple[str, ...]]:
    """Return the table of the columns that a method has kept, and the others' names."""
    stays = np.isin(np.arange(len(data.columns)), kept)
    left = tuple(np.array(data.columns, object)[~stays])
    return data.select_columns(stays), left


def _require_memory_for_forest(unfitted: Any, n: int) -> None:
    if trees := getattr(unfitted, "n_estimators", 0):
        require_memory_for_trees(as_argument("params", {"n_estimators": trees}), n, trees)


def _pass_missing(method: str, missing: Missing, params: dict[str, Any]) -> None:
    """Give the method the parameter for missing values, if it is to take them."""
    if missing != "random":
        return
    if not accepts_missing(method):
        place = as_argument("missing", missing)
        raise UserError(f"{place}: {method} takes no missing values; {_FOREST} does")
    params.setdefault("missing", missing)


def _require_possible(method: str, k: int, data: UserTable, shape: Shape | None) -> None:
    """Refuse a wrong shape, too many neighbours, and what does not fit in memory."""
    require_columns(shape, data.points.shape[1])
    n = len(data.points)
    place = as_argument("k", k)
    if not 1 <= k <= n - 1:
        raise DataError(f"{place}: {data.name} has {n} rows, so that 1 to {n - 1} are possible")
    require_memory_for_lists(place, n, k)
    if method == _ADAPTIVE:
        require_memory_for_graph(method, n, k)
    loaded = METHODS[method].load()
    if isinstance(loaded, type) and not hasattr(loaded, "kneighbors"):
        require_memory_for_matrix(method, n)  # before a screen takes its time


def _set_forest_defaults(method: str, params: dict[str, Any], k: int, n: int) -> list[str]:
    """Set what a forest needs for k neighbours of n rows, where the user does not; return notes."""
    if method not in {_STRUCTURED, _FOREST, _ADAPTIVE}:
        return []
    # leaves, or lists of candidates, large enough for as many neighbours as are asked for
    params.setdefault("n_neighbors", k)
    if method == _FOREST:
        params.setdefault("screen", None)  # the table's own screen has had its say
    if method != _STRUCTURED or n <= _MANY_ROWS or "max_search" in params:
        return []
    params["max_search"] = _SEARCH
    unbounded = as_argument("params", {"max_search": None})
    note = f"{n} rows: nodes of more than {_SEARCH} rows choose their cut on that many of them"
    return [f"{note} ({unbounded}: on all)"]


def accepts_missing(method: str) -> bool:
    """Return whether a method of neighbours takes missing values.

    Examples
    --------
    >>> accepts_missing("geodesic_forest"), accepts_missing("isomap")
    (True, False)
    """
    return "missing" in parameter_model(METHODS[method].load()).model_fields


def _nearest(
    unfitted: Any, method: str, points: Points, k: int, seed: int
) -> tuple[Floats, Indices]:
    if hasattr(unfitted, "kneighbors"):
        nearest: tuple[Floats, Indices] = unfitted.fit(points).kneighbors(n_neighbors=k)
        return nearest
    if not hasattr(unfitted, "distances"):
        raise UserError(f"{as_argument('method', method)}: it has neither kneighbors nor distances")
    require_memory_for_matrix(method, len(points))
    matrix: Floats = unfitted.fit(points).distances()
    indices = rank_neighbors(matrix, k, "random", np.random.default_rng(seed))
    return np.take_along_axis(matrix, indices, axis=1), indices
