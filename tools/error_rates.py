"""Error rates and power of verdicts and screens, simulated: tables and numbers of the docs.

``verdicts`` prints the table of docs/verdicts.md, ``directions`` numbers of docs/directions.md;
``null`` writes the table that `DirectionScreen` takes its p-values from.
"""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Callable, Mapping
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
from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.study.claims.verdicts import ALPHA

Floats = np.ndarray[Any, np.dtype[np.float64]]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

REPETITIONS = (3, 5, 10, 20, 40)

_KIND_SEED, _DIRECTION_SEED = 20261123, 2026
_SAMPLES = 20_000  # simulated for a cell of the table of verdicts


def _populations() -> dict[str, tuple[Draw, float]]:
    """Kinds of repetitions of the reference: draws and their mean (of logarithms: 0)."""
    return {
        "mean of 200 queries near .5": (_of_queries(0.5), 0.5),
        "mean of 200 queries near .95": (_of_queries(0.95), 0.95),
        "mean of 200 queries near .99": (_of_queries(0.99), 0.99),
        "score, skewed (beta 5, 1)": (lambda rng, shape: rng.beta(5, 1, shape), 5 / 6),
        "error, heavy tails (t 3)": (lambda rng, shape: rng.standard_t(3, shape), 0.0),
        "time, coefficient of variation 1, in logarithms": (
            lambda rng, shape: rng.normal(0.0, math.sqrt(math.log(2.0)), shape),
            0.0,
        ),
    }


def _of_queries(mean: float) -> Draw:
    # queries of one sample are alike: the mean of a repetition varies, and its queries about it
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        spread = 50.0
        means = rng.beta(spread * mean, spread * (1 - mean), shape)
        return np.asarray(rng.binomial(200, means) / 200)

    return draw


def wrong(samples: Floats, mean: float) -> tuple[float, float]:
    """Return how often t claims a mean above the true one, and below it, at .025 a side.

    Parameters
    ----------
    samples : ndarray, shape (simulations, repetitions)
    mean : float
        The true one.
    """
    from scipy import special

    n = samples.shape[1]
    error = samples.std(axis=1, ddof=1) / math.sqrt(n)
    gap = samples.mean(axis=1) - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(error > 0, special.stdtr(n - 1, -gap / error), gap <= 0)
        q = np.where(error > 0, special.stdtr(n - 1, gap / error), gap >= 0)
    return float(np.mean(p <= ALPHA)), float(np.mean(q <= ALPHA))


def welch_errors(sizes: tuple[int, int], ratio: float, simulations: int) -> tuple[float, float]:
    """Return the same of Welch's test of two normal samples with a ratio of deviations."""
    from scipy import stats

    rng = np.random.default_rng([_KIND_SEED, *sizes])
    a, b = (rng.standard_normal((simulations, n)) for n in sizes)
    p = stats.ttest_ind(a, ratio * b, axis=1, equal_var=False, alternative="greater").pvalue
    return float(np.mean(p <= ALPHA)), float(np.mean(1 - p <= ALPHA))


def tables(simulations: int = _SAMPLES) -> list[str]:
    """Return the lines of the table: errors of the tests at .025 a side, in percent."""
    lines = [f"| values | {' | '.join(map(str, REPETITIONS))} |", "|---|" + "---:|" * 5]
    for name, (draw, mean) in _populations().items():
        rng = np.random.default_rng([_KIND_SEED, len(name)])
        rates = [wrong(draw(rng, (simulations, n)), mean) for n in REPETITIONS]
        lines.append(_line(name, rates))
    for ratio in (0.25, 1.0, 4.0):
        rates = [welch_errors((20, n), ratio, simulations) for n in REPETITIONS]
        lines.append(_line(f"20 against n, the n with {ratio:g} of the deviation (Welch)", rates))
    return lines


def _line(name: str, rates: list[tuple[float, float]]) -> str:
    cells = (f"{100 * above:.1f}, {100 * below:.1f}" for above, below in rates)
    return f"| {name} | {' | '.join(cells)} |"


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
        neighbors = retrieved(method.fit(points), 50, "random", rng)
        (score,) = precision_recall(sample.truth, neighbors, (50,), "as_written", rng)
        scores.append(score.precision)
    return scores[0], scores[1], projected.n_directions_


@click.group(help=__doc__)
def main() -> None:
    """Error rates of the decision rule and of the search for directions."""


@main.command()
def verdicts() -> None:
    """Print how often each test is wrong, above and below, in percent."""
    for line in tables():
        click.echo(line)


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
