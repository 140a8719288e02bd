"""A criterion and a sampler of somebody else: what CONTRIBUTING.md describes, as a program."""

import numpy as np

from geoforest_cli.core.jit import inner_kernel
from geoforest_cli.estimators.forests.growth import Growth, grow_forest
from geoforest_cli.estimators.forests.kernels.criteria import CRITERIA, Criterion
from geoforest_cli.estimators.forests.kernels.criterion import scan
from geoforest_cli.estimators.forests.kernels.rules import Points
from geoforest_cli.estimators.forests.kernels.samplers import SAMPLERS, Sampler
from geoforest_cli.estimators.forests.kernels.two_means import middle


class LargestGap(Points):
    """Data of the largest gap between neighbouring values."""


@scan.register(LargestGap)
@inner_kernel
def largest_gap(data, values, limits):
    z, best, cut, n1 = values.z, np.inf, -1, 0
    for i in range(values.m - 1):
        n1 += values.w[i]
        if n1 >= limits.min_leaf and values.n - n1 >= limits.min_leaf and z[i] - z[i + 1] < best:
            best, cut = z[i] - z[i + 1], i
    if cut < 0:
        return np.inf, np.inf, np.nan
    return best, best, middle(z[cut], z[cut + 1])


@inner_kernel
def last(rules, draws, candidates):
    """The last column alone."""
    candidates.first[0], candidates.first[1] = 0, 1
    candidates.features[0], candidates.weights[0] = draws.p - 1, 1.0
    return 1


CRITERIA["largest_gap"] = Criterion(LargestGap)
SAMPLERS["last"] = Sampler(last, 1)


def main():
    gapless = np.linspace(0.0, 1.0, 40)
    X = np.c_[gapless[::-1], np.where(np.arange(40) < 25, gapless, gapless + 5.0)]
    growth = Growth("largest_gap", "last", 1, 1, min_parent=40, bootstrap=False)
    forest = grow_forest(X, growth, 2, 0)
    for leaves in forest.leaf_of:
        assert len(set(leaves[:25])) == len(set(leaves[25:])) == 1
        assert leaves[0] != leaves[-1]
    assert set(forest.features.tolist()) == {1}
    assert np.allclose(forest.threshold[forest.first_node[:-1]], X[24:26, 1].mean())
    print("grown")


if __name__ == "__main__":
    main()
