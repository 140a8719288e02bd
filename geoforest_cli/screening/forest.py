"""Columns that trees of the other columns know something about."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from geoforest_cli.forests.forest import n_threads
from geoforest_cli.forests.growth import Growth, grow_forest, root_seed
from geoforest_cli.screening.adjust import Adjust
from geoforest_cli.screening.base import Level, Positive, Screen, Verdicts
from geoforest_cli.screening.bins import Binned, Bins
from geoforest_cli.screening.kernels import leaves

__all__ = ["ForestScreen"]

Floats = npt.NDArray[np.float64]


class ForestScreen(Screen):
    """Keeps columns that trees of the other columns tell something about.

    Parameters
    ----------
    level : float
    adjust : {"fdr", "fwer"}
    bins : int or "auto"
    halves : int
    trees : int
    rounds : int
    n_jobs : int, optional
    random_state : int, RandomState or None

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=300)
    >>> X = np.c_[np.cos(9 * t), np.sin(9 * t), rng.normal(size=(300, 20))]
    >>> ForestScreen(random_state=0).fit(X).get_support(indices=True).tolist()
    [0, 1]
    """

    def __init__(
        self,
        *,
        level: Level = 0.01,
        adjust: Adjust = "fwer",
        bins: Bins = "auto",
        halves: Positive = 30,
        trees: Positive = 4,
        rounds: Positive = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.level = level
        self.adjust = adjust
        self.bins = bins
        self.halves = halves
        self.trees = trees
        self.rounds = rounds
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _judge(self, table: npt.NDArray[Any]) -> Verdicts:
        n, p = table.shape
        binned = Binned.of(table, self.bins)
        judged = binned.n_bins > 1
        if judged.sum() < 2 or n < 4:
            return Verdicts.of(np.zeros(p), np.ones(p), np.zeros(p, np.bool_))
        seed = root_seed(self.random_state)
        rng = np.random.default_rng(seed)
        filled = _filled(table, rng)
        copies = rng.permuted(binned.codes, axis=1)
        both = np.concatenate([binned.codes, copies])
        total, count = np.zeros(2 * p), np.zeros(2 * p)
        usable = np.flatnonzero(judged)
        growth = Growth(
            criterion="delta_bic",
            sampler="axis",
            n_projections=max(1, math.ceil(math.sqrt(len(usable) / 2))),
            n_nonzeros=0,
            min_parent=max(4, min(100, round(2 * math.sqrt(n)))),
            min_share=0.125,
            variance_floor=0.015,
            good=0.0,
            max_projections=20 * math.ceil(math.sqrt(len(usable) / 2)),
        )
        turn = usable
        for h in range(self.halves):
            turn = rng.permutation(usable) if h % 2 == 0 else turn[::-1]
            middle = (len(usable) + 1) // 2
            seen, unseen = np.sort(turn[:middle]), np.sort(turn[middle:])
            forest = grow_forest(filled[:, seen], growth, self.trees, seed + h, n_jobs=self.n_jobs)
            columns = np.concatenate([unseen, unseen + p])
            for leaf in forest.leaf_of:
                number = np.unique(leaf, return_inverse=True)[1].astype(np.int32)
                if number.max() > 0:
                    total[columns] += self._scores(both, columns, number)
                    count[columns] += 1
        mean = total / np.maximum(np.sqrt(count), 1)
        null = mean[p:][judged]
        spread = float(null.std()) if len(null) > 1 else 1.0
        scores = mean[:p] / (spread if spread > 0 else 1.0)
        return Verdicts.of(scores, norm.sf(scores), judged)

    def _scores(
        self,
        codes: npt.NDArray[np.int8],
        columns: npt.NDArray[np.int64],
        leaf: npt.NDArray[np.int32],
    ) -> Floats:
        found = np.empty(len(columns))
        parts = np.array_split(np.arange(len(columns)), n_threads(self.n_jobs))

        def judge(part: npt.NDArray[np.int64]) -> None:
            most, size = int(codes.max()) + 1, int(leaf.max()) + 1
            scores = np.empty(len(part))
            leaves.scores(codes, columns[part], leaf, most, size, scores)
            found[part] = scores

        with ThreadPoolExecutor(len(parts)) as pool:
            list(pool.map(judge, parts))
        return found


def _filled(table: npt.NDArray[Any], rng: np.random.Generator) -> Floats:
    """Draw missing values from those of their column: trees need a complete table."""
    filled = np.array(table, np.float64)
    for j in np.flatnonzero(np.isnan(filled).any(axis=0)).tolist():
        missing = np.isnan(filled[:, j])
        known = filled[~missing, j]
        filled[missing, j] = rng.choice(known, int(missing.sum())) if len(known) else 0.0
    return filled
