"""Error rates and power of the rules for each kind of metric; prints tables of docs/verdicts.md.

``python -m tools.kind_errors`` simulates populations of each kind.
``python -m tools.kind_errors ROWS METRIC`` draws from the rows of a run with many repetitions
instead, such as ``geoforest run noise_low --profile smoke --set repetitions=40`` writes.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from geoforest_cli.problems.metrics.kinds import (
    METRIC_KINDS,
    REAL,
    MetricKind,
    average,
    bounded,
    positive,
)
from geoforest_cli.study.claims.decision import ALPHA
from geoforest_cli.study.claims.estimates import estimate
from geoforest_cli.study.frames import grid_columns

__all__ = ["REPETITIONS", "populations", "wrong"]

Floats = np.ndarray[Any, np.dtype[np.float64]]
Population = tuple[Floats, MetricKind]
REPETITIONS = (3, 5, 10, 20, 40)
LEADS = (0.1, 0.2, 0.5, 0.8)
_SEED = 20261123


def populations() -> dict[str, Population]:
    """Return values of the shapes that claims judge, each with its kind."""
    rng = np.random.default_rng(_SEED)
    scores = np.r_[np.ones(120), rng.uniform(0.8, 1, 50), rng.uniform(-0.1, 0.2, 30)]
    failing = np.r_[rng.normal(0.8, 0.05, 180), rng.uniform(-0.1, 0.1, 20)]
    return {
        "share, true value .95": (np.r_[np.ones(190), np.zeros(10)], bounded()),
        "share, true value .5": (np.r_[np.ones(100), np.zeros(100)], bounded()),
        "clustering score that fails at times": (scores, bounded(-1, 1)),
        "difference of two such scores": (scores - rng.permutation(scores), bounded(-2, 2)),
        "correlation with 10 % failures": (failing, bounded(-1, 1)),
        "average": (rng.normal(0.6, 0.05, 200), average()),
        "average near 1": (1 - np.minimum(rng.exponential(0.01, 200), 1), average()),
        "time, lognormal": (np.exp(rng.normal(0, 0.5, 200)), positive),
    }


def wrong(population: Population, repetitions: int, simulations: int = 1000) -> tuple[float, float]:
    """Return how often a mean is called above and below its true value."""
    values, kind = population
    logs = kind == positive
    mean = math.exp(float(np.log(values).mean())) if logs else float(values.mean())
    rng = np.random.default_rng([_SEED, repetitions])
    drawn = [estimate(x, kind) for x in rng.choice(values, (simulations, repetitions))]
    above = np.mean([found.p_inside(mean, math.inf) <= ALPHA for found in drawn])
    return float(above), float(
        np.mean([found.p_outside(mean, math.inf) <= ALPHA for found in drawn])
    )


def _power(kind: MetricKind, lead: float, repetitions: int, simulations: int = 300) -> float:
    """Return how often a mean difference of so much is called above 0; its spread is 0.05."""
    rng = np.random.default_rng([_SEED, repetitions])
    drawn = np.clip(rng.normal(lead, 0.05, (simulations, repetitions)), kind.low, kind.high)
    return float(np.mean([estimate(x, kind).p_inside(0, math.inf) <= ALPHA for x in drawn]))


def _of_rows(path: str, metric: str) -> Iterator[tuple[str, Population]]:
    """Yield the values of each method and point, and the differences at each point."""
    frame = pd.read_csv(path)
    frame = frame[(frame["metric"] == metric) & (frame["status"] == "ok")]
    kind = METRIC_KINDS.get(metric, REAL)
    for _, at in frame.groupby(list(grid_columns(frame)), dropna=False):
        wide = at.pivot_table(index="repetition", columns=["method", "variant"], values="value")
        columns = [wide[name].dropna().to_numpy() for name in wide]
        yield from (("values", (column, kind)) for column in columns)
        pairs = [pair for pair in itertools.combinations(columns, 2) if len({*map(len, pair)}) == 1]
        yield from (("differences", (a - b, kind.difference())) for a, b in pairs)


def _line(name: str, several: list[Population], simulations: int) -> str:
    cells = []
    for repetitions in REPETITIONS:
        rates = np.mean([wrong(one, repetitions, simulations) for one in several], axis=0)
        cells.append(f"{rates[0]:.3f} / {rates[1]:.3f}")
    return f"| {' | '.join([name, *cells])} |"


def tables(sources: Mapping[str, list[Population]], simulations: int) -> Iterator[str]:
    """Yield the lines of the table of error rates: falsely above / falsely below."""
    yield f"| values | {' | '.join(f'{n} repetitions' for n in REPETITIONS)} |"
    yield "| --- |" + " --- |" * len(REPETITIONS)
    for name, several in sources.items():
        yield _line(name, several, simulations)


def _powers() -> Iterator[str]:
    yield f"| difference | lead | {' | '.join(f'{n} repetitions' for n in REPETITIONS)} |"
    yield "| --- | --- |" + " --- |" * len(REPETITIONS)
    for name, kind in {"averages": average(-1, 1), "shares and scores": bounded(-1, 1)}.items():
        for lead in LEADS:
            cells = [f"{_power(kind, lead, n):.2f}" for n in REPETITIONS]
            yield f"| {' | '.join([name, f'{lead:g}', *cells])} |"


def _main(arguments: list[str]) -> None:
    if arguments:
        sources: dict[str, list[Population]] = {}
        for name, population in _of_rows(*arguments):
            sources.setdefault(name, []).append(population)
        lines = list(tables(sources, 20))
    else:
        lines = [*tables({k: [v] for k, v in populations().items()}, 1000), "", *_powers()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    _main(sys.argv[1:])
