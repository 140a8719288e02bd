"""Samplers on their own, outside of a forest; the nodes of a tree and their rows."""

import numpy as np
import pytest

from geoforest_cli.estimators.forests.growth import Growth
from geoforest_cli.estimators.forests.kernels.samplers import SAMPLERS, Draws
from geoforest_cli.estimators.forests.kernels.workspace import new_candidates


class Drawing:
    """Draws candidates of one sampler, of p columns."""

    def __init__(self, sampler, p, d, n_nonzeros=1, seed=5, **rules):
        growth = Growth("fast_bic", sampler, d, n_nonzeros, min_parent=2, **rules)
        self.rules = growth.rules(np.zeros((p, 2)))
        self.candidates = new_candidates(p, self.rules, 0)
        self.candidates.permutation[:] = np.arange(p)
        self.state, self.p = np.array([seed], np.uint64), p
        self._draw = SAMPLERS[sampler].draw

    def among(self, seen=0, most=1):
        return Draws(self.state, self.p, seen, most, self.candidates.permutation)

    def draw(self, seen=0, most=1):
        """Return how many candidates were drawn."""
        return self._draw(self.rules, self.among(seen, most), self.candidates)

    def entries(self, c):
        part = slice(*self.candidates.first[c : c + 2])
        return self.candidates.features[part].tolist(), self.candidates.weights[part].tolist()


def walk(forest, points, t=0):
    """Yield for each node of a tree its rows, as often as they are in the bag, and its cut.

    The cut is which rows go left, by which columns and weights; None in a leaf.
    """
    begin, end = forest.first_node[t : t + 2]
    rows_at = {0: np.repeat(np.arange(len(points)), forest.in_bag[t])}
    for node in range(begin, end):
        rows, children = rows_at[node - begin], forest.children[node].tolist()
        if children[0] < 0:
            yield rows, None
            continue
        part = slice(forest.first[node], forest.first[node + 1])
        features, weights = forest.features[part], forest.weights[part]
        left = points[np.ix_(rows, features)] @ weights < forest.threshold[node]
        yield rows, (left, features, weights)
        rows_at[children[0]], rows_at[children[1]] = rows[left], rows[~left]


def cuts_of(points):
    """Yield the left side of every cut of every column."""
    for column in points.T:
        for value in np.unique(column)[1:]:
            yield column < value


def by_day(names, day):
    """Parameters of which some are left to the night: each criterion compiles a grower of its own."""
    return [
        name if name in day else pytest.param(name, marks=pytest.mark.nightly) for name in names
    ]
