"""Least needs of this machine for the work of a forest, and the size that a process grows to."""

from __future__ import annotations

import functools
import math
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_MEASURED = 1 << 15  # values of a measurement: nodes are measured many at a time, in the caches
_VALUES_IN_REGISTERS = 128  # values that are sorted within the processor's registers
_MIN_EXPONENT = 5  # as a power of two: below it calls cost more than values
_REPEATS = 7


def searched(forest: Any, min_parent: int) -> npt.NDArray[np.int64]:
    """Return the distinct bag rows of every node that a forest has searched for a cut."""
    sizes = []
    for t in range(forest.n_trees):
        children = forest.children[forest.first_node[t] : forest.first_node[t + 1]]
        leaf, bag = forest.leaf_of[t], forest.in_bag[t]
        rows, weights = counts = np.array(
            [np.bincount(leaf, weight, len(children)) for weight in (bag > 0, bag)]
        )
        for node in range(len(children) - 1, -1, -1):  # children stand behind their parent
            if children[node, 0] >= 0:
                counts[:, node] = counts[:, children[node]].sum(axis=1)
        sizes.append(rows[(children[:, 0] >= 0) | (weights >= min_parent)])
    return np.concatenate(sizes).astype(np.int64)


def bound(rows: npt.NDArray[np.int64], candidates: float, nonzeros: float) -> dict[str, float]:
    """Return the seconds that NumPy's own kernels take for the work at nodes of these sizes.

    For each node and candidate its rows are gathered once for each non-zero, sorted, and swept
    with sums, squares and two logarithms each; at each node they are copied once.

    Parameters
    ----------
    rows : (nodes,) int64
    candidates, nonzeros : float
        Of a node, and of a candidate.
    """
    times = {"gather": candidates * nonzeros, "sort": candidates, "sweep": candidates, "copy": 1.0}
    seconds = dict.fromkeys(times, 0.0)
    rows = rows[rows > 1]
    powers = np.maximum(_MIN_EXPONENT, np.round(np.log2(rows)).astype(int))
    for power in np.unique(powers).tolist():
        values = float(rows[powers == power].sum())
        for work, cost in _seconds_per_value(2**power).items():
            seconds[work] += cost * values * times[work]
    return seconds


def _seconds_per_value(size: int) -> dict[str, float]:
    few = min(size, _VALUES_IN_REGISTERS)
    # some processors are slow at what NumPy's sorts of more than 256 values rest on
    sort = _measured(few)["sort"] * math.log2(size) / math.log2(few)
    seconds = _measured(size)
    return {**seconds, "sort": min(seconds["sort"], sort)}


@functools.cache
def _measured(size: int) -> dict[str, float]:
    rng = np.random.default_rng(size)
    values = rng.normal(size=(max(1, _MEASURED // size), size))
    order = rng.permutation(values.size).reshape(values.shape)
    work, squares = np.empty_like(values), np.empty_like(values)

    def sort() -> None:
        np.copyto(work, values)
        work.sort(axis=1)

    def sweep() -> None:
        # prefix sums count as sums: lanes can share their work
        np.multiply(values, values, out=squares)
        np.add(values, squares, out=work)
        np.add(squares, work, out=work)
        np.multiply(work, work, out=work)
        np.log(squares, out=squares)
        np.log(work, out=work)
        np.add(squares, work, out=work)
        work.min(axis=1)

    actions: dict[str, Callable[[], object]] = {
        "gather": lambda: np.take(values.ravel(), order, out=work),
        "sort": sort,
        "sweep": sweep,
        "copy": lambda: np.copyto(work, values),
    }
    seconds = {
        name: timeit.repeat(action, number=1, repeat=1 + _REPEATS)[1:]
        for name, action in actions.items()
    }
    return {name: float(np.median(each)) / values.size for name, each in seconds.items()}


class Watch:
    """Processor seconds and, in a `with` statement, by how many megabytes the process grows."""

    def __enter__(self) -> Watch:
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        except OSError:  # another system: growth is counted from the largest size so far
            self._before = _kilobytes("VmHWM")
        else:
            self._before = _kilobytes("VmRSS")
        self._wall, self._start = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.process_time() - self._start
        self.wall = time.perf_counter() - self._wall
        # memory comes in pages of 4 kB; what fits into those that are there takes one
        self.megabytes = max(4, _kilobytes("VmHWM") - self._before) * 1024 / 1e6


def _kilobytes(name: str) -> int:
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return int(text.partition(f"{name}:")[2].split()[0])
