"""Lists of neighbours, with the names of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Neighbors"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


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
        The file that was read.
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

    def frame(self, start: int = 0, stop: int | None = None) -> pd.DataFrame:
        """Return one line per pair: id, rank, neighbor, distance, and proximity for forests.

        Of the rows from `start` to `stop`, by default of all.
        """
        part, names = slice(start, stop), self.ids.to_numpy()
        size, k = self.indices[part].shape
        lines = pd.DataFrame({
            "id": np.repeat(names[part], k), "rank": np.tile(np.arange(1, k + 1), size),
            "neighbor": names[self.indices[part].ravel()],
            "distance": self.distances[part].ravel(),
        })  # fmt: skip
        return lines.assign(proximity=1.0 - lines["distance"]) if self.of_forest else lines
