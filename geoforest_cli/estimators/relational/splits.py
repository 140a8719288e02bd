"""Splits of a network into observed and held-out pairs (SMERF, Appendix E)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.relational.chain import checked_network

__all__ = ["node_split", "pair_split", "training_size"]

Mask = npt.NDArray[np.bool_]


def training_size(nodes: int, fraction: float) -> int:
    """Return how many of `nodes` make up a fraction: floor(f N + 1/2)."""
    return math.floor(fraction * nodes + 0.5)


def node_split(nodes: int, size: int, rng: np.random.Generator) -> Mask:
    """Draw `size` training nodes; return them as a mask (N,)."""
    training = np.zeros(nodes, bool)
    training[rng.permutation(nodes)[:size]] = True
    return training


def pair_split(
    A: npt.ArrayLike, size: int, rng: np.random.Generator, *, keep_last_link: bool
) -> Mask:
    """Draw the pairs within a training set of `size` nodes' worth, (size^2 - size) / 2 of them.

    Parameters
    ----------
    A : (N, N) 0/1
    size : int
    rng : Generator
    keep_last_link : bool
        As the programs do: pairs go to the test set in random order until it is full, but no
        link that is the last one of either end. More pairs than wanted may stay observed.

    Returns
    -------
    (N, N) bool
        The observed pairs.
    """
    links, observed = checked_network(A, None)
    pairs = np.column_stack(np.triu_indices(len(links), 1))
    held_out = len(pairs) - (size * size - size) // 2
    order = pairs[rng.permutation(len(pairs))]
    if keep_last_link:
        degree = links.sum(axis=1)
        kept: list[tuple[int, int]] = []
        for i, j in order:
            if len(kept) == held_out:
                break
            if links[i, j]:
                if min(degree[i], degree[j]) == 1:
                    continue
                degree[[i, j]] -= 1
            kept.append((i, j))
        test = np.array(kept, int).reshape(-1, 2)
    else:
        test = order[:held_out]
    observed[test[:, 0], test[:, 1]] = False
    observed[test[:, 1], test[:, 0]] = False
    return observed
