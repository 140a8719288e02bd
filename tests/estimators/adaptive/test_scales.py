"""The scale of a table: how evenly rows lie, and where columns are crowded."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import boxcox, skew

from geoforest_cli.estimators.adaptive import density
from geoforest_cli.estimators.adaptive.density import (
    crowding,
    density_range,
    half_sample_mode,
    some_rows,
)
from geoforest_cli.estimators.adaptive.scales import TableScale, chosen_scale

NORMAL = np.random.default_rng(3).normal(size=(300, 5))


def test_a_skewed_column_gets_the_power_of_scipy():
    column = np.exp(NORMAL[:, :1])
    low, high = np.quantile(column, [0.25, 0.75])
    expected, power = boxcox((column[:, 0] - column.min()) / (high - low) + 0.1)
    scale = TableScale.fit(column, "transformed")
    assert scale.power[0] == pytest.approx(power, abs=1e-4)
    standard = (expected - expected.mean()) / expected.std()
    np.testing.assert_allclose(scale.apply(column)[:, 0], standard, atol=1e-3)


def test_only_skewed_columns_without_atoms_are_transformed():
    rng = np.random.default_rng(8)
    counts = rng.poisson(0.7, 300)
    table = np.c_[NORMAL[:, 0], np.exp(NORMAL[:, 1]), -np.exp(NORMAL[:, 2]), counts, counts * 0.0]
    scale = TableScale.fit(table, "transformed")
    assert scale.columns.tolist() == [1, 2]
    scaled = scale.apply(table)
    assert abs(skew(scaled[:, :3])).max() < 0.3
    # the largest stay the largest
    assert all(np.array_equal(np.argsort(scaled[:, j]), np.argsort(table[:, j])) for j in range(3))
    assert not scaled[:, 4].any()


def test_new_values_beyond_the_fitted_ones_are_finite():
    scale = TableScale.fit(np.exp(NORMAL), "transformed")
    new = scale.apply(np.array([[-1e9] * 5, [0.0] * 5, [1e9] * 5]))
    assert np.isfinite(new).all()
    assert (np.diff(new, axis=0) >= 0).all()


@settings(max_examples=25)
@given(
    units=st.lists(st.floats(-6, 6), min_size=5, max_size=5),
    shift=st.floats(-100, 100),
    name=st.sampled_from(["standardised", "transformed"]),
)
def test_units_of_columns_do_not_matter(units, shift, name):
    table = np.exp(0.7 * NORMAL)
    first = TableScale.fit(table, name).apply(table)
    other = table * 10.0 ** np.array(units) + shift
    # of very small units the shift leaves few digits
    kept = np.array(units) > -3
    second = TableScale.fit(other, name).apply(other)
    np.testing.assert_allclose(second[:, kept], first[:, kept], atol=1e-3)


@pytest.mark.parametrize("name", ["logarithm", "cube_root"])
def test_logarithm_and_cube_root_by_hand(name):
    table = np.exp(NORMAL[:, :3]) * [1.0, 2.0, 700.0]
    expected = np.log(table / table.min(axis=0))
    if name == "cube_root":
        table = NORMAL[:, :3] ** 3 * [1.0, 2.0, 1e6] + 40
        modes = np.array([half_sample_mode(column) for column in table.T])
        expected = np.cbrt(table - modes)
    scale = TableScale.fit(table, name)
    scaled = scale.apply(table)
    if name == "logarithm":  # spreads are alike: no more is done
        np.testing.assert_allclose(scaled, expected)
        new = scale.apply(np.array([[-5.0, 0.0, 1e-300]]))
        np.testing.assert_allclose(new, np.log(0.5))
    else:
        standard = (expected - expected.mean(axis=0)) / expected.std(axis=0)
        np.testing.assert_allclose(scaled, standard)


def test_what_crowds_rows_together_is_undone():
    rng = np.random.default_rng(8)
    circle = np.array([[np.cos(a), np.sin(a)] for a in rng.uniform(0, 2 * np.pi, 400)])
    assert chosen_scale(circle) == "raw"
    assert chosen_scale(circle**3) == "cube_root"
    assert chosen_scale((circle + 0.1) ** 3 * [1, 40]) == "cube_root"
    assert chosen_scale(circle**3, independent=True) == "raw"
    back = TableScale.fit(circle**3, "cube_root").apply(circle**3)
    np.testing.assert_allclose(back, circle, atol=0.15)
    rings = np.r_[circle, circle + np.array([2.0, 3.0])]
    assert chosen_scale(np.exp(2 * rings)) in {"logarithm", "transformed"}


def test_the_chosen_scale():
    rng = np.random.default_rng(8)
    assert chosen_scale(NORMAL) == "raw"
    assert chosen_scale(NORMAL * [1, 1.5, 2, 2.5, 3]) == "raw"
    assert chosen_scale(NORMAL * [1, 2, 4, 8, 16]) == "standardised"
    assert chosen_scale(NORMAL * [1, 1, 50, 50, 50]) == "standardised"
    assert chosen_scale(np.exp(NORMAL)) == "transformed"
    assert chosen_scale(rng.poisson(0.5, size=(300, 4)).astype(float)) == "raw"
    assert chosen_scale(np.c_[NORMAL[:, 0], np.zeros(300)]) == "raw"


@pytest.mark.parametrize(
    "spreads", [1.0, np.r_[1.0, 2.0, 4.0, 5.0, 3.0], np.r_[1.0, 20, 3, 500, 6]]
)
def test_squared_distances_by_correlation_are_twice_one_minus_it(spreads):
    table = NORMAL * spreads + 7.0
    centred = table - table.mean(axis=0)
    if np.max(spreads) > 10 * np.min(spreads):  # of unlike spreads none is trusted
        centred /= table.std(axis=0)
    expected = 2 * (1 - np.corrcoef(centred))
    rows = TableScale.fit(table, "correlation").apply(table)
    np.testing.assert_allclose(cdist(rows, rows, "sqeuclidean"), expected, atol=1e-12)


SQUARE = np.random.default_rng(5).uniform(-1, 1, size=(300, 2))


def naive_tenth_lengths(points):
    return np.sort(cdist(points, points), axis=1)[:, 10]


def test_the_range_is_that_of_distances_to_the_tenth_neighbour():
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
