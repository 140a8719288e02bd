"""Geodesic Forests: neighbours along a latent manifold, without labels."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.estimators.base.parameters import PositiveFloat, PositiveInt
from geoforest_cli.estimators.base.validation import constant_columns, names_of
from geoforest_cli.estimators.forests.columns import BinaryColumns, Columns, Rescale
from geoforest_cli.estimators.forests.forest import Pairs
from geoforest_cli.estimators.forests.growth import STEPPED, Growth
from geoforest_cli.estimators.forests.presets import Projection
from geoforest_cli.estimators.forests.sizes import n_candidates, n_listed, n_nonzeros
from geoforest_cli.estimators.forests.text import Linear, Say
from geoforest_cli.estimators.forests.unsupervised import UnsupervisedForest
from geoforest_cli.estimators.screening.auto import auto_screen

__all__ = ["ColumnForest", "GeodesicForest"]


class ColumnForest(UnsupervisedForest):
    """Trees on sparse sums and differences of columns, see `GeodesicForest`."""

    projection: Projection | Literal["auto"] = "auto"
    n_projections: PositiveInt | PositiveFloat | Literal["sqrt"] = "sqrt"
    shortlist: PositiveInt | PositiveFloat | Literal["auto"] | None = "auto"
    patience: Annotated[float, Field(gt=0, le=1)] | Literal["auto"] = "auto"
    nonzeros: Literal["scattered", "one_per_projection"] | Annotated[float, Field(gt=0, le=1)] = (
        "scattered"
    )
    # the only value left; the parameter is part of the identities of all cells that are stored
    missing: Literal["refuse"] = "refuse"
    rescale: Rescale | Literal["auto"] = "auto"
    binary_columns: BinaryColumns = "warn"
    screen: Literal["auto"] | None = "auto"

    def _fitted_columns(self, table: npt.NDArray[Any]) -> Columns:
        drown = self.criterion not in STEPPED or self.binary_columns == "exclude"
        binary = self.binary_columns if drown else "keep"
        self.kept_, self.dropped_ = np.arange(table.shape[1]), np.empty(0, np.intp)
        self.note_ = ""
        if self._rule("screen") is not None:
            names = getattr(self, "feature_names_in_", None)
            screened = auto_screen(table, self.n_jobs)
            self.kept_, self.dropped_ = screened.kept, screened.dropped
            self.note_ = screened.sentence(lambda columns: names_of(columns, names))
        # what is constant would only be drawn in vain
        seen = self.kept_[~constant_columns(table)[self.kept_]]
        among = seen if 0 < len(seen) < table.shape[1] else None
        return Columns.of(table, self._rule("rescale"), binary, among)

    def _growth(self, n: int, p: int) -> Growth:
        d = n_candidates(self._rule("n_projections"), p)
        return self._rules(
            n, p, self._rule("projection"),
            n_nonzeros=n_nonzeros(self.nonzeros, p, d),
            shortlist=n_listed(self._rule("shortlist"), p),
            child_search_fraction=self._rule("patience"),
        )  # fmt: skip

    def _text(self) -> Say:
        shift, span = self._columns.units(self.n_features_in_)
        kept = self._columns.kept
        numbers = range(self.n_features_in_) if kept is None else kept.tolist()
        names_in = getattr(self, "feature_names_in_", None)
        names = [f"x{j}" if names_in is None else str(names_in[j]) for j in numbers]
        return Linear(names, shift, span)


class GeodesicForest(ColumnForest):
    """Geodesic Forest (GF, alias URerF); with ``projection="axis"``, URF.

    Each tree cuts sparse one-dimensional projections of a bootstrap sample where two
    clusters separate best; two points are near when they often share a leaf:
    S_ij = L_ij / T_ij, distance 1 - S_ij. Only neighbour sets are meaningful, not the
    distances themselves.

    It withstands noise columns of any shape, as long as they are independent of all others: columns
    that depend on no other one are dropped before a tree grows (``ColumnScreen("auto")``, pairs and
    correlations), and ``kept_``, ``dropped_`` and ``note_`` say which. Precision at 50 of a knot in
    space (1000 points, chance .05) is .91 without noise, and .91 with 30 columns of normal,
    Laplace, Poisson, uniform or lognormal noise, of t with 2 degrees of freedom, of mixtures of two
    normals, or of four uneven values. All columns seen (``screen=None``) it is .86 among normal,
    Laplace and Poisson noise, .38 with t, .19 uniform, .12 lognormal, .10 two normals, .09 four
    values. After ``exp`` of all columns it is .89; after their cube, which crowds most values
    together, .82.

    Where these keep fewer than two of twenty columns or more, columns of related sizes are kept:
    each is far from its median in the rows in which another one is far from its own, or near it.
    The coordinates of a sphere in five dimensions are such columns. All columns are kept where
    fewer than two would be, where at most one, or one in twenty, would be dropped, and beyond 4000
    columns, whose pairs take much longer than the trees. A column that belongs to the structure but
    depends on no other alone (the width of a Swiss roll) is dropped with the noise; noise columns
    that depend on one another are kept.

    A node draws one candidate after the other until two Gaussians explain one of them
    better than a single Gaussian does, or ``max_projections`` are drawn, and cuts the best of
    these. Among structure this stops after one or two candidates, among noise it searches; neither
    needs to be known beforehand, and columns are standardised, so that no scale matters. After
    each sqrt(p) candidates of all columns it draws as many of those on a shortlist, the columns
    that are most clustered by themselves in the whole table: two Gaussians may explain them badly,
    but noise still worse. Where a node has found nothing, its children search half as long. The
    best is that of the smallest mean-BIC: delta-BIC, which asks for two clusters, and half the BIC
    of a single Gaussian, which asks for a column that the cuts above have made narrow. They narrow
    what depends on them, and leave noise as wide as it was.

    A column of numbers recorded in steps h, such as whole numbers, categories as zeros and ones, or
    anything rounded, is not two clusters because of its steps: each side's variance gets h^2 / 12,
    that within a step (Sheppard 1898); a sum or difference has the wider steps of the two. Nor is
    it narrow where it is nearly constant: mean-BIC counts it as wide as at first.

    No side may be smaller than ``min_share`` of its node, so that a tree is no deeper than a few
    times log N. With another criterion "auto" stands for the paper's search: sqrt(p) oblique
    candidates of the raw columns, end cuts allowed, as deep as it goes. The paper's own rules are
    in `AS_WRITTEN`, its program's in `AS_RUN`.

    Two parameters are worth changing first: `n_estimators`, since more trees make lists steadier,
    and `n_neighbors`, as many as will be asked for. The others serve the papers' variants, and
    tables that the screen cannot help.

    Parameters
    ----------
    n_estimators : int
        Trees T.
    n_neighbors : int
        Default of `kneighbors`; leaves are large enough for as many.
    criterion : str
        ``"fast_bic"`` (corrected form), ``"two_means"``, ``"mclust_bic"``; not in the paper,
        ``"delta_bic"`` (Fast-BIC minus the BIC of one Gaussian: scale-free) and ``"mean_bic"``
        (the mean of the two, until delta-BIC is below 0); and as the authors' programs compute
        them, ``"fast_bic_legacy"``, ``"mclust_bic_legacy"``.
    projection : {"auto", "mixed", "oblique", "axis"}
        Candidates are single columns, sparse combinations with weights +-1, or both: a column,
        or the sum or difference of two, with equal chances and one at a time.
    n_projections : int, float or "sqrt"
        Candidates drawn at a time (mtry; not with "mixed"): a number, a multiple of sqrt(p),
        or ceil(sqrt(p)).
    max_projections : int, float, "auto" or None
        Most candidates of a node: a number, or a multiple of sqrt(p). More are drawn until one is
        good enough: with mean-BIC and delta-BIC, better than one Gaussian; with other criteria,
        any that can be cut. With None a node draws once.
    shortlist : int, float, "auto" or None
        Columns on the shortlist ("mixed"): a number, a multiple of sqrt(p), or "auto", sqrt(p) but
        at least ten. They are those of the smallest delta-BIC per row. With None all candidates are
        drawn from all columns.
    patience : float or "auto"
        The children of a node where no candidate was good enough draw at most this share of its
        candidates. With 1 every node is searched as long as the root.
    nonzeros : "scattered", "one_per_projection" or float
        Non-zeros over the p x d matrix of a node ("oblique"): floor(1.5 d), d (as run), or the
        share lambda of all cells, max(1, round(lambda p d)) (as written: 0.05).
    min_parent : int, "auto" or "sqrt"
        Nodes with fewer bag rows are leaves; "sqrt" is round(sqrt(N)), "auto" twice as many, at
        most 100, but at least twice the neighbours.
    min_leaf : int
        Fewest bag rows on each side of a cut.
    min_share : float or "auto"
        Smallest side of a cut, as a share of the node's bag rows.
    variance_floor : float or "auto"
        The criteria with "bic": lower bound of a side's variance relative to
        the node's along the projection. 0 skips cuts with a zero-variance side.
    max_depth : int, optional
        By default trees are as deep as they grow. Without `min_share` Fast-BIC peels off single
        points of structureless nodes, and trees may be as deep as N.
    max_search : int, "auto" or None
        Nodes with more distinct bag rows choose their cut on this many of them, drawn at random;
        with None on all. "auto" is 1,000 with mean-BIC and delta-BIC, which tell two clusters apart
        on fewer, and None with other criteria.
    bootstrap : bool
        Draw N of N rows with replacement for each tree.
    pairs : {"all", "in_bag", "oob"}
        Which pairs a tree counts; T_ij is the number of trees that count the pair.
    missing : "refuse"
        NaN is an error.
    rescale : {"auto", "robust", "standard", "min_max", "none"}
        Bring every column to mean 0 and variance 1 first, the variance with or without the farthest
        twentieth on either side drawn in, or to [0, 1]. "auto" is "robust" with mean-BIC: half of
        it compares widths, and far values must not make the rest of a column look narrow. With
        delta-BIC, "standard" by "auto", only sums and differences depend on it.
    binary_columns : {"warn", "keep", "exclude"}
        With another criterion than mean-BIC and delta-BIC a column with two values is a perfect
        two-cluster projection and drowns all others; "warn" says so. These two know steps and say
        nothing; columns of a few unevenly spaced values still are clusters to them.
    screen : "auto" or None
        With "auto", mean-BIC and delta-BIC see only columns that depend on another one, other
        criteria all; with None all are seen.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    random_state : int, RandomState or None
    verbose : bool
        Print how many trees are grown, ten times.

    Attributes
    ----------
    forest_ : Forest
    kept_, dropped_ : arrays of int
        Numbers of the columns that the screen has kept and dropped.
    note_ : str
        A sentence about what was dropped, or why nothing was; empty if there is nothing to say.
    n_features_in_ : int
    feature_names_in_ : (p,) array of str
        If X is a data frame with text column names.

    References
    ----------
    Madhyastha et al., Geodesic Forests, KDD 2020.

    Sheppard, On the calculation of the most probable values of frequency-constants, for data
    arranged according to equidistant divisions of a scale, Proc. London Math. Soc. 29, 1898.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.linspace(0, 1, 200)
    >>> X = np.c_[4 * t, 6 * t, 9 * t]
    >>> forest = GeodesicForest(n_estimators=50, random_state=1).fit(X)
    >>> distances, indices = forest.kneighbors(n_neighbors=5)
    >>> bool(np.abs(indices - np.arange(200)[:, None]).max() < 60)
    True

    Among skewed noise columns:

    >>> noisy = np.c_[X, np.random.default_rng(0).lognormal(size=(200, 30))]
    >>> forest = GeodesicForest(n_estimators=50, random_state=1).fit(noisy)
    >>> forest.kept_.tolist(), len(forest.dropped_)
    ([0, 1, 2], 30)
    >>> indices = forest.kneighbors(n_neighbors=5, return_distance=False)
    >>> bool(np.abs(indices - np.arange(200)[:, None]).max() < 60)
    True
    """

    pairs: Pairs = "all"
