"""The plain program against its definition, and against our own forest."""

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.baselines.plain_smerf import PlainSmerf, _blocks
from geoforest_cli.problems.simulations.similarity import regression


def test_blocks_are_the_sums_over_leading_squares():
    Z = np.random.default_rng(0).normal(size=(7, 7))
    Z += Z.T
    assert _blocks(Z) == pytest.approx([Z[:m, :m].sum() for m in range(1, 8)])


def nodes_of(root):
    """All nodes of a tree, the inner ones first."""
    waiting, nodes = [root], []
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting += [node.below, node.above] if node.weights is not None else []
    return sorted(nodes, key=lambda node: node.weights is None)


@pytest.mark.parametrize("min_parent", [2, 7])
@pytest.mark.parametrize("seed", range(3))
def test_every_node_is_cut_where_distances_within_are_least(min_parent, seed):
    """Of one column there is one candidate: each cut can be looked for by hand."""
    rng = np.random.default_rng(seed)
    x = rng.integers(9, size=25).astype(float)
    y = np.where(x > 4, 2.0, 0.0) + rng.integers(3, size=25)
    Z = np.abs(y[:, None] - y)
    model = PlainSmerf(2, max_features=1, min_parent=min_parent, random_state=seed)
    roots = model.fit(x[:, None], Z).trees_
    leaves = {"small": 0, "level": 0, "no better": 0}
    for node in (node for root in roots for node in nodes_of(root)):
        rows = np.asarray(node.rows)

        def cost(*sides):
            return sum(Z[np.ix_(side, side)].sum() / len(side) for side in sides)

        values = np.unique(x[rows])
        cuts = (values[1:] + values[:-1]) / 2
        costs = [cost(rows[x[rows] < cut], rows[x[rows] > cut]) for cut in cuts]
        if node.weights is not None:
            assert len(rows) >= min_parent
            assert min(costs) < cost(rows)
            assert abs(node.threshold) in cuts
            assert cost(node.below.rows, node.above.rows) == pytest.approx(min(costs))
            together = np.concatenate([node.below.rows, node.above.rows])
            assert np.sort(together).tolist() == np.sort(rows).tolist()
            assert (x[node.below.rows] * node.weights < node.threshold).all()
            assert (x[node.above.rows] * node.weights > node.threshold).all()
        elif len(rows) < min_parent:
            leaves["small"] += 1
        elif np.ptp(Z[np.ix_(rows, rows)]) == 0:
            leaves["level"] += 1
        else:
            leaves["no better"] += 1
            assert min(costs, default=np.inf) >= cost(rows) - 1e-12
    assert leaves["small"]
    assert leaves["no better" if min_parent == 2 else "small"]


@pytest.mark.parametrize(("d", "nonzeros"), [(1, {1}), (2, {1, 2, 3})])
def test_candidates_have_one_and_a_half_columns_of_both_signs(d, nonzeros):
    X, Z = regression(20, np.random.default_rng(2))
    roots = PlainSmerf(60, max_features=d, min_parent=20, random_state=0).fit(X[:, :3], Z).trees_
    weights = np.array([root.weights for root in roots if root.weights is not None])
    assert set(weights.ravel()) == {-1.0, 0.0, 1.0}
    assert set(np.count_nonzero(weights, axis=1)) == nonzeros
    assert weights.any(axis=0).all()


def test_distances_are_the_means_over_the_leaves_of_all_trees():
    X, Z = regression(30, np.random.default_rng(2))
    new = X[:12, :4] + 0.01
    model = PlainSmerf(3, max_features=3, min_parent=6, random_state=1).fit(X[:, :4], Z)

    def leaf(node, point):
        while node.weights is not None:
            node = node.below if point @ node.weights < node.threshold else node.above
        return node.rows

    leaves = [[leaf(root, point) for root in model.trees_] for point in new]
    expected = [
        [np.mean([Z[np.ix_(a, b)].mean() for a, b in zip(leaf, other, strict=True)])
         for other in leaves] for leaf in leaves
    ]  # fmt: skip
    np.testing.assert_allclose(model.pairwise_distances(new), expected)
    assert np.array_equal(model.pairwise_distances(new), model.pairwise_distances(new).T)
    with pytest.raises(DataError, match=r"distances of 4 points are 4 x 4, not \(3, 3\)"):
        PlainSmerf(2).fit(np.zeros((4, 2)), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="3 features, but PlainSmerf is expecting 4"):
        model.pairwise_distances(new[:, :3])
