"""The bound from a histogram: no cut scores below it, and it is near."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.estimators.forests.kernels import bound
from geoforest_cli.estimators.forests.kernels.fast_bic import (
    _least_fast,
    fast_bic,
    mantissa_logs,
)
from geoforest_cli.estimators.forests.kernels.rules import Limits, Logs, Sorted
from geoforest_cli.estimators.forests.kernels.workspace import new_histogram

SHAPES = ("normal", "uniform", "heavy", "clusters", "tight", "ties", "far", "end")


def sample(shape, m, rng):
    if shape == "heavy":
        return rng.standard_t(1.1, size=m)
    if shape == "clusters":
        return np.where(rng.random(m) < 0.3, rng.normal(size=m), rng.normal(6, 0.05, size=m))
    if shape == "tight":
        return rng.integers(0, 2, size=m) + 10.0 ** rng.uniform(-7, -3) * rng.normal(size=m)
    if shape == "ties":
        return rng.integers(0, 9, size=m).astype(float)
    if shape == "far":
        return rng.normal(size=m) * 1e-3 + 1e6
    if shape == "end":
        return np.r_[rng.normal(size=m - 2), 30.0, 30.001]
    return rng.uniform(size=m) if shape == "uniform" else rng.normal(size=m)


def values_of(z, w):
    m = len(z)
    return Sorted(
        z, np.empty(m, np.int32), w, m, int(w.sum()), np.empty(m), np.empty(m), np.empty(m)
    )


def logs_of(n):
    return Logs(np.r_[0.0, np.log(np.arange(1, n + 1))], mantissa_logs())


def best_score(z, w, min_leaf, floor):
    """The smallest score of any cut, without what no cut changes."""
    n, order = int(w.sum()), np.argsort(z)
    limits = Limits(min_leaf, floor, 0.0, np.inf)
    score, _, _ = fast_bic(values_of(z[order], w[order]), limits, logs_of(n), False)
    return score - 2 * n * math.log(n) - n * math.log(2 * math.pi) - n


def lowest(z, w, min_leaf, floor):
    n, m = int(w.sum()), len(z)
    extent = bound.extent(z, w, m, n)
    if not extent.variance > 0:
        return -np.inf
    limits = Limits(min_leaf, floor, 0.0, np.inf)
    return bound.lowest(values_of(z, w), extent, limits, logs_of(n), new_histogram(m))


@given(
    shape=st.sampled_from(SHAPES), m=st.integers(20, 700), seed=st.integers(0, 10**6),
    share=st.sampled_from((0.0, 0.125)), floor=st.sampled_from((0.0, 0.015)),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_no_cut_scores_below_the_bound(shape, m, seed, share, floor):
    rng = np.random.default_rng(seed)
    z, w = sample(shape, m, rng), rng.integers(1, 4, size=m).astype(np.int32)
    min_leaf = max(1, math.ceil(share * w.sum()))
    best = best_score(z, w, min_leaf, floor)
    assert lowest(z, w, min_leaf, floor) <= best + 1e-6


@pytest.mark.parametrize("n", [2, 3, 40, 3000])
def test_what_no_cut_changes_is_added_to_the_bound(n):
    z, w = np.sort(np.random.default_rng(n).normal(size=n)), np.ones(n, np.int32)
    limits = Limits(1, 0.015, 0.0, np.inf)
    score, _, _ = fast_bic(values_of(z, w), limits, logs_of(n), False)
    least = _least_fast(best_score(z, w, 1, 0.015), n, logs_of(n).exact)
    assert least == pytest.approx(score, rel=1e-12)


@pytest.mark.parametrize("m", [60, 300, 3000])
def test_the_bound_is_near_the_best_score(m):
    rng = np.random.default_rng(m)
    gaps = []
    for _ in range(40):
        z, w = rng.normal(size=m), rng.integers(1, 4, size=m).astype(np.int32)
        least = math.ceil(w.sum() / 8)
        gaps.append((best_score(z, w, least, 0.015) - lowest(z, w, least, 0.015)) / w.sum())
    assert np.quantile(gaps, 0.9) < 0.15


@pytest.mark.parametrize("m", [2, 5, 8, 11, 200])
def test_the_extent_is_that_of_the_repeated_values(m):
    rng = np.random.default_rng(m)
    z, w = np.full(m + 3, 1e9), np.full(m + 3, 7, np.int32)  # more room than values
    z[:m], w[:m] = rng.normal(3, 2, m), rng.integers(1, 9, m)
    repeated = np.repeat(z[:m], w[:m])
    span = bound.extent(z, w, m, len(repeated))
    assert (span.low, span.high) == (repeated.min(), repeated.max())
    assert span.mean == pytest.approx(repeated.mean())
    assert span.variance == pytest.approx(repeated.var())
