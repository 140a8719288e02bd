"""Two classes that differ in structure: circle segments, bars, an impulse in noise."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["BAYES_ERROR", "SHAPES", "bars", "bars_of_random_length", "circle", "impulse"]

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

_CIRCLE, _SIDE, _STEPS, _ONSET = 100, 28, 100, 20


def circle(n: int, rng: np.random.Generator) -> tuple[Floats, Labels]:
    """Draw two non-adjacent runs of ones on a circle of 100 places.

    Class 0 has runs of length 5 and 5, class 1 of 4 and 6; classes alternate. The second start is
    uniform over those that leave at least one zero on either side.

    Source: MORF 2019, section 3 (A), with the program's definition.

    Examples
    --------
    >>> X, y = circle(4, np.random.default_rng(0))
    >>> X.sum(axis=1).tolist(), y.tolist()
    ([10.0, 10.0, 10.0, 10.0], [0, 1, 0, 1])
    """
    y = np.arange(n) % 2
    first = np.where(y == 0, 5, 4)
    start = rng.integers(_CIRCLE, size=n)
    # gap after the first run: 1 to 89, so that one zero is left before it too
    gap = rng.integers(1, _CIRCLE - 10, size=n)
    second = start + first + gap
    places = np.arange(_CIRCLE)
    in_first = (places - start[:, None]) % _CIRCLE < first[:, None]
    in_second = (places - second[:, None]) % _CIRCLE < (10 - first)[:, None]
    return (in_first | in_second).astype(float), y


def bars(n: int, rng: np.random.Generator) -> tuple[Floats, Labels]:
    """Draw images of 28 x 28 with a Poisson(10) number of full bars, one pixel wide.

    Horizontal in class 0, vertical in class 1; rows are drawn with replacement, so that bars may
    coincide; classes alternate.

    Source: MORF 2019, section 3 (B), with the program's definition.

    Examples
    --------
    >>> X, y = bars(2, np.random.default_rng(0))
    >>> images = X.reshape(-1, 28, 28)
    >>> bool((images[0] == images[0][:, :1]).all() and (images[1] == images[1][:1]).all())
    True
    """
    y = np.arange(n) % 2
    count = rng.poisson(10, size=n)
    lines = np.zeros((n, _SIDE))
    for i in range(n):
        lines[i, rng.integers(_SIDE, size=count[i])] = 1.0
    horizontal = np.repeat(lines[:, :, None], _SIDE, axis=2)
    images = np.where(y[:, None, None] == 0, horizontal, horizontal.transpose(0, 2, 1))
    return images.reshape(n, -1), y


def bars_of_random_length(n: int, rng: np.random.Generator) -> tuple[Floats, Labels]:
    """Draw images of 28 x 28 with a Poisson(10) number of bars of 1 to 28 pixels, one pixel wide.

    Horizontal in class 0, vertical in class 1; rows are drawn with replacement, then lengths, then
    starts among those where the bar fits; classes alternate.

    Source: MORF 2019, section 3 (B): bars are "randomly sized and spaced".

    Examples
    --------
    >>> X, y = bars_of_random_length(2, np.random.default_rng(0))
    >>> X.reshape(2, 28, 28)[0].sum(axis=1).astype(int)[:8].tolist()
    [0, 0, 0, 0, 23, 0, 0, 0]
    """
    y = np.arange(n) % 2
    count = rng.poisson(10, size=n)
    images = np.zeros((n, _SIDE, _SIDE))
    image = np.repeat(np.arange(n), count)
    row = rng.integers(_SIDE, size=len(image))
    length = rng.integers(1, _SIDE + 1, size=len(image))
    start = rng.integers(_SIDE - length + 1)
    pixels = np.arange(_SIDE)
    bar = (pixels >= start[:, None]) & (pixels < (start + length)[:, None])
    np.maximum.at(images, (image, row), bar.astype(float))
    images[1::2] = images[1::2].transpose(0, 2, 1)
    return images.reshape(n, -1), y


def impulse(n: int, rng: np.random.Generator) -> tuple[Floats, Labels]:
    """Draw 100 steps of white noise; in class 1 with exp(-0.1 (t - 20)) added from t = 20 on.

    The printed formula lost the factor and the sign. Classes alternate; no classifier errs less
    than `BAYES_ERROR`.

    Source: MORF 2019, section 3 (C), with the program's definition.

    Examples
    --------
    >>> X, y = impulse(10, np.random.default_rng(0))
    >>> X.shape, y.sum()
    ((10, 100), np.int64(5))
    """
    y = np.arange(n) % 2
    t = np.arange(_STEPS)
    signal = np.where(t >= _ONSET, np.exp(-0.1 * (t - _ONSET)), 0.0)
    return rng.normal(size=(n, _STEPS)) + y[:, None] * signal, y


SHAPES = {
    "circle": (1, _CIRCLE),
    "bars": (_SIDE, _SIDE),
    "bars_of_random_length": (_SIDE, _SIDE),
    "impulse": (1, _STEPS),
}
BAYES_ERROR = {"circle": 0.0, "bars": 2.3e-5, "impulse": 0.1201}
