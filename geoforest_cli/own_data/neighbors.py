"""The nearest rows of every row of a user's own table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, Self, Unpack, runtime_checkable

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.errors import DataError, UserError
from geoforest_cli.methods import METHODS, build
from geoforest_cli.metrics.ranking import rank_neighbors
from geoforest_cli.own_data.blocks import write_blocks
from geoforest_cli.own_data.dialect import Reading
from geoforest_cli.own_data.parameters import checked, require_seed
from geoforest_cli.own_data.reading import TableLike
from geoforest_cli.own_data.room import (
    require_room_for_lists,
    require_room_for_matrix,
    require_room_for_trees,
)
from geoforest_cli.own_data.scaling import Scale, chosen_scale, scaled
from geoforest_cli.own_data.screens import ADJUST, LEVEL, Screening, Which
from geoforest_cli.own_data.shapes import Shape, require_columns, require_no_screen, sides
from geoforest_cli.own_data.table import Points, read_table
from geoforest_cli.own_data.wording import OnNote, silent, spell
from geoforest_cli.registry import parameter_model

__all__ = ["Neighbors", "find_neighbors"]

Floats = npt.NDArray[np.float64]
Missing = Literal["refuse", "drop", "random"]
Indices = npt.NDArray[np.int64]

_WITH_SHAPE, _WITHOUT_SHAPE = "structured_forest", "geodesic_forest"
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
    >>> found = find_neighbors([[0.0], [1.0], [3.0]], k=1, method="euclidean")
    >>> found.frame()
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
        write_blocks(path, self._blocks(), self.source, rounded=("distance", "proximity"))

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


def find_neighbors(
    table: TableLike,
    k: int = 10,
    method: str | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    shape: Shape | None = None,
    columns: Sequence[str] = (),
    identifier: str | None = None,
    scale: Scale = "auto",
    missing: Missing = "refuse",
    screen: Which | None = None,
    level: float = LEVEL,
    seed: int = 0,
    n_jobs: int | None = None,
    on_note: OnNote = silent,
    **how: Unpack[Reading],
) -> Neighbors:
    """Find the k nearest rows of every row of a table.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        A file is CSV, TSV, Parquet, NPY or a workbook.
    k : int
        At most N - 1; a row is no neighbour of its own.
    method : str, optional
        A method that yields neighbours, see ``geoforest list methods``; by default the structured
        forest with a `shape`, and a Geodesic Forest without one, whose columns have no order.
    params : mapping, optional
        Its parameters, such as ``{"n_estimators": 500}``.
    shape : str, int or (height, width), optional
        Of the images in the rows, such as "28x28", or the length of a series.
    columns : sequence of str
        Columns to compare; by default all numeric ones but the identifier.
    identifier : str, optional
        Column that names the rows.
    scale : {"auto", "none", "standardise", "min_max"}
        How columns of unlike units are brought to one scale, see `scaling.chosen_scale`.
    missing : {"refuse", "drop", "random"}
        Missing values are an error; their rows are left out; or, for forests that take them, they
        stand for any value of their column, drawn anew for every tree.
    screen : {"pairs", "forest", "both"}, optional
        Drop the columns that depend on no other first, see `find_columns`.
    level : float
        The screen's bound on the share of columns that it keeps wrongly.
    seed : int
        Of everything random. Equally near rows stand in a random order that it fixes, but for
        methods that search without all distances, as ``euclidean`` does.
    n_jobs : int, optional
        Threads; by default one per core. The result does not depend on it.
    on_note : callable
        Told each note as soon as it is known, and the columns that are used.
    sep, decimal, encoding, sheet : str, optional
        How a file is read, see `geoforest_cli.own_data.dialect.Reading`.

    Returns
    -------
    Neighbors

    Raises
    ------
    UserError
        For a method or a parameter that is wrong.
    DataError
        For a table that cannot be read or compared, k out of range, what does not fit in memory,
        or a screen that keeps no column.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.linspace(0, 1, 200)
    >>> spiral = pd.DataFrame({"x": t * np.cos(9 * t), "y": t * np.sin(9 * t)})
    >>> found = find_neighbors(spiral, 5, params={"n_estimators": 50, "min_parent": 20})
    >>> found.columns, found.distances.shape
    (('x', 'y'), (200, 5))
    >>> near = found.frame()
    >>> bool((near["id"] - near["neighbor"]).abs().median() < 10)
    True
    """
    image = sides(shape)
    if method is None:
        method = _WITHOUT_SHAPE if image is None else _WITH_SHAPE
    given = checked(method, params, "neighbors", image)
    gaps = _gaps(method, missing, given)
    screening = None if screen is None else Screening.checked(screen, level, ADJUST, seed, n_jobs)
    require_no_screen(screen, shape)
    require_seed(seed)
    # pixels that never vary belong to the image: they stay
    whole = image is not None or method == _WITH_SHAPE
    data = read_table(
        table, columns, identifier, gaps=gaps, constant=whole, drop=missing == "drop",
        ways=("drop", "random"), **how,
    )  # fmt: skip
    require_columns(shape, data.points.shape[1])
    n = len(data.points)
    if not 1 <= k <= n - 1:
        raise DataError(
            f"{spell('k', k)}: {data.name} has {n} rows, so that 1 to {n - 1} are possible"
        )
    require_room_for_lists(spell("k", k), n, k)
    made = METHODS[method].load()
    if isinstance(made, type) and not hasattr(made, "kneighbors"):
        require_room_for_matrix(method, n)  # before a screen takes its time
    notes = list(data.notes)
    dropped: list[str] = []
    if screening is not None:
        screened = screening.keep(data.points, data.sources, data.name)
        notes.append(screened.sentence())
        dropped = screened.dropped()
        data = data.only(screened.among(data.sources))
    rescale, note = chosen_scale(method, scale, data.points, images=whole)
    notes += [note] if note else []
    if method in {_WITH_SHAPE, _WITHOUT_SHAPE}:
        # leaves large enough for as many neighbours as are asked for
        given.setdefault("n_neighbors", k)
        if method == _WITH_SHAPE and n > _MANY_ROWS and "max_search" not in given:
            given["max_search"] = _SEARCH
            notes.append(
                f"{n} rows: nodes of more than {_SEARCH} rows choose their cut on that many of "
                f"them ({spell('params', {'max_search': None})}: on all)"
            )
    for note in (*notes, data.used()):
        on_note(note)
    unfitted = build(method, given, seed=seed, n_jobs=n_jobs or -1)
    if (trees := getattr(unfitted, "n_estimators", 0)) and isinstance(unfitted, _Forest):
        require_room_for_trees(spell("params", {"n_estimators": trees}), n, trees)
    points = data.points if rescale == "none" else scaled(data.points, rescale)
    distances, indices = _nearest(unfitted, method, points, k, seed)
    of_forest = isinstance(unfitted, _Forest)
    return Neighbors(
        data.ids, distances, indices, data.columns, tuple(notes), of_forest, tuple(dropped),
        data.path, data.left_out,
    )  # fmt: skip


def _gaps(method: str, missing: Missing, given: dict[str, Any]) -> bool:
    """Tell the method about missing values; return whether it takes them."""
    if missing in {"refuse", "drop"}:
        return False
    if not takes_gaps(method):
        place = spell("missing", missing)
        raise UserError(f"{place}: {method} takes no missing values; geodesic_forest does")
    given.setdefault("missing", missing)
    return True


def takes_gaps(method: str) -> bool:
    """Return whether a method of neighbours takes missing values.

    Examples
    --------
    >>> takes_gaps("geodesic_forest"), takes_gaps("isomap")
    (True, False)
    """
    return "missing" in parameter_model(METHODS[method].load()).model_fields


@runtime_checkable
class _Search(Protocol):
    def fit(self, X: Points) -> Self: ...
    def kneighbors(self, *, n_neighbors: int) -> tuple[Floats, Indices]: ...


@runtime_checkable
class _Matrix(Protocol):
    def fit(self, X: Points) -> Self: ...
    def distances(self) -> Floats: ...


@runtime_checkable
class _Forest(Protocol):
    def proximity(self) -> Floats: ...


def _nearest(
    unfitted: object, method: str, points: Points, k: int, seed: int
) -> tuple[Floats, Indices]:
    # a method around another one may have kneighbors by its class alone
    if isinstance(unfitted, _Search) and hasattr(unfitted, "kneighbors"):
        return unfitted.fit(points).kneighbors(n_neighbors=k)
    if not isinstance(unfitted, _Matrix):
        raise UserError(f"{spell('method', method)}: it has neither kneighbors nor distances")
    require_room_for_matrix(method, len(points))
    matrix = unfitted.fit(points).distances()
    indices = rank_neighbors(matrix, k, "random", np.random.default_rng(seed))
    return np.take_along_axis(matrix, indices, axis=1), indices
