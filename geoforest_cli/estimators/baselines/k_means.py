"""k-means, from scikit-learn."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans as ScikitKMeans
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, seed_31_bits
from geoforest_cli.estimators.base.table import TableEstimator


class KMeans(TableEstimator):
    """Clusters about means.

    Parameters
    ----------
    starts : int
        Runs, of which the best is kept.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional

    Examples
    --------
    >>> X = [[0.0], [0.1], [9.0], [9.1]]
    >>> labels = KMeans(random_state=0).fit(X).clusters(2)
    >>> bool(labels[0] == labels[1] != labels[2])
    True
    """

    starts: PositiveInt = 10
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Keep the points X (N, p)."""
        self.points_ = self._fit_points(X)
        return self

    def clusters(self, n_clusters: int) -> npt.NDArray[np.int64]:
        """Return the cluster of each point (N,)."""
        check_is_fitted(self)
        seed = seed_31_bits(self.random_state)
        fitted = ScikitKMeans(n_clusters, n_init=self.starts, random_state=seed).fit(self.points_)
        labels: npt.NDArray[np.int64] = fitted.labels_.astype(np.int64)
        return labels
