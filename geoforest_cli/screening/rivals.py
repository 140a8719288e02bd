"""Other rules for choosing columns without labels, to be compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kurtosistest, norm
from sklearn.neighbors import NearestNeighbors

from geoforest_cli.forests.growth import root_seed
from geoforest_cli.screening.adjust import Adjust
from geoforest_cli.screening.base import Level, Positive, Screen, Verdicts

__all__ = ["AllColumns", "KurtosisScreen", "LaplacianScreen", "VarianceScreen"]

Floats = npt.NDArray[np.float64]


class AllColumns(Screen):
    """Keeps every column.

    Examples
    --------
    >>> AllColumns().fit([[1.0, 2.0], [3.0, 4.0]]).get_support().tolist()
    [True, True]
    """

    def _judge(self, table: npt.NDArray[Any]) -> Verdicts:
        p = table.shape[1]
        return Verdicts.of(np.zeros(p), np.zeros(p))


class KurtosisScreen(Screen):
    """Keeps columns whose own kurtosis is not that of a normal distribution.

    Parameters
    ----------
    level : float
    adjust : {"fdr", "fwer"}
    """

    def __init__(self, *, level: Level = 0.01, adjust: Adjust = "fwer") -> None:
        self.level = level
        self.adjust = adjust

    def _judge(self, table: npt.NDArray[Any]) -> Verdicts:
        p = table.shape[1]
        scores, pvalues, judged = np.zeros(p), np.ones(p), np.zeros(p, np.bool_)
        for j in range(p):
            known = table[~np.isnan(table[:, j]), j].astype(np.float64)
            if len(known) >= 5 and known.min() < known.max():
                found = kurtosistest((known - known.mean()) / known.std())
                judged[j] = np.isfinite(found.statistic)
                scores[j], pvalues[j] = abs(found.statistic), found.pvalue
        return Verdicts.of(scores, pvalues, judged)


class VarianceScreen(Screen):
    """Keeps columns whose variance stands out from that of the others.

    Parameters
    ----------
    level : float
    adjust : {"fdr", "fwer"}
    """

    def __init__(self, *, level: Level = 0.01, adjust: Adjust = "fwer") -> None:
        self.level = level
        self.adjust = adjust

    def _judge(self, table: npt.NDArray[Any]) -> Verdicts:
        p = table.shape[1]
        logs, judged = np.zeros(p), np.zeros(p, np.bool_)
        for j in range(p):
            known = table[~np.isnan(table[:, j]), j].astype(np.float64)
            if len(known) >= 2 and known.min() < known.max():
                judged[j], logs[j] = True, 2 * np.log(known.std())
        if not judged.any():
            return Verdicts.of(np.zeros(p), np.ones(p), judged)
        centre = np.median(logs[judged])
        spread = np.median(np.abs(logs[judged] - centre)) / norm.ppf(0.75)
        scores = (logs - centre) / spread if spread > 0 else np.zeros(p)
        return Verdicts.of(np.abs(scores), 2 * norm.sf(np.abs(scores)), judged)


class LaplacianScreen(Screen):
    """Keeps columns that are smooth over the graph of nearest neighbours.

    Parameters
    ----------
    n_neighbors : int
    level : float
    adjust : {"fdr", "fwer"}
    random_state : int, RandomState or None
    """

    def __init__(
        self,
        n_neighbors: Positive = 5,
        *,
        level: Level = 0.01,
        adjust: Adjust = "fwer",
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.level = level
        self.adjust = adjust
        self.random_state = random_state

    def _judge(self, table: npt.NDArray[Any]) -> Verdicts:
        n, p = table.shape
        low, high = np.nanmin(table, axis=0), np.nanmax(table, axis=0)
        judged = (low < high) & ~np.isnan(table).any(axis=0)
        if not judged.any() or n < 4:
            return Verdicts.of(np.zeros(p), np.ones(p), np.zeros(p, np.bool_))
        points = table[:, judged].astype(np.float64)
        points = (points - points.mean(axis=0)) / points.std(axis=0)
        k = min(self.n_neighbors, n - 1)
        near = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(return_distance=False)
        rng = np.random.default_rng(root_seed(self.random_state))
        scores = np.zeros(p)
        found = _roughness(points, near)
        null = _roughness(rng.permuted(points, axis=0), near)
        scores[judged] = (null.mean() - found) / max(float(null.std()), 1e-12)
        return Verdicts.of(scores, norm.sf(scores), judged)


def _roughness(points: Floats, near: npt.NDArray[np.int64]) -> Floats:
    found: Floats = np.zeros(points.shape[1])
    for column in near.T:
        found += ((points - points[column]) ** 2).sum(axis=0)
    return found
