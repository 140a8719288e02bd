"""Nearest neighbours by FLANN."""

import importlib
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.errors import DataError, Unavailable
from geoforest_cli.estimators.base.neighbors import Distances, DistinctNeighbors, Neighbors, Rows
from geoforest_cli.estimators.base.parameters import PositiveInt, seed_31_bits


class Flann(DistinctNeighbors):
    """Neighbours by the FLANN library (pyflann-py3).

    Parameters
    ----------
    algorithm : {"linear", "kdtree", "kmeans"}
        "linear" is exact and deterministic. The others are approximate, and FLANN builds
        them differently in two identical calls, in one process or in two, whatever the seed
        and the number of trees: their rows are not reproducible bit for bit.
    checks : int
        Points compared in an approximate search. With 32, lists of 50 neighbours held .32 to
        .38 of the true ones (measured on 1000 Gaussian points in 13 columns).
    reading : {"neighbors", "indices_as_distances"}
        What the table of neighbour indices is taken for. The authors' script handed it to
        the evaluation as if it were a matrix of distances, which gives chance.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional

    References
    ----------
    Muja and Lowe, VISAPP 2009.
    """

    single: ClassVar[bool] = True
    algorithm: Literal["linear", "kdtree", "kmeans"] = "linear"
    checks: PositiveInt = 32
    reading: Literal["neighbors", "indices_as_distances"] = "neighbors"

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Build the index of the points X (N, p).

        Raises
        ------
        Unavailable
            If the FLANN library cannot be loaded.
        """
        points = self._fit_points(X)
        distinct = self._keep_distinct(points)
        # FLANN is quicker in single precision, which a common offset would use up
        self._centre = points.mean(axis=0, dtype=np.float64)
        indexed = distinct if self.reading == "neighbors" else points
        self.points_ = np.ascontiguousarray(indexed - self._centre, np.float32)
        self._build()
        return self

    def _build(self) -> None:
        self._index = _load().FLANN()
        seed = seed_31_bits(self.random_state) or 0
        self._index.build_index(self.points_, algorithm=self.algorithm, random_seed=seed, cores=1)

    def __getstate__(self) -> dict[str, Any]:
        # the index lives in the library's own memory: a copy builds its own
        state: dict[str, Any] = {**super().__getstate__()}
        state.pop("_index", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "points_"):
            self._build()

    def _find_neighbors(self, X: npt.ArrayLike | None, k: int) -> Neighbors:
        if self.reading == "neighbors":
            return super()._find_neighbors(X, k)
        if X is not None:
            raise DataError("indices can be misread as distances between training points only")
        return self._misread(k)

    def _search(self, points: npt.NDArray[Any] | None, count: int) -> Neighbors:
        at = self.points_ if points is None else points - self._centre
        indices, squared = self._indexed(np.ascontiguousarray(at, np.float32), count)
        return np.sqrt(squared), indices

    def _indexed(self, points: npt.NDArray[np.float32], k: int) -> tuple[Rows, Distances]:
        indices, squared = self._index.nn_index(points, k, checks=self.checks, cores=1)
        shape = len(points), k
        return indices.reshape(shape).astype(np.int64), squared.reshape(shape).astype(np.float64)

    def _misread(self, k: int) -> Neighbors:
        """Rank the columns of the n x n table of indices by their value, as the script did."""
        n = len(self.points_)
        table, _ = self._indexed(self.points_, n)
        ranked = np.argsort(table, axis=1, kind="stable")
        others = ranked[ranked != np.arange(n)[:, None]].reshape(n, n - 1)[:, :k]
        return np.take_along_axis(table, others, axis=1).astype(np.float64), others


def _load() -> Any:
    try:
        return importlib.import_module("pyflann")
    except (ImportError, OSError) as error:
        raise Unavailable(
            f"FLANN cannot be loaded on this machine ({error}); pyflann-py3 carries a library "
            "for x86-64 only"
        ) from error
