"""Lists of neighbours, with the names of their rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.annotated import write_neighbors
from geoforest_cli.tables.kinds import ANNOTATED, kind_of_file
from geoforest_cli.tables.writers import require_output, write_table

__all__ = ["Neighbors"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_BLOCK = 50_000  # rows of the user's table that are written at once


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
    label : str, optional
        The column of classes.
    table : pandas.DataFrame, optional
        The table, all its columns and rows.
    rows : (N,) int64
        Which of its rows have neighbours, from 0.

    Examples
    --------
    >>> from geoforest_cli.tables import find_neighbors
    >>> find_neighbors([[0.0], [1.0], [3.0]], k=1, method="euclidean").frame()
       id  rank  neighbor  distance
    0   0     1         1       1.0
    1   1     1         0       1.0
    2   2     1         1       2.0
    """

    ids: pd.Series[Any] = field(repr=False)
    distances: Floats = field(repr=False)
    indices: Indices = field(repr=False)
    columns: tuple[str, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    of_forest: bool = False
    dropped: tuple[str, ...] = field(default=(), repr=False)
    source: Path | None = None
    left_out: Mapping[str, str] = field(default_factory=dict, repr=False)
    label: str | None = None
    table: pd.DataFrame | None = field(default=None, repr=False)
    rows: Indices = field(default_factory=lambda: np.arange(0), repr=False)

    def frame(self) -> pd.DataFrame:
        """Return one line per pair: id, rank, neighbor, distance, and proximity for forests."""
        return self._lines(slice(0, len(self.indices)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the lines of `frame` to a Parquet, CSV or TSV file, without building them all.

        The neighbours of an .h5ad file may be written to a copy of it, for scanpy to go on: their
        distances and connectivities as ``obsp``, with ``uns["neighbors"]``.

        Raises
        ------
        DataError
            For another ending, a folder that is not there, or the table's own file.
        """
        if self.source is not None and kind_of_file(path) in ANNOTATED:
            output = require_output(path, self.source, annotated=True)
            write_neighbors(self.source, output, self.distances, self.indices)
            return
        write_table(path, self._blocks(), self.source, rounded=("distance", "proximity"))

    def draw(
        self,
        path: str | os.PathLike[str],
        color: str | npt.ArrayLike | None = None,
        seed: int = 0,
    ) -> Path:
        """Draw a map: the rows in two dimensions, neighbours near each other.

        The layout is UMAP's, of these neighbours; `columns` are not looked at again.

        Parameters
        ----------
        path : path
            PNG, SVG or PDF, or an HTML page that works offline: it shows what each row is, zooms,
            and hides classes.
        color : str or (N,) array, optional
            A column of the table, or a value for each row; by default the label. Numbers have a
            scale, text and the label have a colour for each of the 10 largest classes.
        seed : int
            The same seed gives the same map, on one kind of processor.

        Returns
        -------
        Path
            The file: .png is added where there is no ending.

        Raises
        ------
        DataError
            For another ending, a folder that is not there, the table's own file, or a column that
            the table does not have.
        UserError
            For values that are not one for each row.
        """
        from geoforest_cli.tables.map_files import write_map

        return write_map(self, Path(path), color, seed)

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
