"""The bound of a forest's work, and what a process takes."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from geoforest_cli.core import machine
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest

X = np.random.default_rng(0).normal(size=(80, 4))


def test_searched_nodes_are_those_that_a_walk_down_the_trees_finds():
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


@pytest.mark.parametrize(
    ("least", "sizes"), [(2, [4, 1, 3, 2]), (3, [4, 3, 2]), (1, [4, 1, 3, 2, 1, 1])]
)
def test_searched_are_cut_nodes_and_leaves_whose_weights_are_large_enough(least, sizes):
    """A tree with two cuts and one without; rows are drawn twice, or not at all."""
    forest = SimpleNamespace(
        n_trees=2,
        first_node=np.array([0, 5, 6]),
        children=np.array([[1, 2], [-1, -1], [3, 4], [-1, -1], [-1, -1], [-1, -1]]),
        leaf_of=np.array([[1, 1, 3, 4, 4, 3], [0] * 6]),
        in_bag=np.array([[2, 0, 1, 1, 0, 3], [0, 1, 0, 0, 0, 0]]),
    )
    assert machine.searched(forest, least).tolist() == sizes


def test_the_bound_is_the_work_times_what_a_value_costs(monkeypatch):
    cost = {"gather": 1.0, "sort": 10.0, "sweep": 100.0, "copy": 1000.0}
    asked = []
    monkeypatch.setattr(machine, "_seconds_per_value", lambda size: asked.append(size) or cost)
    found = machine.bound(np.array([1, 4, 5, 100]), candidates=3, nonzeros=1.5)
    # a node of one row is not searched
    assert found == {"gather": 109 * 4.5, "sort": 3270, "sweep": 32_700, "copy": 109_000}
    assert asked == [32, 128]


def test_what_a_value_costs_is_measured():
    found = machine._seconds_per_value(64)
    assert set(found) == {"gather", "sort", "sweep", "copy"}
    assert all(0 < seconds < 1e-3 for seconds in found.values())


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


@pytest.mark.parametrize(
    ("size", "slow", "expected"),
    [(1024, 9.0, 3.5), (1024, 3.4, 3.4), (128, 2.0, 2.0), (1, 0.7, 0.7)],
)
def test_long_sorts_take_no_longer_than_short_ones_and_their_logarithm(
    monkeypatch, size, slow, expected
):
    # sorts of few take 7 / 20 for each doubling: 2.45 of 128 values, of 1024 three doublings more
    seconds = {size: slow, **({128: 2.45} if size > 128 else {})}
    monkeypatch.setattr(
        machine, "_measured", lambda n: {"gather": 1.0 * n, "sort": seconds[n], "sweep": 5.0}
    )
    found = machine._seconds_per_value(size)
    assert found == {"gather": size, "sort": pytest.approx(expected), "sweep": 5.0}


@pytest.mark.parametrize(("size", "values"), [(32, 32768), (3000, 30000), (2**17, 2**17)])
def test_a_measurement_takes_many_values_at_once(monkeypatch, size, values):
    done = []
    monkeypatch.setattr(machine, "_median", lambda action: done.append(action()) or 6.0)
    assert machine._measured.__wrapped__(size) == dict.fromkeys(
        ("gather", "sort", "sweep", "copy"), 6.0 / values
    )
    assert len(done) == 4


def test_the_median_of_seven_times_counts_after_one_that_does_not(monkeypatch):
    times = np.r_[0, 5, 0, 1, 0, 9, 0, 2, 0, 7, 0, 8, 0, 3.0].tolist()
    done = []
    monkeypatch.setattr(machine.time, "perf_counter", lambda: times.pop(0) if done else None)
    assert machine._median(lambda: done.append(len(times))) == 5.0
    assert len(done) == 8
    assert not times


def test_growth_is_told_in_millions_of_bytes(monkeypatch):
    sizes, asked = {"VmHWM": 900, "VmRSS": 500}, []

    def read(path, encoding):
        assert str(path) == "/proc/self/status"
        return "".join(f"{name}:\t {size} kB\n" for name, size in sizes.items())

    monkeypatch.setattr(machine.Path, "read_text", read)
    monkeypatch.setattr(machine.Path, "write_text", lambda *given, **_: asked.append(given))
    clocks = [iter([1.0, 4.5, 10, 10, 0, 0]), iter([2.0, 2.25, 0, 0, 0, 0])]
    for name, clock in zip(("perf_counter", "process_time"), clocks, strict=True):
        monkeypatch.setattr(machine.time, name, clock.__next__)
    with machine.Watch() as watch:
        sizes["VmHWM"] = 1500
    assert (watch.megabytes, watch.wall, watch.seconds) == (1000 * 1024 / 1e6, 3.5, 0.25)
    assert [(str(path), text) for path, text in asked] == [("/proc/self/clear_refs", "5")]
    # what fits into what is there takes a page
    with machine.Watch() as watch:
        sizes["VmHWM"] = 503
    assert watch.megabytes == 4 * 1024 / 1e6

    def refuse(*_, **__):
        raise PermissionError

    # where nothing can be forgotten growth is beyond the largest size
    monkeypatch.setattr(machine.Path, "write_text", refuse)
    with machine.Watch() as watch:
        sizes["VmHWM"] = 603
    assert watch.megabytes == 100 * 1024 / 1e6
    assert machine._kilobytes("VmSwap") == 0
    monkeypatch.setattr(machine.Path, "read_text", refuse)
    assert machine._kilobytes("VmHWM") == 0


def test_of_no_rows_nothing_is_to_be_done():
    assert machine.bound(np.array([1, 1]), 2.0, 1.5) == {
        "gather": 0.0, "sort": 0.0, "sweep": 0.0, "copy": 0.0,
    }  # fmt: skip
