"""How evenly rows lie, and where columns are crowded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from geoforest_cli.estimators.adaptive import density
from geoforest_cli.estimators.adaptive.density import (
    crowding,
    density_range,
    half_sample_mode,
    some_rows,
)

SQUARE = np.random.default_rng(5).uniform(-1, 1, size=(300, 2))


def naive_tenth_lengths(points):
    return np.sort(cdist(points, points), axis=1)[:, 10]


def test_the_range_is_that_of_the_distances_to_the_tenth_neighbour():
    low, high = np.quantile(naive_tenth_lengths(SQUARE), [0.1, 0.9])
    assert density_range(SQUARE) == pytest.approx(np.log(high / low), rel=1e-2)


def test_a_cube_crowds_rows_about_the_modes_of_all_columns():
    rng = np.random.default_rng(10)
    for dims in (2, 5):
        flat = rng.normal(size=(600, dims))
        assert abs(crowding(flat)) < 0.1
        assert crowding(flat**3) > 0.4
        assert density_range(flat**3) > 2 * density_range(flat)


def naive_mode(values):
    values = sorted(values)
    while len(values) > 2:
        half = (len(values) + 1) // 2
        parts = [values[i : i + half] for i in range(len(values) - half + 1)]
        values = min(parts, key=lambda part: part[-1] - part[0])
    return sum(values) / len(values)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60))
def test_the_mode_by_hand(values):
    assert half_sample_mode(np.array(values, float)) == naive_mode(values)


def test_little_is_said_of_few_rows(monkeypatch):
    assert np.isnan(density_range(SQUARE[:39]))
    assert np.isnan(crowding(SQUARE[:39]))
    assert np.isnan(crowding(SQUARE[:, :1]))
    assert np.isnan(density_range(np.zeros((500, 2))))
    monkeypatch.setattr(density, "_ROWS", 100)
    assert len(some_rows(SQUARE)) == 100
