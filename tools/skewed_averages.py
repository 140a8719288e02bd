"""Rules for skewed averages far from the ends of their range: errors, and what they cost.

``python -m tools.skewed_averages`` prints the table of docs/verdicts.md. Beside Student's t: the
larger p of t and of Johnson's modified t (Johnson 1978), or of t and of Hall's transformation (Hall
1992), both with t quantiles, and Gaffke's bound on a range of three standard deviations around the
mean.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator

import numpy as np
from scipy import special

from geoforest_cli.study.claims.bounded import means_above
from geoforest_cli.study.claims.decision import ALPHA
from tools.kind_errors import REPETITIONS, SIMULATIONS
from tools.kind_populations import Floats

__all__ = ["POPULATIONS", "RULES", "rates"]

_SEED = 20261124
Rule = Callable[[Floats], tuple[Floats, Floats]]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]


def _scaled(x: Floats) -> tuple[Floats, Floats]:
    """Return the means in standard deviations, and the skewness."""
    n = x.shape[-1]
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = x.std(axis=-1, ddof=1)
    skewness = (centred**3).mean(axis=-1) * n**2 / ((n - 1) * (n - 2)) / deviation**3
    return x.mean(axis=-1) / deviation, skewness


def _sides(statistic: Floats, freedom: int) -> tuple[Floats, Floats]:
    return special.stdtr(freedom, -statistic), special.stdtr(freedom, statistic)


def student(x: Floats) -> tuple[Floats, Floats]:
    """Student's t: p for means above and below 0."""
    return _sides(_scaled(x)[0] * math.sqrt(x.shape[-1]), x.shape[-1] - 1)


def _with_student(x: Floats, statistic: Floats) -> tuple[Floats, Floats]:
    pairs = zip(student(x), _sides(statistic, x.shape[-1] - 1), strict=True)
    above, below = (np.maximum(*pair) for pair in pairs)
    return above, below


def johnson(x: Floats) -> tuple[Floats, Floats]:
    """The larger p of t and of Johnson's t, which adds two terms of the skewness to the mean."""
    n, (u, g) = x.shape[-1], _scaled(x)
    return _with_student(x, math.sqrt(n) * (u + g / (6 * n) + g * u**2 / 3))


def hall(x: Floats) -> tuple[Floats, Floats]:
    """The larger p of t and of Hall's transformation, which is Johnson's made monotone."""
    n, (u, g) = x.shape[-1], _scaled(x)
    return _with_student(x, math.sqrt(n) * (u + g / (6 * n) + g * u**2 / 3 + g**2 * u**3 / 27))


def gaffke(x: Floats) -> tuple[Floats, Floats]:
    """Gaffke's bound, as if no value were further than three standard deviations from the mean."""
    mean, _ = _scaled(x)
    scaled = x / x.std(axis=-1, ddof=1, keepdims=True)
    return means_above(scaled, 0.0, mean - 3), means_above(-scaled, 0.0, -mean - 3)


RULES: dict[str, Rule] = {
    "t": student,
    "t and Johnson": johnson,
    "t and Hall": hall,
    "Gaffke": gaffke,
}


def _beta(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.beta(8, 2, shape) - 0.8


def _lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.lognormal(0, 0.5, shape) - math.exp(0.125)


POPULATIONS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "gamma, skewness .5": lambda rng, shape: rng.gamma(16, 0.25, shape) - 4,
    "beta(8, 2), skewness -.8": _beta,
    "lognormal(.5), skewness 1.8": _lognormal,
    "exponential, skewness 2": lambda rng, shape: rng.exponential(1, shape) - 1,
}
LEADS = (1, 2, 4)


def rates(rule: str, draw: Draw, repetitions: int, simulations: int = SIMULATIONS) -> Floats:
    """Return how often a rule calls means above and below 0."""
    rng = np.random.default_rng([_SEED, repetitions])
    sides = RULES[rule](draw(rng, (simulations, repetitions)))
    return np.array([np.mean(side <= ALPHA) for side in sides])


def _leading(lead: float) -> Draw:
    return lambda rng, shape: rng.normal(lead, 1, shape)


def table(simulations: int = SIMULATIONS) -> Iterator[str]:
    """Yield the lines: falsely above / falsely below, and how often normal leads are found."""
    yield f"| averages | rule | {' | '.join(f'{n} repetitions' for n in REPETITIONS)} |"
    yield "| --- | --- |" + " --- |" * len(REPETITIONS)
    for name, draw in POPULATIONS.items():
        for rule in RULES:
            found = [rates(rule, draw, n, simulations) for n in REPETITIONS]
            cells = [f"{above:.3f} / {below:.3f}" for above, below in found]
            yield f"| {' | '.join([name, rule, *cells])} |"
    for lead in LEADS:
        for rule in RULES:
            cells = [f"{rates(rule, _leading(lead), n, simulations)[0]:.2f}" for n in REPETITIONS]
            yield f"| {' | '.join([f'power: normal, lead {lead} sd', rule, *cells])} |"


if __name__ == "__main__":
    sys.stdout.write("\n".join(table()) + "\n")
