"""Points with pairwise distances that depend on their first two columns only."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["bilinear", "radial", "regression"]

Floats = npt.NDArray[np.float64]
_COLUMNS = 20


def regression(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw x uniform on (0.1, 0.9)^20 and z = (y - y')^2, y = (x1 + x2)/2 + U(-0.1, 0.1).

    Source: SMERF 2020, section 5.1.
    """
    X = rng.uniform(0.1, 0.9, (n, _COLUMNS))
    y = X[:, :2].mean(axis=1) + rng.uniform(-0.1, 0.1, n)
    return X, (y[:, None] - y[None, :]) ** 2


def bilinear(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw x uniform on (0, 1)^20 and z = 1 - y y', y = (x1 + x2)/2; z_ii is not 0.

    Source: SMERF 2020, section 5.1.
    """
    X = rng.uniform(0, 1, (n, _COLUMNS))
    y = X[:, :2].mean(axis=1)
    return X, 1 - y[:, None] * y[None, :]


def radial(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw x uniform in the unit ball of 20 dimensions and z = (r - r')^2, r = |(x1, x2)|.

    Source: SMERF 2020, section 5.1.
    """
    directions = rng.normal(size=(n, _COLUMNS))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    X = directions * rng.uniform(size=(n, 1)) ** (1 / _COLUMNS)
    r = np.hypot(X[:, 0], X[:, 1])
    return X, (r[:, None] - r[None, :]) ** 2
