"""What splits of one network have in common: far less than their overlap at small fractions.

`configs/smerf_links.yaml` adds 0.5 to 1/n at every fraction instead of the nodes tested over the
nodes trained on. Networks are simulated here, two ways of predicting links are compared on splits
of each, and what should be added is read off the spread between networks.
"""

import functools
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata

from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.repetition import Split

NODES, COLUMNS, NETWORKS, SPLITS = 71, 6, 80, 6
CONFIG = Path(__file__).parents[3] / "configs" / "smerf_links.yaml"


def _auc(scores, links):
    ones = links.sum()
    above = rankdata(scores)[links].sum() - ones * (ones + 1) / 2
    return above / (ones * (len(links) - ones))


def _network(rng):
    """Links by two of the columns and a node's own liking."""
    X = rng.normal(size=(NODES, COLUMNS))
    liking = rng.normal(scale=0.5, size=NODES)
    apart = np.abs(X[:, None] - X[None])
    logit = 0.2 - 1.44 * apart[..., 0] - 1.2 * apart[..., 1] + liking[:, None] + liking
    upper = np.triu(rng.random((NODES, NODES)) < 1 / (1 + np.exp(-logit)), 1)
    return apart, (upper | upper.T).astype(float)


def _difference(apart, links, fraction, rng):
    """ROC of a ridge regression minus that of the three nearest training nodes' links."""
    training = np.zeros(NODES, dtype=bool)
    training[rng.permutation(NODES)[: int(fraction * NODES + 0.5)]] = True
    i, j = np.triu_indices(NODES, 1)
    seen = training[i] & training[j]
    pairs = np.column_stack([np.ones(len(i)), apart[i, j]])
    known = pairs[seen]
    gram = known.T @ known + np.eye(COLUMNS + 1)
    weights = np.linalg.solve(gram, known.T @ links[i, j][seen])
    nodes, distance = np.flatnonzero(training), apart.sum(axis=2)
    near = nodes[np.argsort(distance[:, nodes], axis=1)[:, :3]]
    shares = links[near[i][:, :, None], near[j][:, None, :]].mean(axis=(1, 2))
    tested = links[i, j][~seen].astype(bool)
    nearest = (shares - 1e-3 * distance[i, j])[~seen]
    return _auc((pairs @ weights)[~seen], tested) - _auc(nearest, tested)


@functools.cache
def _to_add(fraction):
    """Return c such that the mean of n splits varies by (1/n + c) s^2 between networks."""
    rng = np.random.default_rng(1)
    values = np.empty((NETWORKS, SPLITS))
    for row in values:
        apart, links = _network(rng)
        row[:] = [_difference(apart, links, fraction, rng) for _ in range(SPLITS)]
    within = values.var(axis=1, ddof=1).mean()
    return values.mean(axis=1).var(ddof=1) / within - 1 / SPLITS


@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_what_the_config_adds_covers_every_fraction(fraction):
    added = open_config(CONFIG, "paper").config.split.overlap({})
    assert added == pytest.approx(0.5, abs=0.01)
    assert _to_add(fraction) < added


@pytest.mark.parametrize(("fraction", "times"), [(0.1, 40), (0.3, 8)])
def test_the_usual_correction_is_many_times_too_large_at_small_fractions(fraction, times):
    usual = Split(train="fraction").overlap({"fraction": fraction})
    assert times * _to_add(fraction) < usual
