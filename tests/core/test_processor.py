"""The name of the processor."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.core.processor import kernels, processor

VECTORS = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
CPUINFO = (
    "processor\t: 0\nvendor_id\t: GenuineAbacus\nmodel name\t: Abacus: 10 beads @ 1 Hz\n"
    "cache size\t: 1 KB\n\nprocessor\t: 1\nmodel name\t: Another\n"
)


@pytest.fixture(autouse=True)
def anew():
    processor.cache_clear()
    yield
    processor.cache_clear()


def test_the_name_is_that_of_the_first_model(monkeypatch):
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: CPUINFO)
    assert processor() == "Abacus: 10 beads @ 1 Hz"


def test_systems_that_tell_no_model(monkeypatch):
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "processor\t: 0\n")
    assert processor() == platform.machine()


def test_systems_without_such_a_file(monkeypatch):
    def missing(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", missing)
    assert processor() == (platform.processor() or platform.machine())


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the kernels have the names of x86-64's")
def test_kernels_name_what_blas_and_numpy_have_chosen():
    settings = {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": " ".join(VECTORS)}
    code = "from geoforest_cli.core.processor import kernels; print(kernels())"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **settings}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "BLAS Nehalem and NumPy baseline\n"
    assert kernels().endswith(" ".join(("NumPy", *(VECTORS or ["baseline"]))))
