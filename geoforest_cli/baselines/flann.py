"""Nearest neighbours by FLANN."""

import importlib
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.baselines._validate import LARGEST_SINGLE, check_points
from geoforest_cli.errors import DataError, Unavailable


class Flann:
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
    random_state : int, optional

    References
    ----------
    Muja and Lowe, VISAPP 2009.
    """

    def __init__(
        self,
        *,
        algorithm: Literal["linear", "kdtree", "kmeans"] = "linear",
        checks: Annotated[int, Field(ge=1)] = 32,
        reading: Literal["neighbors", "indices_as_distances"] = "neighbors",
        random_state: int | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.checks = checks
        self.reading = reading
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Build the index of the points X (N, p).

        Raises
        ------
        Unavailable
            If the FLANN library cannot be loaded.
        """
        points = check_points(X, LARGEST_SINGLE)
        # FLANN is quicker in single precision, which a common offset would use up
        centred = points - points.mean(axis=0, dtype=np.float64)
        self.points_ = np.ascontiguousarray(centred, np.float32)
        library = _load()
        self._index = library.FLANN()
        seed = 0 if self.random_state is None else int(self.random_state) % 2**31
        self._index.build_index(self.points_, algorithm=self.algorithm, random_seed=seed, cores=1)
        return self

    def kneighbors(
        self, n_neighbors: int = 5
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return distances and rows of the nearest other points, both (N, k)."""
        n = len(self.points_)
        if not 1 <= n_neighbors <= n - 1:
            raise DataError(f"k = {n_neighbors} neighbours, but 1 to {n - 1} are possible")
        if self.reading == "indices_as_distances":
            return self._misread(n_neighbors)
        indices, squared = self._search(n_neighbors + 1)
        # the point itself is left out by its row: a duplicate may stand before it
        own = indices == np.arange(n)[:, None]
        own[~own.any(axis=1), -1] = True
        shape = (n, n_neighbors)
        return np.sqrt(squared[~own].reshape(shape)), indices[~own].reshape(shape)

    def _search(self, k: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        indices, squared = self._index.nn_index(self.points_, k, checks=self.checks, cores=1)
        n = len(self.points_)
        return indices.reshape(n, k).astype(np.int64), squared.reshape(n, k).astype(np.float64)

    def _misread(self, k: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Rank the columns of the n x n table of indices by their value, as the script did."""
        n = len(self.points_)
        table, _ = self._search(n)
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
