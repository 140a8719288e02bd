"""Proximities of pairs of rows in a fitted forest."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.core.errors import InvalidParameterError
from geoforest_cli.estimators.base.parameters import check_argument
from geoforest_cli.estimators.forests.forest import Forest, Pairs
from geoforest_cli.estimators.forests.proximity import proximity, sparse_proximity
from geoforest_cli.estimators.forests.weights import (
    OUT_OF_BAG,
    Weights,
    dense_weighted,
    sparse_weighted,
)

__all__ = ["ForestProximity"]


class ForestProximity(BaseEstimator):
    """Proximities of rows by the leaves that they share."""

    bootstrap: bool
    n_jobs: int | None
    forest_: Forest

    @abstractmethod
    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the (n, T) numbers of the leaves that the rows of X reach."""

    @overload
    def proximity(
        self,
        X: npt.ArrayLike | None = None,
        *,
        weights: Weights = "uniform",
        sparse: Literal[False] = False,
    ) -> npt.NDArray[np.float64]: ...

    @overload
    def proximity(
        self,
        X: npt.ArrayLike | None = None,
        *,
        weights: Weights = "uniform",
        sparse: Literal[True],
    ) -> csr_array: ...

    def proximity(
        self,
        X: npt.ArrayLike | None = None,
        *,
        weights: Weights = "uniform",
        sparse: bool = False,
    ) -> npt.NDArray[np.float64] | csr_array:
        r"""Return the proximities of the training rows (N, N), or of new rows to them (n, N).

        With :math:`\ell_t(i)` the leaf of row i in tree t of T, :math:`c_j(t)` how often j is in
        the bag of tree t, and :math:`S_i` the trees whose bag lacks i, they are

        .. math::

            \begin{aligned}
            \text{uniform:} \quad & \frac1T \sum_t I(\ell_t(i) = \ell_t(j)) \\
            \text{oob:} \quad & \frac1{|S_i \cap S_j|}
                \sum_{t \in S_i \cap S_j} I(\ell_t(i) = \ell_t(j)) \\
            \text{kerf:} \quad & \frac1T \sum_t \frac{I(\ell_t(i) = \ell_t(j))}
                {|\{k : \ell_t(k) = \ell_t(i)\}|} \\
            \text{gap:} \quad & \frac1{|S_i|} \sum_{t \in S_i}
                \frac{c_j(t)\, I(\ell_t(i) = \ell_t(j))}
                {\sum_k c_k(t)\, I(\ell_t(k) = \ell_t(i))}
            \end{aligned}

        For a new row i every tree is in :math:`S_i`.

        Parameters
        ----------
        X : (n, p) array, optional
            New rows; without it the training rows.
        weights : {"uniform", "oob", "kerf", "gap"}
            uniform: share of trees in which two rows share a leaf; symmetric, diagonal 1. oob: the
            same over the trees that have both rows out of their bag; symmetric, diagonal 1. kerf:
            each tree counts 1 over the number of training rows in the leaf; symmetric, rows add
            up to 1, and it averages responses as the forest does if ``bootstrap=False``. (KeRF's
            own prediction divides sums of trees: that is "uniform", its rows divided by their
            sums.) gap: rows add up to 1, and averages of the training responses, or of indicators
            of classes, with these weights are the out-of-bag predictions of a forest, and for new
            rows its predictions (with ``voting="mean"``); the diagonal is 0, and the matrix is not
            symmetric: ``(P + P.T) / 2`` is, where a method needs it.
        sparse : bool
            Return only the pairs that share a leaf in some tree, as a scipy.sparse.csr_array.

        Returns
        -------
        ndarray or csr_array
            Where no tree counts a pair (oob) the dense matrix has NaN and the sparse one no entry.
            A training row that is in every bag has no out-of-bag prediction either: by gap its row
            is NaN, in the sparse matrix its diagonal.

        Raises
        ------
        ValueError
            For "oob" and "gap" if the forest has ``bootstrap=False``; for new rows, or other
            weights than "uniform", if it has another `pairs` than "all".
        DataError
            If the matrix does not fit in the free memory.

        References
        ----------
        Breiman, Random forests, Machine Learning 45, 2001 (uniform). Scornet, Random forests and
        kernel methods, IEEE Transactions on Information Theory 62, 2016 (kerf). Rhodes, Cutler
        and Moon, Geometry- and accuracy-preserving random forest proximities, IEEE Transactions
        on Pattern Analysis and Machine Intelligence 45, 2023 (oob, gap).

        Examples
        --------
        >>> from geoforest_cli import RandomForestRegressor
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(size=(100, 3))
        >>> y = X[:, 0] ** 2
        >>> forest = RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, y)
        >>> P = forest.proximity(weights="gap", sparse=True)
        >>> bool(np.allclose(P @ y, forest.oob_prediction_))
        True
        >>> new = forest.proximity([[0.5, 0.5, 0.5]], weights="gap")
        >>> bool(np.allclose(new @ y, forest.predict([[0.5, 0.5, 0.5]])))
        True
        """
        check_is_fitted(self)
        check_argument("weights", weights, Weights)
        pairs: Pairs = getattr(self, "pairs", "all")
        if pairs != "all" and (X is not None or weights != "uniform"):
            what = f'weights="{weights}"' if X is None else "the proximity of new rows"
            raise InvalidParameterError(f'{what} needs pairs="all", not {pairs!r}')
        if weights in OUT_OF_BAG:
            self._require_bags(f'weights="{weights}"')
        forest = self.forest_
        if X is not None or weights in {"kerf", "gap"}:
            leaves = None if X is None else self.apply(X).T
            weighted = sparse_weighted if sparse else dense_weighted
            return weighted(forest, weights, leaves, self.n_jobs)
        if weights == "oob":
            pairs = "oob"
        if sparse:
            return sparse_proximity(forest.leaf_of, forest.in_bag > 0, pairs, self.n_jobs)
        return proximity(forest.leaf_of, forest.in_bag > 0, pairs)

    def get_in_bag_counts(self) -> npt.NDArray[np.int32]:
        """Return how often each training row is in each tree's bag (N, T).

        Raises
        ------
        ValueError
            If the forest has ``bootstrap=False``.
        """
        check_is_fitted(self)
        self._require_bags("get_in_bag_counts")
        return self.forest_.in_bag.T.astype(np.int32)

    def _require_bags(self, what: str) -> None:
        if not self.bootstrap:
            raise InvalidParameterError(f"{what} needs bootstrap=True: else no row is out of a bag")
