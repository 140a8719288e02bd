"""Linear combinations of columns that carry structure."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import Seed, seed_31_bits
from geoforest_cli.estimators.directions.families import Family, find_families
from geoforest_cli.estimators.directions.whitening import (
    Whitened,
    dependent_columns,
    own_metric,
    standardised,
    whiten,
)
from geoforest_cli.estimators.screening.base import Level
from geoforest_cli.estimators.screening.row_order import warn_of_dependent_rows

__all__ = ["FEW_ROWS", "TOO_FEW_ROWS", "DirectionScreen"]

Floats = npt.NDArray[np.float64]

TOO_FEW_ROWS = 2  # per column: below, any table has directions as far from normal as any other
FEW_ROWS = 5  # per column: below, hardly anything is found
_FEW_VALUES = 20  # of a column: its steps are clusters
_ITSELF = 0.8  # squared multiple correlation of a column with directions that it is part of


class DirectionScreen(TransformerMixin, Estimator):
    r"""Finds the linear combinations of columns that carry structure, where columns are mixed.

    The columns are whitened. If a table is signal and jointly normal noise, mixed by any matrix,
    the signal spans the directions whose scores are not normal. A search maximises

    .. math:: z(u) = \frac{\sqrt n}{\sigma} \Big(2^{-1/2} - \frac 1n \sum_i
              \exp\big(-\tfrac12 (u^T z_i)^2\big)\Big)

    over unit vectors u: light tails and clusters. Its maximum is compared with what the search
    finds in normal noise of as many rows and columns. A direction that is surely none of these
    begins a family. Directions whose mean or spread depends on the family join it; its space is
    turned uphill in a likelihood with a kernel density inside and a normal one outside, and loses
    dimensions that add nothing. The search then goes on in the complement.

    Parameters
    ----------
    level : float
        The chance that a table of nothing but normal noise has any direction.
    standardise : bool
        Measure distances among the directions in standardised columns, not in the columns as they
        are: for columns of different units. Which directions are found does not depend on it.
    on_none : {"error", "empty"}
        What `transform` does where no direction was found: refuse, or return no column.
    random_state : int, optional
        Of the starts of the search, and of the permutations.

    Attributes
    ----------
    components_ : (k, p) float64
        One direction per row: ``transform`` is the centred table times its transpose.
    families_ : (k,) int64
        The family of each direction, from 1, in the order in which they are found.
    p_values_ : (k,) float64
        How often the search finds as strong a direction in normal noise: of the family, whose
        directions are defined up to a rotation.
    scores_ : (k,) float64
        The contrast z of the direction that the family began with.
    mean_ : (p,) float64
    rank_ : int
    dependent_ : (p - r,) int64, r being the rank
        Columns that are constant, or that other columns determine: they add nothing.
    n_features_in_ : int
    feature_names_in_ : (p,) array of str
        If X is a data frame with text column names.

    Notes
    -----
    Ten rows per column are needed for most shapes; with fewer than five a warning says so, and
    with fewer than two nothing is tested. Normal directions of the signal are lost. Noise columns
    that are not normal are structure to this screen, families of their own. Where the columns are
    not mixed take `ColumnScreen`; behind it this screen gains nothing. Columns of at most
    twenty values are clustered by their steps: a family that is nothing but such columns, not
    mixed with others, is not reported.

    The p-values are those of a Gumbel distribution. Its parameters are tabulated for 200 to
    10,000 rows and up to 100 columns; more rows count as 10,000, and for other sizes 30 searches in
    simulated noise take their place.

    References
    ----------
    Blanchard, Kawanabe, Sugiyama, Spokoiny and Mueller, In search of non-Gaussian components of a
    high-dimensional distribution, JMLR 7, 2006. Tyler, Critchley, Duembgen and Oja, Invariant
    co-ordinate selection, JRSS B 71, 2009. Nordhausen, Oja, Tyler and Virta, Asymptotic and
    bootstrap tests for the dimension of the non-Gaussian subspace, IEEE Signal Processing Letters
    24, 2017.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(0, 2 * np.pi, 500)
    >>> X = np.c_[np.cos(t), np.sin(t), rng.normal(size=(500, 8))] @ rng.normal(size=(10, 10))
    >>> screen = DirectionScreen(random_state=0).fit(X)
    >>> screen.families_.tolist(), bool(screen.p_values_.max() < 1e-6)
    ([1, 1], True)
    >>> screen.transform(X).shape
    (500, 2)
    """

    level: Level = 0.01
    standardise: bool = False
    on_none: Literal["error", "empty"] = "error"
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Find the directions of X (n, p), whose rows are independent of each other.

        y is ignored.

        Raises
        ------
        ValueError
            For NaN, infinities, text, an empty table, a parameter that is out of range.

        Warns
        -----
        DependentRowsWarning
            If rows depend on those before them.
        """
        table: npt.NDArray[Any] = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        warn_of_dependent_rows(table, getattr(self, "feature_names_in_", None))
        whitened = whiten(table)
        n, self.rank_ = whitened.scores.shape
        self.mean_ = whitened.mean
        self.dependent_ = np.zeros(0, np.int64)
        if self.rank_ < table.shape[1]:
            self.dependent_ = dependent_columns(table, self.rank_)
        families: list[Family] = []
        if _enough_rows(n, self.rank_, table.shape[1]):
            rng = np.random.default_rng(seed_31_bits(self.random_state))
            families = find_families(whitened.scores, self.level, rng)
        self._keep(families, whitened, table)
        return self

    def _keep(self, families: list[Family], whitened: Whitened, table: npt.NDArray[Any]) -> None:
        values = standardised(table)[0]
        families = [f for f in families if not _is_of_few_values(f, whitened, table)]
        scale = np.ones_like(whitened.width) if self.standardise else whitened.width
        parts = [own_metric(family.basis, whitened, values, scale) for family in families]
        sizes = [len(part) for part in parts]
        self.components_ = np.vstack([np.empty((0, table.shape[1])), *parts])
        self.families_ = np.repeat(np.arange(1, len(sizes) + 1), sizes).astype(np.int64)
        self.p_values_ = np.repeat([family.p_value for family in families], sizes).astype(float)
        self.scores_ = np.repeat([family.z for family in families], sizes).astype(float)

    def transform(self, X: npt.ArrayLike) -> Floats:
        """Project X (n, p) to the directions (n, k).

        Within a family, distances are those of the columns' part that its directions predict.

        Raises
        ------
        ValueError
            If no direction was found, unless `on_none` is "empty".
        """
        check_is_fitted(self)
        table: npt.NDArray[Any] = validate_data(
            self, X, dtype=[np.float64, np.float32], reset=False
        )
        if self.on_none == "error" and not len(self.components_):
            raise DataError(
                f"no direction was found at level={self.level:g}, so that the projection would "
                "have no column; on_none='empty' returns none"
            )
        projected: Floats = (table.astype(np.float64) - self.mean_) @ self.components_.T
        return projected

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name per direction: family1_1, family1_2, family2_1, ...

        Raises
        ------
        ValueError
            For other names of the columns than `fit` has seen, or another number of them.
        """
        check_is_fitted(self)
        if input_features is not None:
            _require_names(self, np.asarray(input_features, object))
        within = [
            1 + int((self.families_[:number] == family).sum())
            for number, family in enumerate(self.families_)
        ]
        names = [f"family{a}_{b}" for a, b in zip(self.families_, within, strict=True)]
        return np.array(names, object)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _is_of_few_values(family: Family, whitened: Whitened, table: npt.NDArray[Any]) -> bool:
    """Tell whether a family is but columns of few values, which are clustered by themselves."""
    along = whitened.scores @ family.basis
    shares = ((standardised(table)[0].T @ along / len(table)) ** 2).sum(axis=1)
    themselves = table[:, shares > _ITSELF].T
    few = sum(len(np.unique(column)) <= _FEW_VALUES for column in themselves)
    return bool(few >= family.basis.shape[1])


def _enough_rows(n: int, rank: int, p: int) -> bool:
    """Return whether there are enough rows for a test; warn where there are few."""
    if rank == 0:
        return False
    if n < TOO_FEW_ROWS * rank:
        warnings.warn(
            f"{n} rows of {p} columns: fewer than {TOO_FEW_ROWS} rows per column cannot be tested, "
            "and no direction is reported",
            stacklevel=4,
        )
        return False
    if n < FEW_ROWS * rank:
        warnings.warn(
            f"{n} rows of {p} columns: with fewer than {FEW_ROWS} rows per column hardly any "
            "direction is found",
            stacklevel=4,
        )
    return True


def _require_names(screen: DirectionScreen, names: npt.NDArray[np.object_]) -> None:
    fitted_names = getattr(screen, "feature_names_in_", None)
    if fitted_names is not None and not np.array_equal(fitted_names, names):
        raise ValueError("input_features is not equal to feature_names_in_")
    if len(names) != screen.n_features_in_:
        raise ValueError(
            f"input_features should have length equal to number of features "
            f"({screen.n_features_in_}), got {len(names)}"
        )
