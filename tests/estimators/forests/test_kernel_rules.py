"""Small kernels against plain Python."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.estimators.forests.kernels import mixture_bic, rng
from geoforest_cli.estimators.forests.kernels.rules import Sorted

_WORD = 2**64 - 1


def finished(x):
    """The last steps of splitmix64, on Python's integers."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("seed", [0, 1, 2**63 + 12345])
def test_random_bits_are_those_of_splitmix64(seed):
    state = np.array([seed], np.uint64)
    expected = [finished((seed + i * 0x9E3779B97F4A7C15) & _WORD) for i in (1, 2, 3)]
    assert [int(rng.next_bits(state)) for _ in expected] == expected
    if seed == 0:
        assert expected[0] == 0xE220A8397B1DCDAF  # as printed in Vigna's reference


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_ties_are_ordered_by_the_same_mixing():
    for a, b in [(0, 1), (3, 7), (12345, 2**40)]:
        assert int(rng.mix(a, b)) == finished((a * 0x9E3779B97F4A7C15 + b) & _WORD)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([-2.0, -1.0, 1.0, 2.0], -1.0),
        ([-2.0, 1.0, 2.0], -2.0),  # one value is a class too
        ([1.0, 2.0], math.nan),
        ([-2.0, -1.0], math.nan),
    ],
)
def test_the_smaller_of_two_class_maxima(values, expected):
    z = np.array(values)
    # class 1 about +1, class 2 about -1, alike otherwise: the sign decides
    none = np.empty(0)
    values = Sorted(z, np.empty(0, np.int32), np.empty(0, np.int32), len(z), 0, z, none, none)
    maximum = mixture_bic._smaller_class_maximum(values, 0.5, 1.0, 1.0, -1.0, 1.0)
    assert maximum == pytest.approx(expected, nan_ok=True)


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_weights_next_to_nothing_draw_within_the_table():
    # nine tenths of the smallest number are the smallest number again
    counts = np.zeros(2, np.int64)
    least = np.nextafter(0.0, 1.0)
    rng.bootstrap_counts(np.array([1], np.uint64), 2, np.array([least, least]), counts)
    assert counts.sum() == 2


@pytest.mark.nightly
@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"NUMBA_DISABLE_JIT": "1"}, id="plain"),
        # not kept on disk: the next run of this test may have another toy
        pytest.param({"GEOFOREST_JIT_CACHE": "0"}, id="compiled", marks=pytest.mark.compiled),
    ],
)
def test_a_criterion_and_a_sampler_are_a_kernel_and_a_line_each(how):
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("new_parts.py")],
        env={**os.environ, **how, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("grown\n", 0), done.stderr
