"""What splits of one network have in common, by simulation: `configs/smerf_links.yaml`.

Networks of two sizes are drawn, each is split several times, and two ways of predicting links are
compared on every split. The mean of n splits of one network varies between networks by ``(1/n + c)
s^2``, s^2 the variance between splits of one network. ``python -m tools.network_overlap`` prints c
for each fraction of the nodes that is trained on, with its upper 97.5 % limit (resampled
networks), beside the usual correction, nodes tested over nodes trained on. About ten minutes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import rankdata

__all__ = ["FRACTIONS", "NETWORKS", "added", "simulated", "upper"]

Floats = np.ndarray[Any, np.dtype[np.float64]]
FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
# nodes -> networks drawn: 71 of Lazega's firm, 234 authors of NIPS
NETWORKS = {71: 400, 234: 150}
_COLUMNS, _SPLITS, _SEED = 6, 6, 20261123


def _auc(scores: Floats, links: Floats) -> float:
    ones = links.sum()
    above = rankdata(scores)[links].sum() - ones * (ones + 1) / 2
    return float(above / (ones * (len(links) - ones)))


def _network(nodes: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Distances by column, and links by two of the columns and a node's own liking."""
    X = rng.normal(size=(nodes, _COLUMNS))
    liking = rng.normal(scale=0.5, size=nodes)
    apart = np.abs(X[:, None] - X[None])
    logit = 0.2 - 1.44 * apart[..., 0] - 1.2 * apart[..., 1] + liking[:, None] + liking
    drawn = np.triu(rng.random((nodes, nodes)) < 1 / (1 + np.exp(-logit)), 1)
    return apart, (drawn | drawn.T).astype(float)


def _difference(apart: Floats, links: Floats, fraction: float, rng: np.random.Generator) -> float:
    """ROC of a ridge regression minus that of the three nearest training nodes' links."""
    nodes = len(links)
    training = np.zeros(nodes, dtype=bool)
    training[rng.permutation(nodes)[: int(fraction * nodes + 0.5)]] = True
    i, j = np.triu_indices(nodes, 1)
    seen = training[i] & training[j]
    pairs = np.column_stack([np.ones(len(i)), apart[i, j]])
    known = pairs[seen]
    gram = known.T @ known + np.eye(_COLUMNS + 1)
    weights = np.linalg.solve(gram, known.T @ links[i, j][seen])
    trained, distance = np.flatnonzero(training), apart.sum(axis=2)
    near = trained[np.argsort(distance[:, trained], axis=1)[:, :3]]
    shares = links[near[i][:, :, None], near[j][:, None, :]].mean(axis=(1, 2))
    tested = links[i, j][~seen].astype(bool)
    nearest = (shares - 1e-3 * distance[i, j])[~seen]
    return _auc((pairs @ weights)[~seen], tested) - _auc(nearest, tested)


def simulated(fraction: float, nodes: int, networks: int) -> Floats:
    """Return the differences, networks x splits."""
    rng = np.random.default_rng([_SEED, nodes, round(100 * fraction)])
    values = np.empty((networks, _SPLITS))
    for row in values:
        apart, links = _network(nodes, rng)
        row[:] = [_difference(apart, links, fraction, rng) for _ in range(_SPLITS)]
    return values


def added(values: Floats) -> float:
    """Return c such that the mean of n splits varies by (1/n + c) s^2 between networks.

    Examples
    --------
    Splits that have a fifth of their variance in common, so a quarter of that between splits:

    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(20000, 6)) + 0.5 * rng.normal(size=(20000, 1))
    >>> round(added(values), 2)
    0.25
    """
    within = values.var(axis=1, ddof=1).mean()
    return float(values.mean(axis=1).var(ddof=1) / within - 1 / values.shape[1])


def upper(values: Floats, resamples: int = 2000) -> float:
    """Return the upper 97.5 % limit of `added`, from resampled networks."""
    rng = np.random.default_rng(_SEED)
    drawn = [added(values[rng.integers(0, len(values), len(values))]) for _ in range(resamples)]
    return float(np.quantile(drawn, 0.975))


def table() -> Iterator[str]:
    """Yield the lines of the table of docs/verdicts.md."""
    sizes = " | ".join(f"{nodes} nodes (limit)" for nodes in NETWORKS)
    yield f"| trained on | {sizes} | added | tested over trained |"
    yield "| --- |" + " --- |" * (len(NETWORKS) + 2)
    for fraction in FRACTIONS:
        drawn = [simulated(fraction, *size) for size in NETWORKS.items()]
        limits = [upper(values) for values in drawn]
        shown = [f"{added(v):.3f} ({limit:.3f})" for v, limit in zip(drawn, limits, strict=True)]
        most = max(0.0, math.ceil(100 * max(limits)) / 100)
        usual = (1 - fraction) / fraction
        yield f"| {fraction:g} | {' | '.join(shown)} | {most:.2f} | {usual:.2f} |"


if __name__ == "__main__":
    for line in table():
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
