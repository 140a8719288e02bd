"""k-means, from scikit-learn."""

from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans as ScikitKMeans
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.baselines._scaling import Rescale, Scaling
from geoforest_cli.baselines._validate import table_of


class KMeans(BaseEstimator):
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

    def __init__(
        self,
        *,
        starts: Annotated[int, Field(ge=1)] = 10,
        rescale: Rescale = "none",
        random_state: int | None = None,
    ) -> None:
        self.starts = starts
        self.rescale = rescale
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Keep the points X (N, p)."""
        points = table_of(self, X, reset=True)
        self.points_ = Scaling.fit(points, self.rescale).apply(points)
        return self

    def clusters(self, n_clusters: int) -> npt.NDArray[np.int64]:
        """Return the cluster of each point (N,)."""
        check_is_fitted(self)
        seed = None if self.random_state is None else int(self.random_state) % 2**31
        found = ScikitKMeans(n_clusters, n_init=self.starts, random_state=seed).fit(self.points_)
        labels: npt.NDArray[np.int64] = found.labels_.astype(np.int64)
        return labels
