"""Images and series as summed-area tables: a patch costs at most four look-ups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from geoforest_cli.errors import DataError
from geoforest_cli.forests.kernels import samplers

__all__ = ["Grid", "Order", "Patches"]

Order = Literal["size_first", "corner_first"]
_EXACT = 2.0**52
_FINEST = 2.0**40  # steps of the grid
_MOST_SHADES, _UNEQUAL, _SOME = 1 << 16, 2.0**-40, 1_000_000


@dataclass(frozen=True)
class Grid:
    """Pixels as whole numbers of steps, whose sums no rounding tells apart.

    Without it the corners of a summed-area table give patches of equal sums different values,
    other ones in every unit of the pixels. Whole numbers are their own grid, and so are shades at
    equal steps (255ths, tenths); other values are rounded to 2^-40 of their range, fewer digits
    for images of more than 4000 pixels.
    """

    low: float
    step: float

    @classmethod
    def of(cls, X: npt.NDArray[Any], size: int) -> Grid:
        """Return the grid for images like X whose tables have `size` entries."""
        low, high = float(X.min()), float(X.max())
        largest = max(abs(low), abs(high))
        if largest * size < _EXACT and bool((np.rint(X) == X).all()):
            return cls(0.0, 1.0)
        if not high > low:
            return cls(low, 1.0)
        # halves: their difference may be larger than any number
        span = high / 2 - low / 2
        steps = _shades(X, low, span) or min(_FINEST, _EXACT / size)
        return cls(low, span / steps * 2)

    def round(self, X: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return the nearest whole numbers of steps, above the smallest pixel."""
        pixels = np.asarray(X, np.float64)
        if self.low == 0.0 and self.step == 1.0:
            return pixels
        steps: npt.NDArray[np.float64] = np.rint((pixels - self.low) / self.step)
        return steps


def _shades(X: npt.NDArray[Any], low: float, half: float) -> int:
    """Return how many equal steps lead from the smallest to the largest pixel; 0 if none do."""
    some = np.unique(X.ravel()[:_SOME].astype(np.float64) / 2 - low / 2) / half
    gaps = np.diff(some)
    gaps = gaps[gaps > _UNEQUAL]
    if not len(gaps) or 1 / gaps.min() > _MOST_SHADES:
        return 0
    steps = round(1 / float(gaps.min()))
    places = (X.astype(np.float64) / 2 - low / 2) / half * steps
    return steps if bool((np.abs(places - np.rint(places)) < steps * _UNEQUAL).all()) else 0


@dataclass(frozen=True)
class Patches:
    """Which rectangles of an image are projections.

    Attributes
    ----------
    height, width : int
        Of the image; a series has height 1.
    heights, widths : (int, int)
        Least and most height and width of a patch.
    wrap : bool
        The image continues on the other side: for cyclic data.
    order : {"size_first", "corner_first"}
        What is drawn first; corner first makes patches near the far edges shorter.
    """

    height: int
    width: int
    heights: tuple[int, int]
    widths: tuple[int, int]
    wrap: bool = False
    order: Order = "size_first"

    def check(self) -> None:
        """Refuse patches that do not fit.

        Raises
        ------
        DataError
            With the sizes that are possible.
        """
        sides = (("height", self.heights, self.height), ("width", self.widths, self.width))
        for name, (least, most), side in sides:
            if not 1 <= least <= most <= side:
                raise DataError(
                    f"patches of {name} {least} to {most} do not fit in an image of {name} {side}"
                )

    @property
    def _padded(self) -> tuple[int, int]:
        extra = (self.heights[1] - 1, self.widths[1] - 1) if self.wrap else (0, 0)
        return self.height + extra[0], self.width + extra[1]

    def shape(self) -> tuple[int, ...]:
        """Return what the sampler needs."""
        order = samplers.SIZE_FIRST if self.order == "size_first" else samplers.CORNER_FIRST
        return (
            self.width, self.height, *self.widths, *self.heights, int(self.wrap), order,
            self._padded[1] + 1,
        )  # fmt: skip

    @property
    def size(self) -> int:
        """Number of entries of an image's summed-area table."""
        rows, columns = self._padded
        return (rows + 1) * (columns + 1)

    def table(self, X: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return the summed-area tables (n, (H + 1) (W + 1)) of images X (n, H W), row by row.

        Whole numbers stay exact up to 2^53: see `Grid` for others.
        """
        n = len(X)
        images = np.asarray(X, np.float64).reshape(n, self.height, self.width)
        rows, columns = self._padded
        if self.wrap:
            images = np.take(images, np.arange(rows) % self.height, axis=1)
            images = np.take(images, np.arange(columns) % self.width, axis=2)
        sums = np.zeros((n, rows + 1, columns + 1))
        np.cumsum(images, axis=1, out=sums[:, 1:, 1:])
        np.cumsum(sums[:, 1:, 1:], axis=2, out=sums[:, 1:, 1:])
        return sums.reshape(n, -1)

    def coverage(self) -> npt.NDArray[np.float64]:
        """Return the chance of each pixel to lie in a random patch (H W,).

        Examples
        --------
        >>> near = Patches(1, 100, (1, 1), (1, 15), order="corner_first").coverage()
        >>> [float(round(near[i], 4)) for i in (0, 50, 99)]
        [0.01, 0.08, 0.0332]
        """
        rows = _coverage(self.height, self.heights, self.order, wrap=self.wrap)
        columns = _coverage(self.width, self.widths, self.order, wrap=self.wrap)
        return np.outer(rows, columns).ravel()

    def spread(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return, for weights of table entries, the sum of their patches' indicators (H W,).

        The transpose of `table`: a patch's four corners become ones on its pixels.
        """
        rows, columns = self._padded
        grid = weights.reshape(rows + 1, columns + 1)[1:, 1:]
        covered = grid[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
        folded = np.zeros((self.height, self.width))
        for i in range(rows):
            row = covered[i]
            for start in range(0, columns, self.width):
                part = row[start : start + self.width]
                folded[i % self.height, : len(part)] += part
        return folded.ravel()


def _coverage(
    side: int, sizes: tuple[int, int], order: Order, *, wrap: bool
) -> npt.NDArray[np.float64]:
    """Chance of each place along one side; the two sides are drawn independently."""
    least, most = sizes
    found = np.zeros(side)
    for start in range(side if wrap else side - least + 1):
        largest = most if wrap else min(most, side - start)
        for size in range(least, largest + 1):
            if order == "corner_first":
                starts = side if wrap else side - least + 1
                chance = 1 / starts / (largest - least + 1)
            else:
                starts = side if wrap else side - size + 1
                chance = 1 / (most - least + 1) / starts
            found[np.arange(start, start + size) % side] += chance
    return found
