"""The bound of a forest's work, and what a process takes."""

import sys

import numpy as np
import pytest

from geoforest_cli.core import machine
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest

X = np.random.default_rng(0).normal(size=(80, 4))


def test_searched_nodes_are_those_of_a_walk_down_the_trees():
    rules = {"criterion": "fast_bic", "max_projections": None, "min_share": 0.0}
    forest = GeodesicForest(5, **rules, min_parent=20, random_state=1).fit(X).forest_
    expected = []
    for t in range(5):
        first = forest.first_node[t]

        def below(node, t=t, first=first):
            children = forest.children[first + node]
            if children[0] < 0:
                return np.flatnonzero(forest.leaf_of[t] == node)
            rows = np.concatenate([below(child, t, first) for child in children])
            record(rows, True, t)
            return rows

        def record(rows, cut, t):
            bag = forest.in_bag[t][rows]
            if cut or bag.sum() >= 20:
                expected.append(int((bag > 0).sum()))

        below(0)
        for leaf in np.unique(forest.leaf_of[t]):
            record(np.flatnonzero(forest.leaf_of[t] == leaf), False, t)
    assert sorted(machine.searched(forest, 20).tolist()) == sorted(expected)


def test_the_bound_is_the_work_times_what_a_value_costs(monkeypatch):
    cost = {"gather": 1.0, "sort": 10.0, "sweep": 100.0, "copy": 1000.0}
    asked = []
    monkeypatch.setattr(machine, "_seconds_per_value", lambda size: asked.append(size) or cost)
    work = machine.bound(np.array([1, 4, 5, 100]), candidates=3, nonzeros=1.5)
    # a node of one row is not searched
    assert work == {"gather": 109 * 4.5, "sort": 3270, "sweep": 32_700, "copy": 109_000}
    assert asked == [32, 128]


def test_what_a_value_costs_is_measured():
    costs = machine._seconds_per_value(64)
    assert set(costs) == {"gather", "sort", "sweep", "copy"}
    assert all(0 < seconds < 1e-3 for seconds in costs.values())


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_watch_sees_memory_that_was_given_back():
    with machine.Watch() as idle:
        pass
    with machine.Watch() as watch:
        block = np.ones(10_000_000)
        del block
    assert watch.megabytes == pytest.approx(80, rel=0.2)
    assert 0 < idle.megabytes < 10
    assert watch.seconds > 0
    assert watch.wall > 0
