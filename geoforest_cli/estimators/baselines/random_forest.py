"""Unsupervised random forest of Shi and Horvath: real points against shuffled copies."""

import math
from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import Jobs, PositiveInt, TwoOrMore, root_seed
from geoforest_cli.estimators.base.validation import constant_columns, without_rounding
from geoforest_cli.estimators.forests.forest import Leaves, Pairs
from geoforest_cli.estimators.forests.growth import Growth, grow_forest
from geoforest_cli.estimators.forests.proximity import count_leaves
from geoforest_cli.estimators.forests.sizes import smallest_parent


class SyntheticForest(Estimator):
    """Random forest that tells the data from a copy with independently permuted columns.

    The distance of two points is 1 minus the share of trees, among those that have both
    out of the bag, in which they end in one leaf. Trees are grown to purity on
    floor(sqrt(p)) random columns per node, as in R's randomForest, unless `min_parent` and
    `pairs` make it like a Geodesic Forest.

    Parameters
    ----------
    n_estimators : int
    n_projections : int or "sqrt"
        Columns tried per node (mtry); "sqrt" is floor(sqrt(p)) as in R, where the other forests
        here round up.
    min_parent : int, "auto" or "sqrt"
        Nodes with fewer bag rows, shuffled ones included, are leaves; by default trees are grown
        to purity. "sqrt" and "auto" are those of `GeodesicForest` for N rows.
    min_leaf : int
        Fewest bag rows on each side of a cut.
    pairs : {"oob", "all", "in_bag"}
        Which pairs a tree counts.
    engine : {"geoforest", "scikit-learn"}
        Whose trees: ours, or those of scikit-learn's RandomForestClassifier (the peer that
        ours is timed against and tested with).
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

    n_estimators: PositiveInt = field(default=300, kw_only=False)
    n_projections: PositiveInt | Literal["sqrt"] = "sqrt"
    min_parent: TwoOrMore | Literal["auto", "sqrt"] = 2
    min_leaf: PositiveInt = 1
    pairs: Pairs = "oob"
    engine: Literal["geoforest", "scikit-learn"] = "geoforest"
    n_jobs: Jobs = None
    random_state: Any = None

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
        varying = ~constant_columns(points)
        points = points[:, varying] if varying.any() else without_rounding(points)
        n, p = points.shape
        seed = root_seed(self.random_state)
        shuffled = np.random.default_rng(seed).permuted(points, axis=0)
        d = math.isqrt(p) if self.n_projections == "sqrt" else self.n_projections
        labels = np.repeat(np.array([0, 1], np.int32), n)
        both = np.concatenate([points, shuffled])
        if self.engine == "scikit-learn":
            self._leaf_of: Leaves
            self._leaf_of, self._in_bag = self._fit_peer(both, labels, n, d, seed)
            return self
        growth = Growth(
            "gini", "axis", n_projections=d, n_nonzeros=d,
            min_parent=smallest_parent(self.min_parent, n), min_leaf=self.min_leaf,
        )  # fmt: skip
        forest = grow_forest(
            both, growth, self.n_estimators, seed, target=labels, n_jobs=self.n_jobs
        )
        self._leaf_of, self._in_bag = forest.leaf_of[:, :n], forest.in_bag[:, :n] > 0
        return self

    def _fit_peer(
        self, both: npt.NDArray[Any], labels: npt.NDArray[np.int32], n: int, d: int, seed: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        forest = RandomForestClassifier(
            self.n_estimators,
            max_features=d,
            random_state=seed % 2**32,
            n_jobs=self.n_jobs,
            min_samples_split=smallest_parent(self.min_parent, n),
            min_samples_leaf=self.min_leaf,
        ).fit(both, labels)
        in_bag = np.zeros((self.n_estimators, len(both)), np.bool_)
        for t, drawn in enumerate(forest.estimators_samples_):
            in_bag[t, drawn] = True
        return forest.apply(both[:n]).T.astype(np.int32), in_bag[:, :n]

    def proximity(self) -> npt.NDArray[np.float64]:
        """Return S (N, N); NaN where no tree counts the pair."""
        check_is_fitted(self)
        return count_leaves(self._leaf_of, self._in_bag, self.pairs).proximity()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_leaf_of")

    def distances(self) -> npt.NDArray[np.float64]:
        """Return 1 - S (N, N)."""
        return 1.0 - self.proximity()
