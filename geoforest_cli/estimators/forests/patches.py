"""Images and series as summed-area tables: a patch costs at most four look-ups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests.kernels.patch import CORNER_FIRST, SIZE_FIRST

__all__ = ["Grid", "Images", "Order", "Patches", "sides_of"]

Floats = npt.NDArray[np.float64]
Order = Literal["size_first", "corner_first"]
_EXACT = 2.0**52
_FINEST = 2.0**40  # steps of the grid
_MOST_SHADES, _UNEQUAL, _SAMPLED_VALUES = 1 << 16, 2.0**-40, 1_000_000


@dataclass(frozen=True)
class Grid:
    """Pixels as whole numbers of steps, whose sums no rounding tells apart.

    Without it the corners of a summed-area table give patches of equal sums different values,
    other ones in every unit of the pixels. Whole numbers are their own grid, and so are shades at
    equal steps (255ths, tenths); other values are rounded to 2^-40 of their range, fewer digits
    for images of more than 4000 pixels.

    Attributes
    ----------
    low, step : float
    natural : bool
        The pixels were recorded in these steps; none was rounded to them.
    """

    low: float
    step: float
    natural: bool = True

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
        shades = _shades(X, low, span)
        return cls(low, span / (shades or min(_FINEST, _EXACT / size)) * 2, shades > 0)

    def round(self, X: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return the nearest whole numbers of steps, above the smallest pixel."""
        pixels = np.asarray(X, np.float64)
        if self.low == 0.0 and self.step == 1.0:
            return pixels
        steps: npt.NDArray[np.float64] = np.rint((pixels - self.low) / self.step)
        return steps


def _shades(X: npt.NDArray[Any], low: float, half: float) -> int:
    """Return how many equal steps lead from the smallest to the largest pixel; 0 if none do."""
    sample = np.unique(X.ravel()[:_SAMPLED_VALUES].astype(np.float64) / 2 - low / 2) / half
    gaps = np.diff(sample)
    gaps = gaps[gaps > _UNEQUAL]
    if not len(gaps) or 1 / gaps.min() > _MOST_SHADES:
        return 0
    steps = round(1 / float(gaps.min()))
    places = (X.astype(np.float64) / 2 - low / 2) / half * steps
    return steps if bool((np.abs(places - np.rint(places)) < steps * _UNEQUAL).all()) else 0


@dataclass(frozen=True)
class Patches:
    """Rectangles of an image that are projections.

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
        order = SIZE_FIRST if self.order == "size_first" else CORNER_FIRST
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

        Whole numbers stay exact up to 2^53: see `Grid` for others. An entry of all images lies
        together, as the trees want it.
        """
        n = len(X)
        images = np.asarray(X, np.float64).reshape(n, self.height, self.width)
        rows, columns = self._padded
        if self.wrap:
            images = np.take(images, np.arange(rows) % self.height, axis=1)
            images = np.take(images, np.arange(columns) % self.width, axis=2)
        sums = np.zeros((rows + 1, columns + 1, n))
        sums[1:, 1:] = images.transpose(1, 2, 0)
        # row by row numpy adds all images at once; cumsum takes five times as long
        for i in range(2, rows + 1):
            sums[i] += sums[i - 1]
        for j in range(2, columns + 1):
            sums[:, j] += sums[:, j - 1]
        return sums.reshape(-1, n).T

    def rectangle(self, entries: npt.NDArray[np.int32]) -> tuple[int, int, int, int]:
        """Return top, bottom, left and right of the patch with these corners in the table.

        Bottom and right are the first ones outside; beyond the image for a patch that wraps.

        Examples
        --------
        >>> patches = Patches(3, 4, (1, 2), (1, 3))
        >>> patches.rectangle(np.array([18, 8, 16, 6], np.int32))  # entries of 4 rows of 5
        (1, 3, 1, 3)
        >>> patches.rectangle(np.array([13, 11], np.int32))
        (0, 2, 1, 3)
        """
        row = self._padded[1] + 1
        bottom, right = divmod(int(entries.max()), row)
        corners = [divmod(entry, row) for entry in entries.tolist()]
        # corners in the table's first row and column are not stored: they are zero
        top = min((v for v, u in corners if u == right and v < bottom), default=0)
        left = min((u for v, u in corners if v == bottom and u < right), default=0)
        return top, bottom, left, right

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


@dataclass(frozen=True)
class Images:
    """Images in the rows of a table as trees see them: summed-area tables of whole steps.

    Attributes
    ----------
    patches : Patches
    grid : Grid
    """

    patches: Patches
    grid: Grid

    @classmethod
    def of(cls, X: npt.NDArray[Any], patches: Patches) -> Images:
        """Look at the training images X (N, H W).

        Raises
        ------
        DataError
            For patches that do not fit in an image.
        """
        patches.check()
        return cls(patches, Grid.of(X, patches.size))

    def table(self, X: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return the summed-area tables of images X, training ones or new."""
        return self.patches.table(self.grid.round(X))

    def __call__(
        self, features: npt.NDArray[np.int32], weights: Floats, threshold: float, decimals: int
    ) -> tuple[str, float]:
        """Return a patch in words, ``sum[top:bottom, left:right]``, and the cut of its pixels."""
        top, bottom, left, right = self.patches.rectangle(features)
        where = f"{left}:{right}" if self.patches.height == 1 else f"{top}:{bottom}, {left}:{right}"
        area = (bottom - top) * (right - left)
        return f"sum[{where}]", threshold * self.grid.step + area * self.grid.low


def sides_of(image_shape: tuple[int, int] | None, p: int) -> tuple[int, int]:
    """Return height and width of the images in rows of p columns: by default a series.

    Raises
    ------
    DataError
        If they do not make p columns.

    Examples
    --------
    >>> sides_of((2, 3), 6), sides_of(None, 6)
    ((2, 3), (1, 6))
    """
    height, width = (1, p) if image_shape is None else tuple(image_shape)
    if height * width != p:
        raise DataError(f"image_shape {height} x {width} does not make {p} columns")
    return height, width


def _coverage(
    side: int, sizes: tuple[int, int], order: Order, *, wrap: bool
) -> npt.NDArray[np.float64]:
    """Chance of each place along one side; the two sides are drawn independently."""
    least, most = sizes
    chances = np.zeros(side)
    for start in range(side if wrap else side - least + 1):
        largest = most if wrap else min(most, side - start)
        for size in range(least, largest + 1):
            if order == "corner_first":
                starts = side if wrap else side - least + 1
                chance = 1 / starts / (largest - least + 1)
            else:
                starts = side if wrap else side - size + 1
                chance = 1 / (most - least + 1) / starts
            chances[np.arange(start, start + size) % side] += chance
    return chances
