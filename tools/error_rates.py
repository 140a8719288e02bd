"""Error rates and power of verdicts and screens, simulated: tables and numbers of the docs.

``verdicts`` and ``kinds`` print tables of docs/verdicts.md, ``directions`` numbers of
docs/directions.md; ``null`` writes the table that `DirectionScreen` takes its p-values from.
"""

from __future__ import annotations

import functools
import json
import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np

from geoforest_cli import DirectionScreen
from geoforest_cli.estimators.baselines.euclidean import Euclidean
from geoforest_cli.estimators.directions import null
from geoforest_cli.estimators.directions.neighbors import ProjectedNeighbors
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.kinds import MetricKind, average, bounded, positive
from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.study.claims import decision
from geoforest_cli.study.claims.bounded import means_above
from geoforest_cli.study.claims.decision import ALPHA, Quantifier
from geoforest_cli.study.claims.estimates import away_from_ends

Floats = np.ndarray[Any, np.dtype[np.float64]]
Population = tuple[Floats, MetricKind]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

REPETITIONS = (3, 5, 10, 20, 40)

_CLAIM_SEED, _KIND_SEED, _DIRECTION_SEED = 20200823, 20261123, 2026
_CLAIMS = 1000  # simulated for a cell of the tables of verdicts
_SAMPLES = 20_000  # simulated for a cell of the tables of kinds
_POINTS = (1, 4, 12, 24, 60)
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
def _noise(points: int, repetitions: int, rivals: int, claims: int) -> tuple[Floats, Floats]:
    """Means and standard errors of differences from rivals, which share what is compared.

    The true differences are 0, their standard deviation is 1.
    """
    rng = np.random.default_rng([_CLAIM_SEED, points, repetitions, rivals])
    ours = rng.standard_normal((claims, points, 1, repetitions))
    theirs = rng.standard_normal((claims, points, rivals, repetitions))
    values = (ours - theirs) / np.sqrt(2)
    return values.mean(axis=-1), decision.standard_error(values)


def _supported(noise: tuple[Floats, Floats], leads: Floats, repetitions: int, least: int) -> float:
    """Share of claims supported; leads are by point and rival."""
    p = decision.p_inside(noise[0] + leads, noise[1], repetitions - 1, 0.0, np.inf, closed=False)
    points, _ = decision.over_comparisons(p, p)
    support, _ = decision.over_points(points, points, least)
    return float(np.mean(support <= ALPHA))


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
        noise = _noise(points, 5, rivals, 4 * _CLAIMS)
        least = decision.wanted(quantifier, points)
        short, enough = np.zeros((2, points, rivals))
        short[: least - 1] = _FAR
        short[:, 1:] = _FAR
        enough[least:] = -_FAR
        rows[0].append(_supported(noise, short, 5, least))
        rows[1].append(_refuted(noise, enough, 5, least))
    return rows


def _support(
    quantifier: Quantifier, rivals: int, repetitions: int, effect: float
) -> Iterator[float]:
    """Support where every true lead is the effect, by points."""
    for points in _POINTS:
        noise = _noise(points, repetitions, rivals, _CLAIMS)
        leads = np.full((points, rivals), effect)
        yield _supported(noise, leads, repetitions, decision.wanted(quantifier, points))


def _refutation(rivals: int, repetitions: int, effect: float) -> Iterator[float]:
    """Refutation of "all" where one point is lost to one rival by the effect, by points."""
    for points in _POINTS:
        noise = _noise(points, repetitions, rivals, _CLAIMS)
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
    rng = np.random.default_rng(_CLAIM_SEED)
    shape = (40 * _CLAIMS, 1, 1, repetitions)
    samples = {
        "normal": rng.standard_normal(shape),
        "uniform": rng.uniform(-1, 1, shape),
        "exponential": rng.exponential(1, shape) - 1,
        "difference of exponentials": rng.exponential(1, shape) - rng.exponential(1, shape),
    }
    rates = {}
    for name, values in samples.items():
        support, refute = p_values(values, 1, low=0.0, high=np.inf, closed=False)
        rates[name] = float(np.mean(support <= ALPHA)), float(np.mean(refute <= ALPHA))
    return rates


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def tables() -> list[str]:
    """Tables of docs/verdicts.md: wrong verdicts, support, refutation, skewed errors."""
    points = [f"{n} point{'s' if n > 1 else ''}" for n in _POINTS]
    quantifiers: dict[str, Quantifier] = {"all": "all", "most": "most", "90%": 0.9}
    sizes = [
        (rivals, n, effect) for rivals in (1, 5) for n in REPETITIONS[:4] for effect in _EFFECTS
    ]
    errors = [
        [name, str(rivals), word, *(f"{rate:.3f}" for rate in rates)]
        for name, quantifier in quantifiers.items()
        for rivals in (1, 5)
        for word, rates in zip(("supported", "refuted"), _errors(quantifier, rivals), strict=True)
    ]
    support = [
        [name, str(rivals), str(n), f"{effect:g}",
         *(f"{rate:.2f}" for rate in _support(quantifiers[name], rivals, n, effect))]
        for name in ("all", "most")
        for rivals, n, effect in sizes
    ]  # fmt: skip
    refutation = [
        [str(rivals), str(n), f"{effect:g}",
         *(f"{rate:.2f}" for rate in _refutation(rivals, n, effect))]
        for rivals, n, effect in sizes
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


def shapes() -> dict[str, Population]:
    """Return values of the shapes that claims judge, each with its kind."""
    rng = np.random.default_rng(_KIND_SEED)
    scores = np.r_[np.ones(120), rng.uniform(0.8, 1, 50), rng.uniform(-0.1, 0.2, 30)]
    failing = np.r_[rng.normal(0.8, 0.05, 180), rng.uniform(-0.1, 0.1, 20)]
    return {
        "share, true value .95": (np.r_[np.ones(190), np.zeros(10)], bounded()),
        "share, true value .5": (np.r_[np.ones(100), np.zeros(100)], bounded()),
        "clustering score that fails at times": (scores, bounded(-1, 1)),
        "difference of two such scores": (scores - rng.permutation(scores), bounded(-2, 2)),
        "correlation with 10 % failures": (failing, bounded(-1, 1)),
        "average": (rng.normal(0.6, 0.05, 20_000), average()),
        "average near 1": (1 - np.minimum(rng.exponential(0.01, 200), 1), average()),
        "time, lognormal": (np.exp(rng.normal(0, 0.5, 20_000)), positive),
    }


def mean_p_values(samples: Floats, kind: MetricKind, bound: float) -> tuple[Floats, Floats]:
    """Return p for means above and below a bound, of samples along the last axis.

    As `geoforest_cli.study.claims.estimates.estimate` tells it of one sample.
    """
    if kind == positive:
        return _student(np.log(samples), math.log(bound))
    above = means_above(samples, bound, kind.low)
    below = means_above(-samples, -bound, -kind.high)
    if kind.name == "average":
        away = away_from_ends(samples, kind)
        above[away], below[away] = _student(samples[away], bound)
    return above, below


def _student(samples: Floats, bound: float) -> tuple[Floats, Floats]:
    mean, error = samples.mean(axis=-1), decision.standard_error(samples)
    freedom = samples.shape[-1] - 1
    above = decision.p_inside(mean, error, freedom, bound, math.inf)
    below = decision.p_inside(mean, error, freedom, -math.inf, bound)
    # equal values have no spread to go by
    return np.where(error > 0, above, 1.0), np.where(error > 0, below, 1.0)


def wrong(
    population: Population, repetitions: int, simulations: int = _SAMPLES
) -> tuple[float, float]:
    """Return how often a mean is called above and below its true value."""
    values, kind = population
    # of what is positive claims are about the mean of logarithms
    truth = math.exp(float(np.log(values).mean())) if kind == positive else float(values.mean())
    rng = np.random.default_rng([_KIND_SEED, repetitions])
    above, below = mean_p_values(rng.choice(values, (simulations, repetitions)), kind, truth)
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


def power_above(
    draw: Draw, kind: MetricKind, bound: float, repetitions: int, simulations: int = _SAMPLES
) -> float:
    """Return how often a mean that lies above a bound is called so."""
    rng = np.random.default_rng([_KIND_SEED, repetitions])
    above, _ = mean_p_values(draw(rng, (simulations, repetitions)), kind, bound)
    return float(np.mean(above <= ALPHA))


def kind_tables(simulations: int = _SAMPLES) -> list[str]:
    """Tables of docs/verdicts.md: error rates and power by kind of metric."""
    columns = [f"{n} repetitions" for n in REPETITIONS]
    errors = []
    for name, population in shapes().items():
        rates = [wrong(population, n, simulations) for n in REPETITIONS]
        # the interval has the true mean inside where neither test calls it outside
        errors.append([name, *(f"{a:.3f} / {b:.3f} / {1 - a - b:.3f}" for a, b in rates)])
    powers = [
        [name, f"{true:g}", f"{bound:g}",
         *(f"{power_above(draw, kind, bound, n, simulations):.2f}" for n in REPETITIONS)]
        for name, true, bound, kind, draw in POWERS
    ]  # fmt: skip
    return [
        _table(["values", *columns], errors),
        _table(["mean of a", "true value", "bound", *columns], powers),
    ]


_DRAWS: Mapping[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "uniform": lambda rng, size: rng.uniform(size=size),
    "t3": lambda rng, size: rng.standard_t(3, size=size),
}


def has_direction(noise: str, n: int, p: int, seed: int) -> bool:
    """Return whether a table (n, p) of independent columns has any direction."""
    table = _DRAWS[noise](np.random.default_rng([_DIRECTION_SEED, n, p, seed]), (n, p))
    return len(DirectionScreen(random_state=seed).fit(table).components_) > 0


def precisions(shape: str, n: int, noise_columns: int, seed: int) -> tuple[float, float, int]:
    """Return precision at 50 without and in the directions, and how many directions there are.

    Of a manifold among columns of normal noise of variance 70, all mixed by a random matrix with
    singular values 1 to 10.
    """
    rng = np.random.default_rng([_DIRECTION_SEED, seed])
    truth = "component" if shape == "gaussian_mixture" else "default"
    sample = MANIFOLDS[shape].load()(n, "as_run", rng, truth=truth)
    points = add_noise(sample.points, noise_columns, 70.0, rng, "normal")
    p = points.shape[1]
    left, right = (np.linalg.qr(rng.normal(size=(p, p)))[0] for _ in range(2))
    points = points @ (left * np.linspace(1.0, 10.0, p)) @ right
    scores = []
    projected = ProjectedNeighbors("directions", random_state=seed)
    for method in (Euclidean(), projected):
        near = retrieved(method.fit(points), 50, "random", rng)
        (score,) = precision_recall(sample.truth, near, (50,), "as_written", rng)
        scores.append(score.precision)
    return scores[0], scores[1], projected.n_directions_


@click.group(help=__doc__)
def main() -> None:
    """Error rates of the decision rule and of the search for directions."""


@main.command()
def verdicts() -> None:
    """Print error rates and power of verdicts, by points, rivals and repetitions."""
    for table in tables():
        click.echo(table)


@main.command()
def kinds() -> None:
    """Print error rates and power by kind of metric."""
    for table in kind_tables():
        click.echo(table)
    error = math.sqrt(ALPHA * (1 - ALPHA) / _SAMPLES)
    click.echo(f"Monte-Carlo error at .025: {error:.4f}")


@main.group()
def directions() -> None:
    """Print how often directions are found in noise, and how well in structure."""
    warnings.filterwarnings("ignore", ".*rows per column", UserWarning)


@directions.command()
@click.argument("tables", type=int)
@click.argument("rows", type=int)
@click.argument("columns", type=int)
@click.argument("noise", type=click.Choice(list(_DRAWS)), default="normal")
def level(tables: int, rows: int, columns: int, noise: str) -> None:
    """Print in how many tables of nothing but independent columns there is a direction."""
    count = sum(has_direction(noise, rows, columns, seed) for seed in range(tables))
    click.echo(f"{noise} noise, {rows} x {columns}: a direction in {count} of {tables} tables")


@directions.command()
@click.argument("tables", type=int)
@click.argument("rows", type=int)
@click.argument("columns", type=int)
@click.argument("shape", nargs=-1, required=True, type=click.Choice(list(MANIFOLDS)))
def power(tables: int, rows: int, columns: int, shape: tuple[str, ...]) -> None:
    """Print the median precision of manifolds among columns of noise, all mixed."""
    for name in shape:
        began = time.process_time()
        scores = np.array([precisions(name, rows, columns, seed) for seed in range(tables)])
        took = (time.process_time() - began) / tables
        without, within, count = np.median(scores, axis=0)
        click.echo(
            f"{name}, {columns} columns: {without:.2f} to {within:.2f}, {count:g} directions, "
            f"none in {int((scores[:, 2] == 0).sum())} of {tables} tables, {took:.1f} s"
        )


@main.command(name="null")
def write_null() -> None:
    """Write the largest contrast of directions in normal noise, for many sizes: ten minutes."""
    ranks = (1, 2, 3, 5, 10, 20, 50, 100)
    simulated = {200: 120, 500: 120, 1000: 120, 2000: 60, 4000: 40, 10000: 30}  # tables by rows
    modes, scales = [], []
    for n, count in simulated.items():
        laws = [null.simulated(n, rank, count) for rank in ranks]
        modes.append([round(law.mode, 4) for law in laws])
        scales.append([round(law.scale, 4) for law in laws])
        click.echo(f"n = {n}: {modes[-1]}", err=True)
    sizes = {"rows": list(simulated), "ranks": ranks, "tables": simulated}
    content = {**sizes, "mode": modes, "scale": scales}
    target = Path(null.__file__).with_name("null.json")
    target.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
