"""Error rates and power of the rules for each kind of metric; prints tables of docs/verdicts.md.

``python -m tools.kind_errors`` draws from populations of each kind.
``python -m tools.kind_errors ROWS METRIC`` draws from the rows of a run with many repetitions
instead, such as ``geoforest run noise_low --profile smoke --set repetitions=40`` writes.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator, Mapping

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
from geoforest_cli.study.frames import grid_columns
from tools.kind_populations import Floats, Population, measured, p_values, shapes, truth

__all__ = ["POWERS", "REPETITIONS", "SIMULATIONS", "found_above", "wrong"]

REPETITIONS = (3, 5, 10, 20, 40)
SIMULATIONS = 20_000
_SEED = 20261123
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]


def wrong(
    population: Population, repetitions: int, simulations: int = SIMULATIONS
) -> tuple[float, float]:
    """Return how often a mean is called above and below its true value."""
    values, kind = population
    rng = np.random.default_rng([_SEED, repetitions])
    drawn = rng.choice(values, (simulations, repetitions))
    above, below = p_values(drawn, kind, truth(population))
    return float(np.mean(above <= ALPHA)), float(np.mean(below <= ALPHA))


def _normal(mean: float, low: float, high: float) -> Draw:
    return lambda rng, shape: np.clip(rng.normal(mean, 0.05, shape), low, high)


def _shares(true: float) -> Draw:
    return lambda rng, shape: (rng.random(shape) < true).astype(float)


def _ratios(true: float) -> Draw:
    return lambda rng, shape: true * np.exp(rng.normal(0, 0.3, shape))


# what, its true value, the bound, its kind, and samples
POWERS: tuple[tuple[str, float, float, MetricKind, Draw], ...] = (
    *(("difference of averages", lead, 0.0, average(-1, 1), _normal(lead, -1, 1))
      for lead in (0.05, 0.1, 0.2, 0.5)),
    *(("difference of shares or scores", lead, 0.0, bounded(-1, 1), _normal(lead, -1, 1))
      for lead in (0.1, 0.2, 0.5, 0.8)),
    *(("share", true, bound, bounded(), _shares(true))
      for true, bound in ((1.0, 0.9), (1.0, 0.5), (0.95, 0.5), (0.8, 0.5))),
    *(("correlation", 0.8, bound, bounded(-1, 1), _normal(0.8, -1, 1))
      for bound in (0.7, 0.5, 0.0)),
    *(("ratio of times", true, 1.0, positive, _ratios(true)) for true in (1.2, 1.5, 2.0)),
)  # fmt: skip


def found_above(
    draw: Draw, kind: MetricKind, bound: float, repetitions: int, simulations: int = SIMULATIONS
) -> float:
    """Return how often a mean that lies above a bound is called so."""
    rng = np.random.default_rng([_SEED, repetitions])
    above, _ = p_values(draw(rng, (simulations, repetitions)), kind, bound)
    return float(np.mean(above <= ALPHA))


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


def error_table(sources: Mapping[str, list[Population]], simulations: int) -> Iterator[str]:
    """Yield the lines of the table of error rates: falsely above / falsely below / covered."""
    yield f"| values | {' | '.join(f'{n} repetitions' for n in REPETITIONS)} |"
    yield "| --- |" + " --- |" * len(REPETITIONS)
    for name, several in sources.items():
        cells = []
        for repetitions in REPETITIONS:
            rates = np.mean([wrong(one, repetitions, simulations) for one in several], axis=0)
            # the interval has the true mean inside where neither test calls it outside
            cells.append(f"{rates[0]:.3f} / {rates[1]:.3f} / {1 - rates.sum():.3f}")
        yield f"| {' | '.join([name, *cells])} |"


def power_table(simulations: int = SIMULATIONS) -> Iterator[str]:
    """Yield the lines of the table of power."""
    columns = " | ".join(f"{n} repetitions" for n in REPETITIONS)
    yield f"| mean of a | true value | bound | {columns} |"
    yield "| --- | --- | --- |" + " --- |" * len(REPETITIONS)
    for name, true, bound, kind, draw in POWERS:
        cells = [f"{found_above(draw, kind, bound, n, simulations):.2f}" for n in REPETITIONS]
        yield f"| {' | '.join([name, f'{true:g}', f'{bound:g}', *cells])} |"


def _main(arguments: list[str]) -> None:
    sources: dict[str, list[Population]] = {}
    if arguments:
        for name, population in _of_rows(*arguments):
            sources.setdefault(name, []).append(population)
        lines = list(error_table(sources, 1000))
    else:
        sources = {name: [one] for name, one in {**measured(), **shapes()}.items()}
        lines = [*error_table(sources, SIMULATIONS), "", *power_table()]
    error = math.sqrt(ALPHA * (1 - ALPHA) / (1000 if arguments else SIMULATIONS))
    sys.stdout.write("\n".join([*lines, "", f"Monte-Carlo error at .025: {error:.4f}"]) + "\n")


if __name__ == "__main__":
    _main(sys.argv[1:])
