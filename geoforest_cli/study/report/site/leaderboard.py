"""Standings of the config ``leaderboard``: mean ranks of its methods over shapes."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from geoforest_cli.study.intervals import half_width

__all__ = ["ABOUT", "NOISE", "Standing", "standings"]

NOISE = (0, 10, 100)
ABOUT = (
    "Ranks by precision on each shape of 300 points, averaged over 0, 10 and 100 normal noise "
    "columns; mean over shapes ± half its 95 % t interval. SMERF, which is given the true "
    "distances, has no rank."
)
_RANKED = (
    "metric == 'precision' and variant == 'recommended' and method != 'supervised' "
    "and n == 300 and noise_kind == 'normal'"
)


class Standing(NamedTuple):
    """A method of the leaderboard.

    Attributes
    ----------
    method : str
    rank : float
        Mean over shapes; 1 is best.
    half : float or None
        Half the 95 % t interval over shapes; None for a single one.
    means : list of float
        Precision by number of noise columns, see `NOISE`; mean over shapes.
    """

    method: str
    rank: float
    half: float | None
    means: list[float]


def standings(lines: pd.DataFrame) -> list[Standing]:
    """Return the methods of the leaderboard, the smallest mean rank first.

    Parameters
    ----------
    lines : pandas.DataFrame
        The config's summary.
    """
    ranked = lines.query(_RANKED)
    means = ranked.pivot_table("mean", ["manifold", "noise_dims"], "method").dropna()
    ranks = means.rank(axis=1, ascending=False).groupby("manifold").mean()
    by_noise = means.groupby("noise_dims").mean().reindex(NOISE)
    return [
        Standing(str(name), rank, half_width(list(ranks[name])), list(by_noise[name]))
        for name, rank in ranks.mean().sort_values().items()
    ]
