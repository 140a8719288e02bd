"""The plain program against its definition, and against our own forest."""

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.baselines.plain_smerf import PlainSmerf, _blocks, _leaves
from geoforest_cli.problems.metrics.distances import mean_spearman
from geoforest_cli.problems.simulations.similarity import regression


def test_blocks_are_the_sums_over_leading_squares():
    Z = np.random.default_rng(0).normal(size=(7, 7))
    Z += Z.T
    assert _blocks(Z) == pytest.approx([Z[:m, :m].sum() for m in range(1, 8)])


def test_the_first_cut_of_one_column_is_the_best_of_all():
    rng = np.random.default_rng(1)
    x = rng.permutation(12).astype(float)
    y = np.where(x < 5, 0.0, 3.0) + rng.normal(0, 0.1, 12)
    Z = (y[:, None] - y) ** 2
    root = PlainSmerf(1, max_features=1, random_state=0).fit(x[:, None], Z).trees_[0]
    rows = np.asarray(root.rows)

    def cost(threshold):
        sides = [rows[x[rows] < threshold], rows[x[rows] >= threshold]]
        return sum(Z[np.ix_(one, one)].sum() / len(one) for one in sides if len(one))

    cuts = np.unique(x[rows])
    best = min(cost(c) for c in (cuts[1:] + cuts[:-1]) / 2)
    sides = [np.sort(root.below.rows), np.sort(root.above.rows)]
    assert sum(Z[np.ix_(one, one)].sum() / len(one) for one in sides) == pytest.approx(best)


def test_a_point_on_a_cut_lies_above_it():
    x = np.arange(8.0)[:, None]
    root = PlainSmerf(1, max_features=1, random_state=0).fit(x, (x - x.T) ** 2).trees_[0]
    new = np.array([[root.threshold]]) / root.weights
    ((at, rows),) = _leaves(root, new, np.arange(1))
    assert at.tolist() == [0]
    assert set(rows) <= set(root.above.rows)


def test_it_learns_what_depends_on_two_columns():
    X, Z = regression(120, np.random.default_rng(2))
    new, truth = regression(60, np.random.default_rng(3))
    model = PlainSmerf(20, max_features=10, random_state=0).fit(X, Z)
    D = model.pairwise_distances(new)
    assert np.array_equal(D, D.T)
    assert mean_spearman(truth, D) > 0.3


def test_distances_must_be_those_of_the_points():
    with pytest.raises(DataError, match=r"distances of 4 points are 4 x 4, not \(3, 3\)"):
        PlainSmerf(2).fit(np.zeros((4, 2)), np.zeros((3, 3)))
