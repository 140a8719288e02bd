"""Kernels: what is called is compiled, once for all processes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.core import jit

ROOT = Path(__file__).parents[2]
KERNELS = """
from geoforest_cli.core.jit import kernel

@kernel
def twice(x):
    return x + x

@kernel
def four_times(x):
    return twice(twice(x))

@kernel
def never_called(x):
    return x
"""
CALL = """
from numba.core import event
from kernels import four_times
compiled = []
class Heard(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
event.register("numba:compile", Heard())
four_times(2.5)
print(*compiled)
"""


@pytest.mark.nightly
@pytest.mark.compiled
def test_what_is_called_is_compiled_once_for_all_processes(tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "__init__.py").write_text(KERNELS)
    cache = tmp_path / "cache"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    environment.pop("GEOFOREST_JIT_CACHE", None)

    def call():
        done = subprocess.run(
            [sys.executable, "-c", CALL], cwd=tmp_path, env=environment, capture_output=True,
            text=True, check=True,
        )  # fmt: skip
        return done.stdout.split(), sorted(path.name for path in cache.rglob("*.nbc"))

    compiled, kept = call()
    assert compiled == ["four_times", "twice"]
    assert len(kept) == 2
    assert call() == ([], kept)


@jit.kernel
def sum_with_prefetch(values, ahead):
    total = 0.0
    for i in range(values.shape[0]):
        jit.prefetch(values, i + ahead)
        total += values[i]
    return total


@pytest.mark.parametrize("ahead", [0, 1, 10**12, -(10**12)])
def test_prefetch_changes_nothing_wherever_it_points(ahead):
    assert sum_with_prefetch(np.arange(100.0), ahead) == 4950.0


def double(x):
    return x + x


@pytest.mark.compiled
def test_processes_that_compile_at_once_do_not_exchange_kernels(tmp_path, monkeypatch):
    """Numba numbers the files: both wrote number 1, and a float's kernel ran for an integer."""
    monkeypatch.setattr(jit, "_cache_folder", lambda _: str(tmp_path))
    first, second = jit.kernel(double), jit.kernel(double)
    written, of_second = first._cache._cache_file, second._cache._cache_file
    save = written._save_data

    def save_late(name, data):
        second(1)
        save(name, data)

    written._save_data = save_late
    of_second._load_index = dict  # it looked before the first had written
    assert first(1.5) == 3.0
    result = jit.kernel(double)(1)
    assert (result, type(result)) == (2, int)
