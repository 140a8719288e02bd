"""Kept columns, against counting by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoforest_cli.problems.metrics.screening import ranking, selection_scores

MASKS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


@given(MASKS)
def test_shares_are_those_of_sets(pairs):
    kept, signal = (np.array(part) for part in zip(*pairs, strict=True))
    K, S = set(np.flatnonzero(kept)), set(np.flatnonzero(signal))
    got = selection_scores(kept, signal)
    assert got.kept_share == len(K) / len(kept)
    assert got.false_share == (len(K - S) / len(K) if K else 0)
    assert got.false_any == bool(K - S)
    assert got.found_all == (K == S)
    if S:
        assert got.power == len(K & S) / len(S)
        assert got.all_kept == (S <= K)
    else:
        assert np.isnan([got.power, got.all_kept]).all()


def test_ranking_by_hand():
    signal = np.array([True, False, True, False])
    assert ranking(np.array([4.0, 1, 3, 2]), signal) == 1
    # ranks 1 and 4: (1/1 + 2/4) / 2
    assert ranking(np.array([4.0, 3, 1, 2]), signal) == pytest.approx(0.75)
    assert np.isnan(ranking(np.arange(4.0), np.zeros(4, bool)))
    assert np.isnan(ranking(np.arange(4.0), np.ones(4, bool)))


def test_ranking_knows_no_order_among_equal_scores():
    signal = np.array([True, False, False, False])
    assert ranking(np.zeros(4), signal) == ranking(np.zeros(4), signal[::-1]) == 0.25


def test_infinite_scores_are_ranked():
    signal = np.array([True, True, False])
    assert ranking(np.array([np.inf, 5.0, -np.inf]), signal) == 1
