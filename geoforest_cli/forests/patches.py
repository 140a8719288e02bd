"""Images and series as summed-area tables: a patch costs at most four look-ups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from geoforest_cli.errors import DataError
from geoforest_cli.forests.kernels import samplers

__all__ = ["Order", "Patches"]

Order = Literal["size_first", "corner_first"]
_EXACT_SINGLE = 2.0**24


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

    def table(self, X: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the summed-area tables (n, (H + 1) (W + 1)) of images X (n, H W), row by row.

        Whole numbers stay exact: in single precision up to 2^24, in double above.
        """
        n = len(X)
        images = X.reshape(n, self.height, self.width)
        rows, columns = self._padded
        if self.wrap:
            images = np.take(images, np.arange(rows) % self.height, axis=1)
            images = np.take(images, np.arange(columns) % self.width, axis=2)
        largest = float(np.abs(images).max(initial=0)) * rows * columns
        whole = largest < _EXACT_SINGLE and bool((images == np.rint(images)).all())
        kind = np.float32 if whole else np.float64
        sums = np.zeros((n, rows + 1, columns + 1), kind)
        np.cumsum(images, axis=1, dtype=kind, out=sums[:, 1:, 1:])
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
