"""What `tools.direction_rates` counts."""

import pytest

from tools.direction_rates import found_in_noise, precisions


@pytest.mark.compiled
def test_noise_is_none_unless_it_is_uniform():
    assert [found_in_noise(noise, 250, 3, 0) for noise in ("normal", "uniform", "t3")] == [
        False,
        True,
        False,
    ]


@pytest.mark.compiled
def test_directions_bring_a_mixed_circle_back():
    without, within, directions = precisions("circle", 300, 4, 0)
    assert directions == 2
    assert without < 0.5 < 0.9 < within
