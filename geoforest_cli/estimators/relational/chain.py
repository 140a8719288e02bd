"""Markov chains of the relational models: start, advance, average."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.relational.kernels import sweep

__all__ = ["Attributes", "Chain", "checked_network", "start_chain"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


class Attributes(NamedTuple):
    """Binary attributes of the nodes, a column of ones included, and their weights.

    Attributes
    ----------
    first, members : int64
        Nodes with attribute l are members[first[l]:first[l + 1]].
    weights : (L + 1, K)
        h, one row per attribute.
    shapes : (N, K)
        g_ik = prod_l h_lk^f_il.
    """

    first: Longs
    members: Longs
    weights: Floats
    shapes: Floats

    @classmethod
    def start(cls, F: npt.ArrayLike, communities: int) -> Attributes:
        """Begin with all weights 1; F is (N, L), zeros and ones."""
        table = np.asarray(F)
        if table.ndim != 2 or not np.isin(table, (0, 1)).all():
            raise DataError("attributes are a table of zeros and ones, one row per node")
        table = np.column_stack([table, np.ones(len(table), table.dtype)]).astype(bool)
        first = np.concatenate([[0], np.cumsum(table.sum(axis=0))])
        return cls(
            first.astype(np.int64),
            np.nonzero(table.T)[1].astype(np.int64),
            np.ones((table.shape[1], communities)),
            np.ones((len(table), communities)),
        )


@dataclass
class Chain:
    """State of one chain; pickled in the middle it goes on as if it had not been stopped.

    Attributes
    ----------
    rng : Generator
    links : (E, 2) int64
        Observed links i < j.
    mask : (N, N) float64
        1 where a pair is observed.
    phi, lam, r, c, a : arrays
        Memberships (N, K), rates (K, K), weights (K,), rates (N,) and shapes (N,) of phi; `a` is
        not used with attributes.
    scalars : (4,)
        gamma0, c0, epsilon, beta.
    m, n : int64 arrays
        Counts of the last sweep, per node and community (N, K), per two communities (K, K).
    attributes : Attributes, optional
        With them the chain is NARM's, without EPM's.
    exact : bool
        Update NARM's weights by an exact step instead of the programs', which sums out the
        memberships of all nodes at once as if they did not depend on each other.
    sweeps, collected : int
        Sweeps done, and how many of them are in the mean.
    total : (N, N)
        Sum of the link probabilities of the sweeps collected.
    """

    rng: np.random.Generator
    links: Longs
    mask: Floats
    phi: Floats
    lam: Floats
    r: Floats
    c: Floats
    a: Floats
    scalars: Floats
    m: Longs
    n: Longs
    attributes: Attributes | None = None
    exact: bool = False
    sweeps: int = 0
    collected: int = 0
    total: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def sweep(self) -> None:
        """Draw all variables once, given the observed links."""
        phi, lam, mask, c = self.phi, self.lam, self.mask, self.c
        sweep.draw_counts(self.rng, phi, lam, self.links, self.m, self.n)
        attributes = self.attributes
        if attributes is None:
            sweep.draw_memberships(self.rng, phi, lam, self.a, c, mask, self.m)
            shapes = self.a * len(self.r)
        else:
            if self.exact:
                sweep.move_attribute_weights(self.rng, phi, c, attributes)
            else:
                sweep.draw_attribute_weights(self.rng, phi, lam, c, mask, self.m, attributes)
            sweep.draw_memberships_given(self.rng, phi, lam, c, mask, self.m, attributes.shapes)
            shapes = attributes.shapes.sum(axis=1)
        sweep.draw_rates_of_nodes(self.rng, phi, shapes, c)
        theta = sweep.pair_exposure(phi, mask)
        sweep.draw_communities(self.rng, lam, self.r, self.n, theta, self.scalars)
        self.sweeps += 1

    def collect(self) -> None:
        """Add the link probabilities of the present state to the mean."""
        probability = sweep.link_probability(self.phi, self.lam)
        self.total = probability if self.collected == 0 else self.total + probability
        self.collected += 1

    @property
    def probabilities(self) -> Floats:
        """Posterior mean of the link probabilities (N, N), zero on the diagonal."""
        if self.collected == 0:
            raise DataError("no sweep was collected yet")
        probabilities: Floats = self.total / self.collected
        np.fill_diagonal(probabilities, 0.0)
        return probabilities


def checked_network(
    A: npt.ArrayLike, observed: npt.ArrayLike | None
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return links and mask of observed pairs as boolean matrices with empty diagonals.

    Raises
    ------
    DataError
        Unless A is a symmetric 0/1 matrix without loops and the mask suits it.
    """
    if issparse(A):
        raise DataError("the network is sparse where a dense matrix is needed")
    links = np.asarray(A)
    if links.ndim != 2 or links.shape[0] != links.shape[1]:
        raise DataError(f"a network is a square matrix, not one of the shape {links.shape}")
    if not np.isin(links, (0, 1)).all():
        raise DataError("a network's entries are 0 and 1")
    if (links != links.T).any():
        raise DataError("the network is not symmetric")
    if np.diag(links).any():
        raise DataError("the network has links of nodes to themselves")
    mask = np.ones(links.shape, bool) if observed is None else np.asarray(observed).astype(bool)
    if mask.shape != links.shape or (mask != mask.T).any():
        raise DataError("the mask of observed pairs is a symmetric matrix like the network")
    mask = mask.copy()
    np.fill_diagonal(mask, val=False)
    return links.astype(bool), mask


def start_chain(
    A: npt.ArrayLike,
    communities: int,
    rng: np.random.Generator,
    *,
    observed: npt.ArrayLike | None = None,
    attributes: npt.ArrayLike | None = None,
) -> Chain:
    """Return a chain in the programs' starting state.

    Parameters
    ----------
    A : (N, N) 0/1
    communities : int
        K.
    rng : Generator
    observed : (N, N) bool, optional
        Pairs that the chain may see; by default all. Links elsewhere have no influence.
    attributes : (N, L) 0/1, optional
        With them NARM, without EPM.
    """
    links, mask = checked_network(A, observed)
    nodes = len(links)
    start = None
    if attributes is not None:
        start = Attributes.start(attributes, communities)
        if len(start.shapes) != nodes:
            raise DataError(f"{len(start.shapes)} rows of attributes for {nodes} nodes")
    r = np.full(communities, 1 / communities)
    lam = np.outer(r, r)
    np.fill_diagonal(lam, r)
    return Chain(
        rng=rng,
        links=np.argwhere(np.triu(links & mask)).astype(np.int64),
        mask=mask.astype(np.float64),
        phi=rng.standard_gamma(1.0, (nodes, communities)),
        lam=lam,
        r=r,
        c=np.ones(nodes),
        a=np.full(nodes, 0.01),
        scalars=np.ones(4),
        m=np.zeros((nodes, communities), np.int64),
        n=np.zeros((communities, communities), np.int64),
        attributes=start,
    )
