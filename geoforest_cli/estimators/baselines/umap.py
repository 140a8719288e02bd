"""Distances in a UMAP layout."""

import contextlib
import functools
import inspect
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.copies import distinct_points
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, TwoOrMore, root_seed
from geoforest_cli.estimators.base.table import TableEstimator
from geoforest_cli.estimators.base.validation import require_all_pairs
from geoforest_cli.estimators.baselines.euclidean import pairwise_lengths

__all__ = ["Umap", "keep_compiled", "takes_a_function"]

_MANY_POINTS = 4096  # points: of so many or more UMAP looks for nearest ones approximately


class Umap(TableEstimator):
    """Euclidean distance in a layout by umap-learn.

    Rows that are copies of one another are one point of the layout: among copies alone umap-learn's
    differs from run to run. It is the same for the same seed on one kind of processor; between
    processors it may differ in the last digits.

    Parameters
    ----------
    n_neighbors : int
        Capped at N - 1.
    n_components : int
        Dimensions of the layout.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional

    References
    ----------
    McInnes, Healy and Melville, arXiv 1802.03426.
    """

    single: ClassVar[bool] = True
    n_neighbors: TwoOrMore = field(default=9, kw_only=False)
    n_components: PositiveInt = 2
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Lay out the points X (N, p).

        Raises
        ------
        DataError
            For fewer than 3 distinct points, or values that single precision cannot square.
        """
        table = self._fit_points(X)
        copies = distinct_points(table, root_seed(self.random_state) % 2**64)
        points = table[copies.row]
        if len(points) < 3:
            raise DataError(f"UMAP needs at least 3 distinct points, not {len(points)}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # importing UMAP costs seconds: only those who ask for it pay
            from tqdm import tqdm
            from umap import UMAP

            keep_compiled()
            # tqdm's own lock is a semaphore of the system, which a killed cell leaves behind
            tqdm.set_lock(threading.RLock())

            seed = None if self.random_state is None else int(self.random_state) % 2**32
            n_neighbors = min(self.n_neighbors, len(points) - 1)
            nearest = _nearest(points, n_neighbors) if len(points) < _MANY_POINTS else (None,) * 3
            layout = UMAP(
                n_neighbors=n_neighbors,
                precomputed_knn=nearest,
                n_components=self.n_components,
                # the spectral start needs more points than dimensions
                init="spectral" if len(points) > self.n_components + 2 else "random",
                random_state=seed,
                n_jobs=1,
            )
            placed: npt.NDArray[np.float32] = layout.fit_transform(points)
        self.embedding_ = placed[copies.node]
        return self

    def distances(self) -> npt.NDArray[np.float64]:
        """Return the distances in the layout (N, N)."""
        check_is_fitted(self)
        require_all_pairs(len(self.embedding_), len(self.embedding_))
        lengths: npt.NDArray[np.float64] = cdist(self.embedding_, self.embedding_)
        return lengths


def _nearest(
    points: npt.NDArray[Any], k: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return the k nearest rows of each, itself included, and their distances, as UMAP has them.

    In single precision, equal ones by row. UMAP measures few points pair by pair from Python, which
    takes longer than its layout.
    """
    lengths = pairwise_lengths(points.astype(np.float32))
    nearest = np.argsort(lengths, axis=1, kind="stable")[:, :k]
    distances = np.take_along_axis(lengths, nearest, axis=1)
    return nearest.astype(np.int32), distances.astype(np.float32)


def keep_compiled() -> None:
    """Let numba keep what it compiles of the modules of UMAP that are imported.

    Else every process compiles it anew, for 15 s. A function that is given another one has a new
    type in every process: it is not kept.
    """
    for name in list(sys.modules):
        if name.partition(".")[0] in {"umap", "pynndescent"}:
            _keep_compiled_of(name)


def takes_a_function(function: Callable[..., Any]) -> bool:
    """Return whether a function of UMAP or pynndescent is given another one, by their names for it.

    Examples
    --------
    >>> takes_a_function(lambda data, dist: 0), takes_a_function(lambda data: 0)
    (True, False)
    """
    given = inspect.signature(function).parameters
    return bool(given.keys() & {"dist", "metric", "ground_metric", "kernel"})


@functools.cache
def _keep_compiled_of(name: str) -> None:
    from numba.core.dispatcher import Dispatcher

    for function in vars(sys.modules[name]).values():
        if not isinstance(function, Dispatcher) or function.py_func.__module__ != name:
            continue
        if not takes_a_function(function.py_func):
            with contextlib.suppress(RuntimeError):  # there is no place to keep it
                function.enable_caching()
