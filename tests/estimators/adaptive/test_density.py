"""How evenly rows lie, and where columns are crowded."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from geoforest_cli.estimators.adaptive import density
from geoforest_cli.estimators.adaptive.density import (
    crowding,
    density_range,
    half_sample_mode,
    some_rows,
)

RNG = np.random.default_rng(5)
SQUARE = RNG.uniform(-1, 1, size=(300, 2))


def naive_tenth_lengths(points):
    return np.sort(cdist(points, points), axis=1)[:, 10]


def test_the_range_is_that_of_the_distances_to_the_tenth_neighbour():
    low, high = np.quantile(naive_tenth_lengths(SQUARE), [0.1, 0.9])
    assert density_range(SQUARE) == pytest.approx(np.log(high / low), rel=1e-2)


@settings(max_examples=20)
@given(unit=st.floats(-6, 6), shift=st.floats(-10, 10), copies=st.integers(1, 3))
def test_neither_units_nor_copies_of_rows_matter(unit, shift, copies):
    table = np.repeat(SQUARE, copies, axis=0) * 10**unit + shift * 10**unit
    assert density_range(table) == pytest.approx(density_range(SQUARE), rel=1e-6)
    assert crowding(table) == pytest.approx(crowding(SQUARE), rel=1e-5)


def test_a_cube_crowds_rows_about_the_modes_of_all_columns():
    for dims in (2, 5):
        flat = RNG.normal(size=(600, dims))
        assert abs(crowding(flat)) < 0.1
        assert crowding(flat**3) > 0.4
        assert density_range(flat**3) > 2 * density_range(flat)


def test_rows_that_are_dense_in_all_columns_alike_are_not_crowded():
    """A spiral and a cloud with heavy tails: sparse far out, in whatever direction."""
    angle = RNG.uniform(0, 10 * np.pi, 600)
    spiral = np.exp(0.1 * angle)[:, None] * np.c_[np.cos(angle), np.sin(angle)]
    cloud = RNG.normal(size=(600, 3)) / np.sqrt(RNG.chisquare(2, (600, 1)))
    assert density_range(spiral) > 2
    assert crowding(spiral) < 0.1
    assert crowding(cloud) < 0.15


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


def test_the_mode_of_a_cube_is_where_the_cube_is_flat():
    assert half_sample_mode(RNG.uniform(-1, 1, 2000) ** 3 + 7) == pytest.approx(7, abs=1e-3)


def test_little_is_said_of_few_rows(monkeypatch):
    assert np.isnan(density_range(SQUARE[:39]))
    assert np.isnan(crowding(SQUARE[:39]))
    assert np.isnan(crowding(SQUARE[:, :1]))
    assert np.isnan(density_range(np.zeros((500, 2))))
    monkeypatch.setattr(density, "_ROWS", 100)
    assert len(some_rows(SQUARE)) == 100
