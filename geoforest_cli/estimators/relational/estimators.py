"""EPM and NARM as estimators of link probabilities."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import PositiveInt
from geoforest_cli.estimators.relational.chain import Chain, checked_network, start_chain

__all__ = ["EdgePartition", "NodeAttributeModel"]

Floats = npt.NDArray[np.float64]


class EdgePartition(Estimator):
    """Infinite edge partition model (EPM): overlapping communities explain the links.

    P(link) = 1 - exp(-phi_i' Lam phi_j); a hierarchical gamma process switches communities off.
    The mean of the link probabilities over the collected sweeps of a Gibbs sampler predicts.

    Parameters
    ----------
    n_communities : int
        K, the most communities.
    n_burnin, n_samples : int
        Sweeps before and while the mean is taken.
    random_state : int, RandomState or None

    Attributes
    ----------
    probabilities_ : (N, N)
    chain_ : Chain
        The state after the last sweep; `advance` goes on from it.

    References
    ----------
    Zhou, Infinite edge partition models for overlapping community detection and link prediction,
    AISTATS 2015.

    Examples
    --------
    >>> A = np.kron(np.eye(2), np.ones((6, 6))).astype(int)
    >>> np.fill_diagonal(A, 0)
    >>> found = EdgePartition(5, n_burnin=150, n_samples=100, random_state=0).fit(A)
    >>> bool(found.probabilities_[0, 1] > found.probabilities_[0, 7])
    True
    """

    n_communities: PositiveInt = field(default=100, kw_only=False)
    n_burnin: Annotated[int, Field(ge=0)] = 1500
    n_samples: PositiveInt = 1500
    random_state: Any = None

    def fit(self, A: npt.ArrayLike, observed: npt.ArrayLike | None = None) -> Self:
        """Run the chain on a network.

        Parameters
        ----------
        A : (N, N) 0/1, symmetric, without loops
        observed : (N, N) bool, optional
            Pairs to learn from; by default all.
        """
        return self._run(start_chain(A, self.n_communities, self._rng(), observed=observed))

    def advance(self, sweeps: int) -> Self:
        """Collect that many more sweeps."""
        check_is_fitted(self)
        for _ in range(sweeps):
            self.chain_.sweep()
            self.chain_.collect()
        self.probabilities_: Floats = self.chain_.probabilities
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def _run(self, chain: Chain) -> Self:
        self.chain_ = chain
        for _ in range(self.n_burnin):
            chain.sweep()
        return self.advance(self.n_samples)

    def _rng(self) -> np.random.Generator:
        seed = check_random_state(self.random_state).randint(0, 2**32, dtype=np.uint32)
        return np.random.default_rng(int(seed))


class NodeAttributeModel(EdgePartition):
    """Node attribute relational model (NARM): EPM whose memberships depend on attributes.

    phi_ik ~ Gamma(prod_l h_lk^f_il, c_i); a node without an observed pair is drawn from this
    prior, so that links of new nodes can be predicted.

    Parameters
    ----------
    n_communities, n_burnin, n_samples, random_state
        As for `EdgePartition`.
    exact : bool
        The programs' step for the attributes' weights sums out the memberships of all nodes at
        once, although they depend on each other: its chain has not quite the model's posterior.
        True takes a Metropolis step instead, which has, and costs more.

    Attributes
    ----------
    probabilities_, chain_
        As for `EdgePartition`; the attributes' weights are in ``chain_.attributes.weights``.

    References
    ----------
    Zhao, Du and Buntine, Leveraging node attributes for incomplete relational data, ICML 2017.

    Examples
    --------
    >>> A = np.kron(np.eye(2), np.ones((6, 6))).astype(int)
    >>> np.fill_diagonal(A, 0)
    >>> F = np.kron(np.eye(2), np.ones((6, 1))).astype(int)
    >>> model = NodeAttributeModel(5, n_burnin=150, n_samples=100, random_state=0).fit(A, F=F)
    >>> bool(model.probabilities_[0, 1] > model.probabilities_[0, 7])
    True
    """

    exact: bool = False

    def fit(
        self,
        A: npt.ArrayLike,
        observed: npt.ArrayLike | None = None,
        F: npt.ArrayLike | None = None,
    ) -> Self:
        """Run the chain on a network and the nodes' attributes.

        Parameters
        ----------
        A : (N, N) 0/1, symmetric, without loops
        observed : (N, N) bool, optional
        F : (N, L) 0/1
            Without it only the shapes common to all nodes are learned.
        """
        links, _ = checked_network(A, observed)
        table = np.zeros((len(links), 0), int) if F is None else F
        chain = start_chain(A, self.n_communities, self._rng(), observed=observed, attributes=table)
        chain.exact = self.exact
        return self._run(chain)
