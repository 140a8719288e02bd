"""Other rules for choosing columns without labels, to be compared with."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.stats import kurtosistest, norm
from sklearn.neighbors import kneighbors_graph

from geoforest_cli.estimators.base.parameters import PositiveInt, root_seed
from geoforest_cli.estimators.base.scaling import Rescale, Scaling
from geoforest_cli.estimators.screening.base import ColumnTests, Screen

__all__ = ["AllColumns", "KurtosisScreen", "LaplacianScreen", "VarianceScreen"]

Floats = npt.NDArray[np.float64]
_FEWEST_FOR_KURTOSIS = 20  # rows, below which the test's p-value is inaccurate
_SCORES, _MOST_TABLES = 2000, 20  # of permuted columns


class AllColumns(Screen):
    """Keeps every column: what it is like without a screen.

    Examples
    --------
    >>> AllColumns().fit([[1.0, 2.0], [3.0, 4.0]]).get_support().tolist()
    [True, True]
    """

    def __init__(self) -> None:
        super().__init__(level=0.5)

    def _test_columns(self, table: npt.NDArray[Any]) -> ColumnTests:
        return ColumnTests.untested(table.shape[1])

    def _select(self, tested: npt.NDArray[np.bool_]) -> None:
        super()._select(tested)
        self.support_ = np.ones(len(tested), np.bool_)


class KurtosisScreen(Screen):
    """Keeps columns whose own kurtosis is not that of a normal distribution.

    A marginal screen: it looks at no other column, so that noise which is not normal is kept, and
    normal columns are lost however they depend on one another.

    Parameters
    ----------
    level : float
    adjust : {"fdr", "fwer"}

    References
    ----------
    Anscombe and Glynn, Distribution of the kurtosis statistic b2 for normal samples, Biometrika 70,
    1983.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.c_[rng.uniform(size=200), rng.normal(size=(200, 2))]
    >>> KurtosisScreen().fit(X).get_support().tolist()
    [True, False, False]
    """

    def _test_columns(self, table: npt.NDArray[Any]) -> ColumnTests:
        p = table.shape[1]
        scores, pvalues = np.zeros(p), np.ones(p)
        rows = (~np.isnan(table)).sum(axis=0)
        tested = _varying(table) & (rows >= _FEWEST_FOR_KURTOSIS)
        scaled = _standardised(table)
        for gaps in (False, True):
            columns = np.flatnonzero(tested & ((rows < len(table)) == gaps))
            if len(columns):
                test = kurtosistest(scaled[:, columns], nan_policy="omit" if gaps else "propagate")
                scores[columns] = np.abs(np.asarray(test.statistic, np.float64))
                pvalues[columns] = np.asarray(test.pvalue, np.float64)
        return ColumnTests.of(scores, pvalues, tested)


class VarianceScreen(Screen):
    """Keeps columns whose variance stands out from that of the others.

    A ranking by variance has no error rate of its own. This one takes the logarithms of all
    variances for a normal sample, its centre and spread from their median and median absolute
    deviation, and keeps outliers on both sides: most columns must be noise, and of one scale.

    Parameters
    ----------
    level : float
    adjust : {"fdr", "fwer"}

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.c_[9 * rng.normal(size=200), rng.normal(size=(200, 30))]
    >>> VarianceScreen().fit(X).get_support(indices=True).tolist()
    [0]
    """

    def _test_columns(self, table: npt.NDArray[Any]) -> ColumnTests:
        p = table.shape[1]
        tested = _varying(table)
        if not tested.any():
            return ColumnTests.untested(p)
        # as Scaling does: squares of very small or large numbers leave the range of their type
        columns = table[:, tested].astype(np.float64)
        low = np.nanmin(columns, axis=0)
        span = np.nanmax(columns, axis=0) - low
        logs = 2 * (np.log(np.nanstd((columns - low) / span, axis=0)) + np.log(span))
        off = logs - np.median(logs)
        spread = float(np.median(np.abs(off))) / norm.ppf(0.75)
        scores = np.zeros(p)
        scores[tested] = np.abs(off) / spread if spread > 0 else 0.0
        return ColumnTests.of(scores, 2 * norm.sf(scores), tested)


class LaplacianScreen(Screen):
    """Keeps columns that are smooth over the graph of nearest neighbours: the Laplacian score.

    With the graph's weights S, degrees D and L = D - S, a column f, less its mean weighted by D,
    has the score f'Lf / f'Df, small where neighbours have near values. Every column is smooth over
    a graph that it has helped to build, so the score is compared with those of permuted columns
    over the graph of the permuted table.

    Parameters
    ----------
    n_neighbors : int
        k of the graph, in which two rows are joined if either is among the other's nearest.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured.
    level : float
    adjust : {"fdr", "fwer"}
    random_state : int, RandomState or None

    Notes
    -----
    Weights are exp(-d^2 / h), h the mean squared distance d^2 of neighbours. A missing value is
    taken for its column's mean. P-values are those of a normal distribution of the permuted scores.

    References
    ----------
    He, Cai and Niyogi, Laplacian score for feature selection, NIPS 2005.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=200)
    >>> X = np.c_[t, t**2, t**3, rng.normal(size=(200, 6))]
    >>> LaplacianScreen(random_state=0).fit(X).get_support(indices=True).tolist()
    [0, 1, 2]
    """

    n_neighbors: PositiveInt = field(default=5, kw_only=False)
    rescale: Rescale = "standardise"
    random_state: Any = None

    def _test_columns(self, table: npt.NDArray[Any]) -> ColumnTests:
        n, p = table.shape
        tested = _varying(table)
        if not tested.any() or n < 3:
            return ColumnTests.untested(p)
        points = table[:, tested].astype(np.float64)
        points = np.where(np.isnan(points), np.nanmean(points, axis=0), points)
        points = Scaling.fit(points, self.rescale).apply(points)
        rng = np.random.default_rng(root_seed(self.random_state))
        roughness = self._roughness(points)
        tables = min(-(-_SCORES // len(roughness)), _MOST_TABLES)
        null = np.concatenate(
            [self._roughness(rng.permuted(points, axis=0)) for _ in range(tables)]
        )
        scores = np.zeros(p)
        spread = float(null.std())
        scores[tested] = (null.mean() - roughness) / spread if spread > 0 else 0.0
        return ColumnTests.of(scores, norm.sf(scores), tested)

    def _roughness(self, points: Floats) -> Floats:
        """Return the Laplacian score of each column over the graph of all."""
        k = min(self.n_neighbors, len(points) - 1)
        graph = csr_array(kneighbors_graph(points, k, mode="distance"))
        # a distance of zero between copies is not the lack of an edge
        graph.data += 1.0
        graph = graph.maximum(graph.T)
        squares = (graph.data - 1.0) ** 2
        width = float(squares.mean())
        graph.data = np.exp(-squares / width) if width > 0 else np.ones_like(squares)
        degree = np.asarray(graph.sum(axis=1)).ravel()
        centred = points - (degree @ points) / degree.sum()
        spread = degree @ centred**2
        smooth = spread - (centred * (graph @ centred)).sum(axis=0)
        roughness: Floats = np.where(spread > 0, smooth / np.where(spread > 0, spread, 1.0), 1.0)
        return roughness


def _varying(table: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Tell which columns have two unequal values."""
    full = ~np.isnan(table).all(axis=0)
    varies = np.zeros(table.shape[1], np.bool_)
    varies[full] = np.nanmin(table[:, full], axis=0) < np.nanmax(table[:, full], axis=0)
    return varies


def _standardised(table: npt.NDArray[Any]) -> Floats:
    """Return the columns on a scale where their fourth powers can be had."""
    wide = table.astype(np.float64)
    varying = _varying(table)
    low, high = np.zeros(len(varying)), np.ones(len(varying))
    low[varying] = np.nanmin(wide[:, varying], axis=0)
    high[varying] = np.nanmax(wide[:, varying], axis=0)
    scaled: Floats = (wide - low) / (high - low)
    return scaled
