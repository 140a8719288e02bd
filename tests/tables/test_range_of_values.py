"""Values so small or so large that their squares, or they in float32, lose what tells rows apart."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli import tables
from geoforest_cli.tables import nearest


@pytest.fixture
def frame():
    drawn = np.random.default_rng(0).normal(size=(40, 3))
    return pd.DataFrame(drawn, columns=["a", "b", "c"])


def test_what_can_be_squared_is_taken(frame):
    usual = tables.find_neighbors(frame, 3, "euclidean").indices
    for factor in (2.0**-480, 2.0**480):
        assert np.array_equal(tables.find_neighbors(frame * factor, 3, "euclidean").indices, usual)
    p_values = frame.assign(p=10.0 ** -np.linspace(1, 300, 40))  # they vary, the small ones too
    assert "p" in tables.find_neighbors(p_values, 3, "euclidean", screen="none").columns
    assert tables.find_neighbors(frame.assign(d=1e-200), 3).columns == ("a", "b", "c")


def test_a_missing_row_may_hold_anything(frame):
    frame.loc[3] = [np.nan, np.inf, 1e160]
    assert tables.find_neighbors(frame, 3, missing="drop").rows.tolist() == [
        row for row in range(40) if row != 3
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float32_sees_points_of_its_size_and_every_digit(dtype):
    points = np.random.default_rng(1).normal(size=(50, 3)).astype(dtype)
    usual, exponent = nearest._in_range_of_float32(points)
    assert 0.5 <= np.abs(usual).max() < 1
    assert usual.mean(axis=0) == pytest.approx(0, abs=1e-7)
    for power in (-90, -20, 20, 90):
        moved, shift = nearest._in_range_of_float32(np.ldexp(points, power))
        assert np.array_equal(moved, usual)
        assert shift == exponent + power
    assert not nearest._in_range_of_float32(np.full((4, 2), 3.0))[0].any()


@pytest.mark.parametrize("method", ["umap", "flann", "treeple_forest"])
@pytest.mark.nightly
def test_methods_in_float32_see_small_values_and_offsets(frame, method):
    pytest.importorskip({"umap": "umap", "flann": "pyflann", "treeple_forest": "treeple"}[method])
    result = [
        tables.find_neighbors(values, 3, method, seed=1, scale="none", screen="none")
        for values in (frame, frame * 2.0**-90, frame.round(6) + 2.0**30)
    ]
    usual, small, moved = result
    assert np.array_equal(small.indices, usual.indices)
    assert (moved.indices == usual.indices).mean() > (0.9 if method != "umap" else 0.2)
    factor = 2.0**-90 if method == "flann" else 1.0
    assert small.distances == pytest.approx(usual.distances * factor, rel=1e-6)
