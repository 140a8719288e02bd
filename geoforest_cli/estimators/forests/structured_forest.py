"""Structured Geodesic Forests: neighbours of images and series, without labels."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy.typing as npt
from pydantic import Field

from geoforest_cli.estimators.base.parameters import PositiveFloat, PositiveInt
from geoforest_cli.estimators.forests.forest import Pairs
from geoforest_cli.estimators.forests.growth import Growth
from geoforest_cli.estimators.forests.patches import Images, Order, Patches, sides_of
from geoforest_cli.estimators.forests.sizes import n_candidates
from geoforest_cli.estimators.forests.text import Say
from geoforest_cli.estimators.forests.unsupervised import UnsupervisedForest

__all__ = ["StructuredGeodesicForest"]

Sizes = tuple[PositiveInt, PositiveInt]
# mean-BIC compares widths, and a patch is the wider the larger it is
PatchCriterion = Literal[
    "delta_bic", "fast_bic", "two_means", "mclust_bic", "fast_bic_legacy", "mclust_bic_legacy"
]
_PART = 4  # of a side: the default's largest patch
_MOST_PATCHES = 20.0  # times sqrt(p): no patch is known to be more telling than others


class StructuredGeodesicForest(UnsupervisedForest):
    """Geodesic Forest whose candidates are sums over contiguous patches, as those of MORF.

    The rows of X are images of one shape, row by row, or series of one length. A node draws one
    rectangle after the other (an interval of a series) and cuts the sum of its pixels where two
    Gaussians explain the sums better than one; two rows are near when they often share a leaf.
    A weak signal that is spread over adjoining places shows in their sum and in none of them.

    Pixels are taken as they are: they share one unit, and a standardised rim, where little is
    ever drawn, would weigh as much as the middle. Where pixels are whole numbers, or shades at
    equal steps, so are the sums; each side's variance then gets h^2 / 12 with h the smallest
    difference between two sums of the node (see `GeodesicForest`). NaN is refused.

    Parameters
    ----------
    n_estimators : int
        Trees T.
    image_shape : (int, int), optional
        Height and width of the images in the rows of X, row by row; by default a series of
        height 1.
    patch_height, patch_width : (int, int) or "auto"
        Least and most size of a patch; "auto" is 1 to a quarter of the side, rounded up.
    wrap : bool
        Patches may continue on the other side: for cyclic data.
    order : {"size_first", "corner_first"}
        Draw a patch's size before its corner (unbiased), or the other way round.
    n_projections : int, float, "sqrt" or "auto"
        Patches drawn at a time: a number, a multiple of sqrt(p), or ceil(sqrt(p)). "auto" is one
        with delta-BIC, which tells whether it is good enough, and ceil(sqrt(p)) with others.
    criterion : str
        One of `GeodesicForest` but mean-BIC, which compares widths: the larger a patch, the wider.
    n_neighbors, max_projections, min_parent, min_leaf, min_share, variance_floor, \
max_depth, max_search, bootstrap, pairs, n_jobs, random_state, verbose
        As for `GeodesicForest`.

    References
    ----------
    Madhyastha et al., Geodesic Forests, KDD 2020: the forest.

    Manifold Forests: Closing the Gap on Neural Networks, arXiv 1909.11799, 2019: the patches.

    Examples
    --------
    Noise of 100 steps, in every other row with an impulse that decays over some thirty of them:

    >>> import numpy as np
    >>> from geoforest_cli.problems.simulations.structured import impulse
    >>> X, y = impulse(200, np.random.default_rng(0))
    >>> from geoforest_cli import GeodesicForest
    >>> def of_own_class(forest):
    ...     near = forest.fit(X).kneighbors(n_neighbors=10, return_distance=False)
    ...     return float((y[near] == y[:, None]).mean())
    >>> by_patches = of_own_class(StructuredGeodesicForest(100, random_state=0))
    >>> by_columns = of_own_class(GeodesicForest(100, random_state=0))
    >>> by_patches > 0.65, by_columns < 0.6
    (True, True)
    """

    image_shape: tuple[PositiveInt, PositiveInt] | None = None
    patch_height: Sizes | Literal["auto"] = "auto"
    patch_width: Sizes | Literal["auto"] = "auto"
    wrap: bool = False
    order: Order = "size_first"
    criterion: PatchCriterion = "delta_bic"
    n_projections: PositiveInt | PositiveFloat | Literal["sqrt", "auto"] = "auto"
    max_search: Annotated[int, Field(ge=100)] | None = None
    pairs: Pairs = "all"

    def _prepared(self, table: npt.NDArray[Any], *, fitting: bool) -> npt.NDArray[Any]:
        pixels = super()._prepared(table, fitting=fitting)
        if fitting:
            height, width = sides_of(self.image_shape, table.shape[1])
            patches = Patches(
                height, width, _sizes(self.patch_height, height), _sizes(self.patch_width, width),
                self.wrap, self.order,
            )  # fmt: skip
            self._images = Images.of(pixels, patches)
        return self._images.table(pixels)

    def _growth(self, n: int, p: int) -> Growth:
        # p counts pixels here, as everywhere, not entries of their summed-area tables
        p = self.n_features_in_
        return self._rules(
            n, p, "patch",
            n_nonzeros=n_candidates(self._rule("n_projections"), p),
            patch=self._images.patches.shape(),
            stepped=self._images.grid.natural,
        )  # fmt: skip

    def _text(self) -> Say:
        return self._images

    def _rule(self, name: str) -> Any:
        if name == "n_projections" and self.n_projections == "auto":
            return 1 if self.criterion == "delta_bic" else "sqrt"
        if name == "max_projections" and self.max_projections == "auto":
            return _MOST_PATCHES if self.criterion == "delta_bic" else None
        return super()._rule(name)


def _sizes(sizes: Sizes | Literal["auto"], side: int) -> tuple[int, int]:
    if sizes == "auto":
        return 1, -(-side // _PART)
    return sizes
