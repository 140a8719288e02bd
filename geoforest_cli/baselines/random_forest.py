"""Unsupervised random forest of Shi and Horvath: real points against shuffled copies."""

import math
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.forests.forest import Forest, Growth, Pairs, grow_forest
from geoforest_cli.forests.proximity import leaf_counts

CITE = """@article{shi2006unsupervised,
  author = {Shi, Tao and Horvath, Steve},
  title = {Unsupervised Learning with Random Forest Predictors},
  journal = {Journal of Computational and Graphical Statistics},
  volume = {15}, number = {1}, pages = {118--138}, year = {2006}
}"""


class SyntheticForest(BaseEstimator):
    """Random forest that tells the data from a copy with independently permuted columns.

    The distance of two points is 1 minus the share of trees, among those that have both
    out of the bag, in which they end in one leaf. Trees are grown to purity on
    floor(sqrt(p)) random columns per node, as in R's randomForest.

    Parameters
    ----------
    n_estimators : int
    n_projections : int or "sqrt"
        Columns tried per node (mtry); "sqrt" is floor(sqrt(p)).
    pairs : {"oob", "all", "in_bag"}
        Which pairs a tree counts.
    n_jobs : int, optional
    random_state : int, RandomState or None

    References
    ----------
    Shi and Horvath, Unsupervised learning with random forest predictors, JCGS 2006.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> X[:, 1] = X[:, 0]
    >>> D = SyntheticForest(n_estimators=100, random_state=1).fit(X).distances()
    >>> bool(np.nanmean(D[np.argsort(X[:, 0])[:5]][:, np.argsort(X[:, 0])[-5:]]) > 0.9)
    True
    """

    def __init__(
        self,
        n_estimators: Annotated[int, Field(ge=1)] = 300,
        *,
        n_projections: Annotated[int, Field(ge=1)] | Literal["sqrt"] = "sqrt",
        pairs: Pairs = "oob",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_projections = n_projections
        self.pairs = pairs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Grow the forest on the rows of X (N, p) and a shuffled copy; y is ignored.

        Raises
        ------
        ValueError
            For NaN, infinities, text, an empty table or fewer than two rows.
        """
        points: npt.NDArray[Any] = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        n, p = points.shape
        seed = self.random_state
        if not isinstance(seed, int | np.integer):
            seed = int(check_random_state(seed).randint(0, 2**31 - 1))
        shuffled = np.random.default_rng(int(seed)).permuted(points, axis=0)
        d = math.isqrt(p) if self.n_projections == "sqrt" else self.n_projections
        growth = Growth("gini", "axis", n_projections=d, n_nonzeros=d, min_parent=2)
        labels = np.repeat(np.array([0, 1], np.int32), n)
        self.forest_: Forest = grow_forest(
            np.concatenate([points, shuffled]), growth, self.n_estimators, int(seed),
            labels=labels, n_jobs=self.n_jobs,
        )  # fmt: skip
        self._n_points = n
        return self

    def proximity(self) -> npt.NDArray[np.float64]:
        """Return S (N, N); NaN where no tree counts the pair."""
        check_is_fitted(self)
        return leaf_counts(self.forest_, self.pairs, n_points=self._n_points).proximity()

    def distances(self) -> npt.NDArray[np.float64]:
        """Return 1 - S (N, N)."""
        return 1.0 - self.proximity()
