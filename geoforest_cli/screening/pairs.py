"""Columns that depend on some other column: chi-square of all pairs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from geoforest_cli.forests.forest import n_threads
from geoforest_cli.screening.adjust import Adjust, sidak
from geoforest_cli.screening.base import Level, Positive, Screen, Verdicts
from geoforest_cli.screening.bins import Binned, Bins
from geoforest_cli.screening.kernels import bits
from geoforest_cli.screening.moments import coefficients

__all__ = ["PairScreen", "best_partners"]

Floats = npt.NDArray[np.float64]
Partners = npt.NDArray[np.int64]


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
        pvalues = sidak(norm.sf(scores), max(int(judged.sum()) - 1, 1))
        return Verdicts.of(scores, pvalues, judged, partners)


def best_partners(binned: Binned, n_jobs: int | None = None) -> tuple[Floats, Partners]:
    """Return for each column the z of its best partner, and that partner; -inf, -1 without one."""
    p, n = binned.codes.shape
    blocks, most = -(-p // bits.LANES), int(binned.n_bins.max(initial=2))
    n_words = bits.WORDS_AT_ONCE * -(-n // (64 * bits.WORDS_AT_ONCE))
    words = np.zeros((blocks, most, n_words, bits.LANES), np.uint64)
    bits.set_bits(binned.codes, words)
    n_bins = np.zeros((blocks, bits.LANES), np.int64)
    n_bins.ravel()[:p] = binned.n_bins
    low = 0 if (binned.codes < 0).any() else n
    rule = coefficients(low, n)
    inverse = np.concatenate([[0.0], 1 / np.arange(1, n + 1)])
    score, partner = np.full(n_bins.shape, -np.inf), np.full(n_bins.shape, -1, np.int64)

    def search(i: int) -> tuple[Floats, Partners]:
        found = np.full(n_bins.shape, -np.inf), np.full(n_bins.shape, -1, np.int64)
        work = bits.new_work(most)
        bits.best_of_row(words, n_bins, i, low, rule, inverse, work, *found)
        return found

    with ThreadPoolExecutor(n_threads(n_jobs)) as pool:
        for z, other in pool.map(search, range(blocks)):
            # of equal scores the first partner's is kept, whatever the order of the blocks
            better = (z > score) | ((z == score) & (other < partner))
            score[better], partner[better] = z[better], other[better]
    return score.ravel()[:p], partner.ravel()[:p]
