"""Adjusted p-values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from geoforest_cli.estimators.screening.adjust import adjusted, sidak

PVALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20).map(np.array)


@given(PVALUES)
def test_benjamini_hochberg_as_scipy_has_it(pvalues):
    np.testing.assert_allclose(adjusted(pvalues, "fdr"), false_discovery_control(pvalues))


@given(PVALUES, st.floats(0.001, 0.999))
def test_holm_rejects_step_by_step(pvalues, level):
    order, m = np.argsort(pvalues, kind="stable"), len(pvalues)
    rejected = np.zeros(m, bool)
    for step, i in enumerate(order):
        if pvalues[i] * (m - step) > level:
            break
        rejected[i] = True
    assert (adjusted(pvalues, "fwer") <= level).tolist() == rejected.tolist()


def test_no_columns():
    assert adjusted(np.empty(0), "fdr").shape == adjusted(np.empty(0), "fwer").shape == (0,)


@pytest.mark.parametrize("p", [0.0, 1e-300, 1e-12, 0.3, 1.0])
def test_smallest_of_several(p):
    expected = 7 * p if p < 1e-9 else 1 - (1 - p) ** 7
    assert sidak(np.array([p]), 7)[0] == pytest.approx(expected, rel=1e-9, abs=0)
