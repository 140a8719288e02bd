"""Singular vectors and angles of our own, against LAPACK's and the system's."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.core.portable import quadrant_angle, singular_vectors


@settings(max_examples=40, deadline=None)
@given(
    shape=st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(1, 6)),
    seed=st.integers(0, 1000), scale=st.sampled_from([1e-200, 1.0, 1e200]), rank=st.integers(1, 6),
)  # fmt: skip
def test_a_decomposition_makes_up_the_matrix(shape, seed, scale, rank):
    n, r, c = shape
    rng = np.random.default_rng(seed)
    stack = scale * rng.normal(size=(n, r, rank)) @ rng.normal(size=(n, rank, c))
    before = stack.copy()
    U, S, V = singular_vectors(stack)
    q = min(r, c)
    assert (U.shape, S.shape, V.shape) == ((n, r, q), (n, q), (n, c, q))
    assert np.array_equal(stack, before)
    largest = S[:, :1]
    np.testing.assert_allclose(
        S / largest, np.linalg.svd(stack / scale, compute_uv=False) * (scale / largest), atol=1e-13
    )
    np.testing.assert_allclose(
        (U * (S / scale)[:, None]) @ np.swapaxes(V, 1, 2), stack / scale, atol=1e-12
    )
    for vectors in (U, V):
        products = np.swapaxes(vectors, 1, 2) @ vectors
        sure = S / largest > 1e-13
        np.testing.assert_allclose(
            products * (sure[:, :, None] & sure[:, None]), np.eye(q) * sure[:, None], atol=1e-12
        )


def test_a_matrix_of_zeros_has_no_directions():
    U, S, V = singular_vectors(np.zeros((1, 3, 2)))
    assert S.tolist() == [[0.0, 0.0]]
    assert not U.any()
    assert np.array_equal(V[0], np.eye(2))


def test_angles_are_right_to_two_units_of_the_last_digit():
    rng = np.random.default_rng(0)
    y, x = rng.uniform(0, 1, (2, 100_000)) ** 4
    angles = quadrant_angle(y, x)
    true = np.array([math.atan2(*point) for point in zip(y, x, strict=True)])
    assert np.max(np.abs(angles - true) / np.spacing(true)) <= 2


@pytest.mark.parametrize("x", [0.0, 1.0])
@pytest.mark.parametrize("y", [0.0, 1e-300, 1.0, 1e300])
def test_angles_at_the_edges(y, x):
    assert quadrant_angle(np.array([y]), np.array([x]))[0] == pytest.approx(math.atan2(y, x))


def test_an_unknown_point_has_no_angle():
    assert np.isnan(quadrant_angle(np.array([np.nan, 1.0]), np.array([1.0, np.nan]))).all()
