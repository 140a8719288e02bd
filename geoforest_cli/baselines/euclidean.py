"""Euclidean distance between the rows."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from geoforest_cli.baselines._validate import check_points


class Euclidean:
    """Plain Euclidean distance: what a geodesic method has to beat.

    Examples
    --------
    >>> Euclidean().fit([[0, 0], [3, 4]]).distances()
    array([[0., 5.],
           [5., 0.]])
    """

    def __init__(self) -> None:
        pass

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Keep the points X (N, p)."""
        self.points_ = check_points(X)
        return self

    def distances(self) -> npt.NDArray[np.float64]:
        """Return |x_i - x_j| (N, N)."""
        lengths: npt.NDArray[np.float64] = cdist(self.points_, self.points_)
        return lengths
