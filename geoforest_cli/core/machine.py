"""What this machine needs at least for the work of a forest, and how large a process grows."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_AT_ONCE = 1 << 15  # values of a measurement: nodes are measured many at a time, in the caches
_FEW = 128  # values that are sorted within the processor's registers
_SMALLEST = 5  # as a power of two: below it calls cost more than values
_REPEATS = 7


def searched(forest: Any, min_parent: int) -> npt.NDArray[np.int64]:
    """Return the distinct bag rows of every node that a forest has searched for a cut."""
    sizes = []
    for t in range(forest.n_trees):
        nodes = slice(forest.first_node[t], forest.first_node[t + 1])
        children = forest.children[nodes]
        in_bag = forest.in_bag[t] > 0
        rows = np.bincount(forest.leaf_of[t][in_bag], minlength=len(children))
        weights = np.bincount(forest.leaf_of[t], forest.in_bag[t], minlength=len(children))
        for node in range(len(children) - 1, -1, -1):  # children stand behind their parent
            if children[node, 0] >= 0:
                rows[node] = rows[children[node]].sum()
                weights[node] = weights[children[node]].sum()
        sizes.append(rows[(children[:, 0] >= 0) | (weights >= min_parent)])
    return np.concatenate(sizes)


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
    seconds = {"gather": 0.0, "sort": 0.0, "sweep": 0.0, "copy": 0.0}
    rows = rows[rows > 1]
    powers = np.maximum(_SMALLEST, np.round(np.log2(rows)).astype(int))
    for power in np.unique(powers).tolist():
        here = float(rows[powers == power].sum())
        each = _seconds_per_value(2**power)
        seconds["gather"] += each["gather"] * here * candidates * nonzeros
        seconds["sort"] += each["sort"] * here * candidates
        seconds["sweep"] += each["sweep"] * here * candidates
        seconds["copy"] += each["copy"] * here
    return seconds


def _seconds_per_value(size: int) -> dict[str, float]:
    seconds = _measured(size)
    # some processors are slow at what NumPy's sorts of more than 256 values rest on
    few = min(size, _FEW)
    seconds["sort"] = min(
        seconds["sort"], _measured(few)["sort"] * math.log2(max(2, size)) / math.log2(max(2, few))
    )
    return seconds


@functools.cache
def _measured(size: int) -> dict[str, float]:
    rng = np.random.default_rng(size)
    values = rng.normal(size=(max(1, _AT_ONCE // size), size))
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
    return {name: _median(action) / values.size for name, action in actions.items()}


def _median(action: Callable[[], object]) -> float:
    action()
    seconds = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


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
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
