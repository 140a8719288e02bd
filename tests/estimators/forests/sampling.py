"""Samplers on their own, outside of a forest."""

import numpy as np

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
