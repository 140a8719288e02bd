"""Error rates and power of the decision rule, simulated; prints the tables of docs/verdicts.md."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from geoforest_cli.study.claims import decision
from geoforest_cli.study.claims.decision import ALPHA, Quantifier

__all__ = ["p_values", "skewed_errors", "tables"]

Floats = NDArray[np.float64]

_SEED = 20200823
_SIMULATIONS = 1000
_POINTS = (1, 4, 12, 24, 60)
_REPETITIONS = (3, 5, 10, 20)
_EFFECTS = (1.0, 2.0, 4.0)
_FAR = 50.0


def p_values(
    values: Floats,
    least: int,
    *,
    low: float,
    high: float,
    closed: bool = True,
    overlap: float = 0.0,
    prediction: bool = False,
) -> tuple[Floats, Floats]:
    """Return p of support and of refutation of many claims of one shape.

    Parameters
    ----------
    values : ndarray, shape (claims, points, contrasts, repetitions)
    least : int
        How many points must hold.
    low, high, closed
        What is allowed, see `decision.p_inside`.
    overlap : float
        See `decision.standard_error`.
    prediction : bool
        Whether the other side is a single draw.
    """
    mean, freedom = values.mean(axis=-1), values.shape[-1] - 1
    error = decision.standard_error(values, overlap)
    beyond = decision.standard_error(values, overlap + 1.0) if prediction else error
    inside = decision.p_inside(mean, error, freedom, low, high, closed=closed)
    outside = decision.p_outside(mean, beyond, freedom, low, high)
    return decision.over_points(*decision.over_comparisons(inside, outside), least)


@functools.cache
def _noise(points: int, repetitions: int, rivals: int, simulations: int) -> tuple[Floats, Floats]:
    """Means and standard errors of differences from rivals, which share what is compared.

    The true differences are 0, their standard deviation is 1.
    """
    rng = np.random.default_rng([_SEED, points, repetitions, rivals])
    ours = rng.standard_normal((simulations, points, 1, repetitions))
    theirs = rng.standard_normal((simulations, points, rivals, repetitions))
    values = (ours - theirs) / np.sqrt(2)
    return values.mean(axis=-1), decision.standard_error(values)


def _supported(points: Floats, least: int) -> float:
    """Share of claims supported; p values of support by claim and point."""
    support, _ = decision.over_points(points, points, least)
    return float(np.mean(support <= ALPHA))


def _inside(noise: tuple[Floats, Floats], leads: Floats, repetitions: int) -> Floats:
    """P values of support by claim and point; leads are by point and rival."""
    p = decision.p_inside(noise[0] + leads, noise[1], repetitions - 1, 0.0, np.inf, closed=False)
    return decision.over_comparisons(p, p)[0]


def _refuted(noise: tuple[Floats, Floats], leads: Floats, repetitions: int, least: int) -> float:
    """Share of claims refuted; leads are by point and rival."""
    p = decision.p_outside(noise[0] + leads, noise[1], repetitions - 1, 0.0, np.inf)
    _, points = decision.over_comparisons(p, p)
    _, refute = decision.over_points(points, points, least)
    return float(np.mean(refute <= ALPHA))


def _errors(quantifier: Quantifier, rivals: int) -> list[list[float]]:
    """Wrong support and wrong refutation at the boundary, by points; five repetitions.

    The hardest cases: one point too few holds, the others by far; just enough are at the bound.
    """
    rows: list[list[float]] = [[], []]
    for points in _POINTS:
        noise = _noise(points, 5, rivals, 4 * _SIMULATIONS)
        least = decision.wanted(quantifier, points)
        short, enough = np.zeros((2, points, rivals))
        short[: least - 1] = _FAR
        short[:, 1:] = _FAR
        enough[least:] = -_FAR
        rows[0].append(_supported(_inside(noise, short, 5), least))
        rows[1].append(_refuted(noise, enough, 5, least))
    return rows


@functools.cache
def _inside_everywhere(points: int, repetitions: int, rivals: int, effect: float) -> Floats:
    """What `_inside` gives where every true lead is the effect: for all quantifiers."""
    noise = _noise(points, repetitions, rivals, _SIMULATIONS)
    return _inside(noise, np.full((points, rivals), effect), repetitions)


def _support(
    quantifier: Quantifier, rivals: int, repetitions: int, effect: float
) -> Iterator[float]:
    """Support where every true lead is the effect, by points."""
    for points in _POINTS:
        found = _inside_everywhere(points, repetitions, rivals, effect)
        yield _supported(found, decision.wanted(quantifier, points))


def _refutation(rivals: int, repetitions: int, effect: float) -> Iterator[float]:
    """Refutation of "all" where one point is lost to one rival by the effect, by points."""
    for points in _POINTS:
        noise = _noise(points, repetitions, rivals, _SIMULATIONS)
        leads = np.full((points, rivals), _FAR)
        leads[0, 0] = -effect
        yield _refuted(noise, leads, repetitions, points)


def skewed_errors(repetitions: int = 5) -> dict[str, tuple[float, float]]:
    """One-sided error rates of a single t test at its boundary, by the shape of the errors.

    Returns
    -------
    dict
        Shape -> (falsely above, falsely below).
    """
    rng = np.random.default_rng(_SEED)
    shape = (40 * _SIMULATIONS, 1, 1, repetitions)
    samples = {
        "normal": rng.standard_normal(shape),
        "uniform": rng.uniform(-1, 1, shape),
        "exponential": rng.exponential(1, shape) - 1,
        "difference of exponentials": rng.exponential(1, shape) - rng.exponential(1, shape),
    }
    found = {}
    for name, values in samples.items():
        support, refute = p_values(values, 1, low=0.0, high=np.inf, closed=False)
        found[name] = float(np.mean(support <= ALPHA)), float(np.mean(refute <= ALPHA))
    return found


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def tables() -> list[str]:
    """The tables of docs/verdicts.md: wrong verdicts, support, refutation, skewed errors."""
    points = [f"{n} point{'s' if n > 1 else ''}" for n in _POINTS]
    quantifiers: list[Quantifier] = ["all", "most", 0.9]
    errors = [
        [_name(quantifier), str(rivals), word, *(f"{rate:.3f}" for rate in rates)]
        for quantifier in quantifiers
        for rivals in (1, 5)
        for word, rates in zip(("supported", "refuted"), _errors(quantifier, rivals), strict=True)
    ]
    support = [
        [_name(quantifier), str(rivals), str(n), f"{effect:g}",
         *(f"{rate:.2f}" for rate in _support(quantifier, rivals, n, effect))]
        for quantifier in quantifiers[:2]
        for rivals in (1, 5)
        for n in _REPETITIONS
        for effect in _EFFECTS
    ]  # fmt: skip
    refutation = [
        [str(rivals), str(n), f"{effect:g}",
         *(f"{rate:.2f}" for rate in _refutation(rivals, n, effect))]
        for rivals in (1, 5)
        for n in _REPETITIONS
        for effect in _EFFECTS
    ]  # fmt: skip
    skewed = [
        [name, f"{high:.3f}", f"{low:.3f}", f"{1 - high - low:.3f}"]
        for name, (high, low) in skewed_errors().items()
    ]
    return [
        _table(["quantifier", "rivals", "wrongly", *points], errors),
        _table(["quantifier", "rivals", "repetitions", "lead (sd)", *points], support),
        _table(["rivals", "repetitions", "lost by (sd)", *points], refutation),
        _table(["errors", "falsely above", "falsely below", "95 % interval covers"], skewed),
    ]


def _name(quantifier: Quantifier) -> str:
    return f"{quantifier:.0%}" if isinstance(quantifier, float) else quantifier


if __name__ == "__main__":
    for table in tables():
        sys.stdout.write(f"{table}\n")
