"""How often directions are found in noise, and how well in structure: docs/directions.md.

``python -m tools.direction_rates level TABLES ROWS COLUMNS [NOISE]``: in how many tables of nothing
but independent columns (normal, uniform or t3) `DirectionScreen` finds a direction.

``python -m tools.direction_rates power TABLES ROWS COLUMNS SHAPE...``: median precision at 50 of
points of a manifold among COLUMNS of normal noise of variance 70, all mixed by a random matrix with
singular values 1 to 10: by Euclidean distance, and in the directions.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from geoforest_cli import DirectionScreen
from geoforest_cli.estimators.baselines.euclidean import Euclidean
from geoforest_cli.estimators.directions.neighbors import ProjectedNeighbors
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import retrieved

__all__ = ["found_in_noise", "precisions"]

Floats = npt.NDArray[np.float64]
_SEED = 2026
_K, _VARIANCE = 50, 70.0
_LEAST, _MOST = 1.0, 10.0  # singular values of the matrix that mixes
_DRAWS: Mapping[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "uniform": lambda rng, size: rng.uniform(size=size),
    "t3": lambda rng, size: rng.standard_t(3, size=size),
}


def found_in_noise(noise: str, n: int, p: int, seed: int) -> bool:
    """Whether a table (n, p) of independent columns has any direction."""
    table = _DRAWS[noise](np.random.default_rng([_SEED, n, p, seed]), (n, p))
    return len(DirectionScreen(random_state=seed).fit(table).components_) > 0


def precisions(shape: str, n: int, noise_columns: int, seed: int) -> tuple[float, float, int]:
    """Return the precision without and in the directions, and how many directions there are."""
    rng = np.random.default_rng([_SEED, seed])
    truth = "component" if shape == "gaussian_mixture" else "default"
    sample = MANIFOLDS[shape].load()(n, "as_run", rng, truth=truth)
    points = add_noise(sample.points, noise_columns, _VARIANCE, rng, "normal")
    p = points.shape[1]
    left, right = (np.linalg.qr(rng.normal(size=(p, p)))[0] for _ in range(2))
    points = points @ (left * np.linspace(_LEAST, _MOST, p)) @ right
    scores = []
    projected = ProjectedNeighbors("directions", random_state=seed)
    for method in (Euclidean(), projected):
        near = retrieved(method.fit(points), _K, "random", rng)
        (score,) = precision_recall(sample.truth, near, (_K,), "as_written", rng)
        scores.append(score.precision)
    return scores[0], scores[1], projected.n_directions_


def _level(tables: int, n: int, p: int, noise: str = "normal") -> None:
    count = sum(found_in_noise(noise, n, p, seed) for seed in range(tables))
    print(f"{noise} noise, {n} x {p}: a direction in {count} of {tables} tables")


def _power(tables: int, n: int, noise_columns: int, *shapes: str) -> None:
    for shape in shapes:
        began = time.process_time()
        found = np.array([precisions(shape, n, noise_columns, seed) for seed in range(tables)])
        took = (time.process_time() - began) / tables
        without, within, count = np.median(found, axis=0)
        none = int((found[:, 2] == 0).sum())
        print(
            f"{shape}, {noise_columns} columns: {without:.2f} to {within:.2f}, {count:g} "
            f"directions, none in {none} of {tables} tables, {took:.1f} s",
            flush=True,
        )


def main(task: str, tables: str, n: str, p: str, *names: str) -> None:
    """Print one line per kind of table."""
    warnings.filterwarnings("ignore", ".*rows per column", UserWarning)
    tasks: Mapping[str, Callable[..., None]] = {"level": _level, "power": _power}
    tasks[task](int(tables), int(n), int(p), *names)


if __name__ == "__main__":
    main(*sys.argv[1:])
