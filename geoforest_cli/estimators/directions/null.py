"""Largest contrast that the search finds in normal noise, where there is nothing."""

from __future__ import annotations

import functools
import json
import math
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.directions.gumbel import Gumbel, gumbel_of
from geoforest_cli.estimators.directions.search import strongest
from geoforest_cli.estimators.directions.whitening import whiten

__all__ = ["null_of", "simulated"]

Floats = npt.NDArray[np.float64]
_SIMULATED = 30  # tables, for sizes outside of the tabulated ones
_SEED = 20261124
_LEAST_SCALE = 0.03  # of few rows per column all tables give nearly the same


def simulated(n: int, rank: int, tables: int, seed: int = _SEED) -> Gumbel:
    """Search `tables` tables of n rows and `rank` columns of normal noise.

    Parameters
    ----------
    n, rank : int
    tables : int
    seed : int

    Returns
    -------
    Gumbel
        Fitted to the largest contrast of each table.
    """
    draws = []
    for number in range(tables):
        rng = np.random.default_rng([seed, n, rank, number])
        draws.append(strongest(whiten(rng.normal(size=(n, rank))).scores, rng).z)
    fitted = gumbel_of(draws)
    return Gumbel(fitted.mode, max(fitted.scale, _LEAST_SCALE))


@functools.lru_cache(maxsize=256)
def null_of(n: int, rank: int) -> Gumbel:
    """Return the distribution of the largest contrast in normal noise of n rows and a rank.

    From the table of the package, by monotone cubic curves in the square root of the rank and in
    log n: the mode is concave in both, so that straight lines would be too low between the
    tabulated sizes. More rows count as the most that are tabulated, whose null is no looser. By a
    simulation for other sizes, which takes 30 searches.
    """
    table = _table()
    rows, ranks = table["rows"], table["ranks"]
    n = min(n, rows[-1])
    if not (rows[0] <= n <= rows[-1] and ranks[0] <= rank <= ranks[-1]):
        return simulated(n, rank, _SIMULATED)
    values = [
        _interpolated(np.log(rows), np.sqrt(ranks), np.array(table[name]), n, rank)
        for name in ("mode", "scale")
    ]
    return Gumbel(*values)


@functools.cache
def _table() -> dict[str, Any]:
    text = files(__package__).joinpath("null.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def _interpolated(rows: Floats, ranks: Floats, values: Floats, n: int, rank: int) -> float:
    from scipy.interpolate import PchipInterpolator

    by_row = [float(PchipInterpolator(ranks, line)(math.sqrt(rank))) for line in values]
    return float(PchipInterpolator(rows, by_row)(math.log(n)))
