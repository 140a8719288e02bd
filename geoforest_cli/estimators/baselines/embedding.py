"""A transformer as a method of neighbours: distances between the places it gives to points."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.metrics import pairwise_distances


class Embedding:
    """Euclidean distances in what a transformer makes of the points.

    Parameters
    ----------
    transformer : object
        With ``fit_transform(X)``, such as scikit-learn's PCA.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> Embedding(PCA(1)).fit([[0.0, 0.0], [3.0, 4.0]]).distances()[0].round(6).tolist()
    [0.0, 5.0]
    """

    kind = "neighbors"

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Place the points X (N, p)."""
        self.embedding_ = self.transformer.fit_transform(X)
        return self

    def distances(self) -> npt.NDArray[np.float64]:
        """Return the distances between the places (N, N)."""
        lengths: npt.NDArray[np.float64] = pairwise_distances(self.embedding_)
        return lengths
