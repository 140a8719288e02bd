"""Columns that depend on some other column: chi-square of all pairs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import gamma

from geoforest_cli.forests.forest import n_threads
from geoforest_cli.screening.adjust import Adjust, sidak
from geoforest_cli.screening.base import Level, Positive, Screen, Verdicts
from geoforest_cli.screening.bins import Binned, Bins
from geoforest_cli.screening.kernels import bits

__all__ = ["PairScreen"]

Floats = npt.NDArray[np.float64]
_TILE = 256


class PairScreen(Screen):
    """Keeps columns that depend on some other column.

    Parameters
    ----------
    level : float
    adjust : {"fdr", "fwer"}
    bins : int or "auto"
    null : {"analytic", "permutation"}
    permutations : int
    rounds : int
    n_jobs : int, optional
    random_state : int, RandomState or None

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=300)
    >>> X = np.c_[np.cos(9 * t), np.sin(9 * t), rng.normal(size=(300, 20))]
    >>> screen = PairScreen().fit(X)
    >>> screen.get_support(indices=True).tolist(), screen.partners_[:2].tolist()
    ([0, 1], [1, 0])
    """

    def __init__(
        self,
        *,
        level: Level = 0.01,
        adjust: Adjust = "fwer",
        bins: Bins = "auto",
        null: Literal["analytic", "permutation"] = "analytic",
        permutations: Positive = 200,
        rounds: Positive = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.level = level
        self.adjust = adjust
        self.bins = bins
        self.null = null
        self.permutations = permutations
        self.rounds = rounds
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _judge(self, table: npt.NDArray[Any]) -> Verdicts:
        binned = Binned.of(table, self.bins)
        scores, partners = best_partners(binned, self.n_jobs)
        judged = partners >= 0
        pvalues = np.ones(len(scores))
        most = int(binned.n_bins.max(initial=1))
        rows, columns = np.empty(most), np.empty(most)
        for j in np.flatnonzero(judged).tolist():
            pair = [binned.codes[j], binned.codes[partners[j]]]
            known = (pair[0] >= 0) & (pair[1] >= 0)
            counts = np.zeros((most, most))
            np.add.at(counts, (pair[0][known], pair[1][known]), 1.0)
            value, mean, deviation = bits.measure(counts, most, most, rows, columns)
            pvalues[j] = gamma.sf(value, (mean / deviation) ** 2, scale=deviation**2 / mean)
        return Verdicts.of(scores, sidak(pvalues, max(int(judged.sum()) - 1, 1)), judged, partners)


def best_partners(
    binned: Binned, n_jobs: int | None = None
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return for each column the z of its best partner, and that partner; -1 if there is none."""
    p, n = binned.codes.shape
    first = np.concatenate([[0], np.cumsum(binned.n_bins)])
    words = np.zeros((int(first[-1]), (n + 63) // 64), np.uint64)
    bits.set_bits(binned.codes, first, words)
    most = int(binned.n_bins.max(initial=1))
    score, partner = np.full(p, -np.inf), np.full(p, -1, np.int64)
    edges = [(start, min(start + _TILE, p)) for start in range(0, p, _TILE)]
    tiles = [(a, b) for i, a in enumerate(edges) for b in edges[i:]]

    def search(
        tile: tuple[tuple[int, int], tuple[int, int]],
    ) -> tuple[Floats, npt.NDArray[np.int64]]:
        size = tile[0][1] - tile[0][0] + tile[1][1] - tile[1][0]
        found = np.full(size, -np.inf), np.full(size, -1, np.int64)
        bits.best_of_tile(words, first, *tile[0], *tile[1], most, *found)
        return found

    with ThreadPoolExecutor(n_threads(n_jobs)) as pool:
        for ((i, i_stop), (j, j_stop)), (z, other) in zip(
            tiles, pool.map(search, tiles), strict=True
        ):
            for part, offset in ((slice(i, i_stop), 0), (slice(j, j_stop), i_stop - i)):
                here = slice(offset, offset + part.stop - part.start)
                # equal scores go to the first partner, whatever the order of the tiles
                better = (z[here] > score[part]) | (
                    (z[here] == score[part]) & (other[here] < partner[part])
                )
                score[part][better] = z[here][better]
                partner[part][better] = other[here][better]
    return score, partner
