"""How long cells will take, from how long others took."""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from geoforest_cli.engine.executor import Cell, Outcome
from geoforest_cli.engine.store import Record, identity

__all__ = ["Estimator", "time_left"]

_KINSHIP: tuple[tuple[str, ...], ...] = (
    ("method", "variant", "point", "params", "method_params"),  # another repetition
    ("method", "variant", "point"),  # another profile
    ("method", "variant"),
)


class Estimator:
    """Expected seconds of a cell: its own earlier time, else the median of its nearest kin.

    Kin are, from near to far, its other repetitions, the same grid point at another size, and
    any cell of the same method and variant.

    Parameters
    ----------
    records : iterable of Record
        What the store holds.

    Examples
    --------
    >>> cell = {"method": "gf", "variant": "as_run", "point": {"noise_dims": 10}}
    >>> estimator = Estimator([Record("a1", "ok", seconds=3.0, identity=cell)])
    >>> estimator.seconds("b2", {**cell, "point": {"noise_dims": 50}})
    3.0
    >>> estimator.seconds("c3", {**cell, "method": "umap"}) is None
    True
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._own: dict[str, float] = {}
        self._kin: dict[str, list[float]] = defaultdict(list)
        self._names: dict[str, list[str]] = {}
        for record in records:
            self.add(record, record.identity)

    def add(self, outcome: Outcome, known: Mapping[str, Any]) -> None:
        """Learn from one more outcome; a cell that failed or crashed tells nothing."""
        if outcome.status not in {"ok", "timeout"}:
            return
        self._own[outcome.key] = outcome.seconds
        for name in self._kinds(outcome.key, known):
            self._kin[name].append(outcome.seconds)

    def seconds(self, key: str, known: Mapping[str, Any]) -> float | None:
        """Return the expected seconds of a cell, None when nothing is known of its like."""
        if key in self._own:
            return self._own[key]
        for name in self._kinds(key, known):
            if name in self._kin:
                return statistics.median(self._kin[name])
        return None

    def expected(self, cells: Iterable[Cell]) -> dict[str, float]:
        """Return the expected seconds by key, of those cells for which anything is known."""
        pairs = ((cell.key, self.seconds(cell.key, identity(cell))) for cell in cells)
        return {key: seconds for key, seconds in pairs if seconds is not None}

    def _kinds(self, key: str, known: Mapping[str, Any]) -> list[str]:
        if key not in self._names:
            self._names[key] = [
                json.dumps([known.get(part) for part in parts], sort_keys=True, default=str)
                for parts in _KINSHIP
            ]
        return self._names[key]


def time_left(
    estimator: Estimator, cells: Iterable[Cell], elapsed: Mapping[str, float], jobs: int
) -> float | None:
    """Return the expected seconds until the cells are done, None when nothing is known.

    Parameters
    ----------
    estimator : Estimator
        Knows the cells, or others like them; a cell it does not know counts as their mean.
    cells : iterable of Cell
        Those that run or wait.
    elapsed : mapping of str to float
        Seconds since the start of those that run, by key.
    jobs : int
        How many run at once.
    """
    waiting = list(cells)
    expected = estimator.expected(waiting)
    if not expected:
        return 0.0 if not waiting else None
    typical = statistics.fmean(expected.values())
    rests = [
        max(0.0, expected.get(cell.key, typical) - elapsed.get(cell.key, 0.0)) for cell in waiting
    ]
    return max(sum(rests) / jobs, *rests)
