"""Counts of `tools.error_rates` on directions; tests/study/claims has its tables of verdicts."""

import pytest

from tools.error_rates import has_direction, precisions

pytestmark = [pytest.mark.compiled, pytest.mark.nightly]


def test_noise_has_a_direction_only_if_it_is_uniform():
    directions = [has_direction(noise, 250, 3, 0) for noise in ("normal", "uniform", "t3")]
    assert directions == [False, True, False]


def test_directions_bring_a_mixed_circle_back():
    without, within, count = precisions("circle", 300, 4, 0)
    assert count == 2
    assert without < 0.5 < 0.9 < within
