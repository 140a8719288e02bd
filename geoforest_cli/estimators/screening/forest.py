"""Columns that trees of the other columns know something about."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from geoforest_cli.core.threads import mapped
from geoforest_cli.estimators.base.parameters import Jobs, PositiveInt, root_seed
from geoforest_cli.estimators.screening.base import ColumnTests, Screen, Table, dense
from geoforest_cli.estimators.screening.bins import Binned, Bins
from geoforest_cli.estimators.screening.counts import counted
from geoforest_cli.estimators.screening.moments import MIN_ROWS
from geoforest_cli.estimators.screening.power import nearly_normal
from geoforest_cli.estimators.screening.trees import column_scores, grow_trees, tables_of

__all__ = ["ForestScreen"]

Floats = npt.NDArray[np.float64]
_COLUMNS_AT_ONCE = 512


class ForestScreen(Screen):
    r"""Keeps columns that trees of other columns tell something about.

    Trees cut single columns by delta-BIC, on random halves of the columns: on one half and then on
    the other. A column, cut into bins as in `PairScreen`, is judged by the trees that never saw it,
    by how far its bins and their leaves have rows in common,

    .. math:: T = \sum_t \frac{1}{\sqrt{k_t - 1}}
        \Big(\sum_{ab} \frac{n_{tab}^2}{l_{ta} c_b} - 1\Big)

    over trees t with leaves of l_ta rows, k_t of them, and bins of c_b rows. If the column is
    independent of the others together, its rows may be permuted whatever the trees have done: T
    has the exact mean and variance of a permuted quadratic form, its matrix the projections on the
    leaves added up. With its skewness they give a z by Wilson and Hilferty's cube root. No column
    is permuted and no distribution assumed: the level holds for columns of any shape.

    The power does depend on their shape, though not on their units: trees cut where a column is
    two clusters, and a skewed or heavy-tailed column looks like two. So columns are transformed
    first by the power that makes them most normal, see `screening.power.nearly_normal`: `exp` and
    the cube of normal-like columns are undone. Among bounded or multi-modal noise columns take
    `PairScreen`, for which only the order of values counts, or `ColumnScreen`, which keeps what
    either finds.

    It sees a column that depends on several others together though on none alone (parity), if the
    trees find these others: they cut where a column, or what is left of it in a node, is two
    clusters.

    Parameters
    ----------
    level : float
        Columns with an adjusted p-value of at most this are kept.
    adjust : {"fdr", "fwer"}
        As for `PairScreen`.
    bins : int or "auto"
        As for `PairScreen`.
    halves : int
        Random halves of the columns.
    trees : int
        Trees on each of them.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    random_state : int, RandomState or None

    Notes
    -----
    A row without a value is left out where its column is judged; trees, which need all values,
    have it drawn from the others of its column.

    Limits: those of `PairScreen`, but for parity. Where noise columns are as bimodal as the
    manifold's (permuted copies of them, say) and many more, trees cut noise and the power is gone.
    Columns of two categories, one of them rare, are not tested: the tail of T is heavier there than
    three moments tell. A tree that has cut on a column, as in an ordinary forest, would be
    worthless: trees are smooth over their own cuts, noise or not.

    References
    ----------
    For the moments see `geoforest_cli.estimators.screening.moments`. Columns are compared with
    permuted copies of themselves by Kursa and Rudnicki, Feature selection with the Boruta
    package, Journal of Statistical Software 36, 2010, for supervised forests.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=300)
    >>> X = np.c_[np.cos(9 * t), np.sin(9 * t), rng.normal(size=(300, 20))]
    >>> ForestScreen(random_state=0).fit(X).get_support(indices=True).tolist()
    [0, 1]
    """

    _sparse: ClassVar[bool] = True
    bins: Bins = "auto"
    halves: PositiveInt = 30
    trees: PositiveInt = 4
    n_jobs: Jobs = None
    random_state: Any = None

    def _test_columns(self, table: Table) -> ColumnTests:
        n, p = table.shape
        binned = Binned.of(table, self.bins)
        usable = np.flatnonzero(binned.n_bins > 1)
        if len(usable) < 2 or n < MIN_ROWS:
            return ColumnTests.untested(p)
        seed = root_seed(self.random_state)
        rng = np.random.default_rng(seed)
        columns = self._columns(table, usable, rng)
        tables = tables_of(columns)
        halves = []
        order = np.arange(len(usable))
        for h in range(self.halves):
            order = rng.permutation(len(usable)) if h % 2 == 0 else order[::-1]
            halves.append(np.sort(order[: (len(usable) + 1) // 2]))
        grown = grow_trees(columns, tables, halves, self.trees, seed, self.n_jobs)
        codes = binned.codes[usable]
        tested = ~binned.rare[usable]
        scores = np.full(len(usable), -np.inf)
        scores[tested] = column_scores(codes[tested], grown.for_columns(tested), self.n_jobs)
        every = np.zeros((2, p))
        every[:, usable] = scores, norm.sf(scores)
        return ColumnTests.of(
            every[0], every[1], np.isin(np.arange(p), usable[np.isfinite(scores)])
        )

    def _columns(
        self, table: Table, usable: npt.NDArray[np.intp], rng: np.random.Generator
    ) -> Floats:
        """Return the usable columns (p, n), filled and nearly normal."""
        columns = np.empty((len(usable), table.shape[0]))
        starts = range(0, len(usable), _COLUMNS_AT_ONCE)
        for start in starts:
            part = columns[start : start + _COLUMNS_AT_ONCE]
            part[:] = _filled(dense(table[:, usable[start : start + _COLUMNS_AT_ONCE]]), rng)

        def transform(start: int) -> None:
            part = columns[start : start + _COLUMNS_AT_ONCE]
            part[:] = nearly_normal(part)

        done = mapped(transform, starts, self.n_jobs)
        sizes = [min(_COLUMNS_AT_ONCE, len(usable) - start) for start in starts]
        list(counted(done, sizes, "columns prepared", len(usable)))
        return columns


def _filled(table: npt.NDArray[Any], rng: np.random.Generator) -> Floats:
    """Return the columns (p, n), missing values drawn from the others: trees need all of them."""
    filled = np.ascontiguousarray(table.T, np.float64)
    for column in np.flatnonzero(np.isnan(filled).any(axis=1)):
        missing = np.isnan(filled[column])
        values = filled[column, ~missing]
        filled[column, missing] = rng.choice(values, int(missing.sum()))
    return filled
