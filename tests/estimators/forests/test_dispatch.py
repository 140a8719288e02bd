"""Kernels that are chosen from a table, in processes that share what they have compiled."""

import os
import subprocess
import sys
from typing import NamedTuple

import numba
import pytest

from geoforest_cli.estimators.forests.kernels.dispatch import by_number

HEAD = """
from typing import NamedTuple

from numba.extending import overload

from geoforest_cli.core.jit import inlined_kernel, kernel
from geoforest_cli.estimators.forests.kernels.dispatch import NUMBERS_ONLY, by_number


class Rules(NamedTuple):
    sampler: int
"""
# so long that the closure it becomes part of is called, by its name
KERNEL = """
@inlined_kernel
def {name}(rules, draws, candidates):
    x = draws
    {steps}
    return x
"""
TABLE = """
def draw_{name}(rules, draws, candidates):
    raise NotImplementedError


@overload(draw_{name}, jit_options=NUMBERS_ONLY)
def _draw_{name}(rules, draws, candidates):
    return by_number([{kernels}])


@kernel
def {name}(number, start):
    return draw_{name}(Rules(number), start, 0)
"""
PROGRAM = """
import sys
import tables

for name in sys.argv[1:]:
    run = getattr(tables, name)
    print(name, run(0, 3), run(1, 3), sum(run.stats.cache_hits.values()))
"""
TABLES = {"low": ("one", "two"), "high": ("three", "four")}


def _module():
    """Return two tables of two kernels each, whose closures have the same arguments."""
    parts = [HEAD]
    for number, name in enumerate(["one", "two", "three", "four"]):
        steps = [f"x = (x * {2 * i + 3}) ^ (x >> {number + 1})" for i in range(60)]
        parts.append(KERNEL.format(name=name, steps="\n    ".join(steps)))
    parts += [TABLE.format(name=name, kernels=", ".join(both)) for name, both in TABLES.items()]
    return "\n".join(parts)


def _run(folder, *names):
    """Run tables in a process of their own; return what each gives, and how often from disk."""
    paths = [str(folder), *sys.path]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *names],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    words = [line.split() for line in done.stdout.splitlines()]
    return {name: ([first, second], int(hits)) for name, first, second, hits in words}


@pytest.mark.compiled
@pytest.mark.nightly
def test_a_closure_of_another_process_is_not_taken_for_ones_own(tmp_path):
    (tmp_path / "tables.py").write_text(_module())
    # two processes that compile one table each number their closures alike
    fresh = _run(tmp_path, "low") | _run(tmp_path, "high")
    assert {hits for _, hits in fresh.values()} == {0}
    read = {name: (values, 1) for name, (values, _) in fresh.items()}
    assert len({value for values, _ in read.values() for value in values}) == 4
    assert _run(tmp_path, "low", "high") == read
    assert _run(tmp_path, "high", "low") == read


class _Rules(NamedTuple):
    sampler: int


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_each_number_has_its_kernel(count):
    kernels = [_kernel(number) for number in range(count)]
    kernel_of = by_number(kernels)
    for number in range(count):
        assert kernel_of(_Rules(number), 1, 2) == number + 3


def _kernel(number):
    @numba.njit
    def add(rules, draws, candidates):
        return number + draws + candidates

    return add
