"""Values that lie far from all others: how far, how many, among how many."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.tables.outliers import _far, outlier_note


def note_of(*columns):
    """Return the notes on columns of one length."""
    table = np.column_stack(columns).astype(float)
    return outlier_note(table, list("abcdefgh"[: len(columns)]), np.arange(len(table)))


@settings(max_examples=80)
@given(st.integers(0, 10**6), st.integers(5, 90), st.sampled_from([0.5, 1, 2, 3]))
def test_what_is_far_is_beyond_three_ranges_of_the_others(seed, n, power):
    rng = np.random.default_rng(seed)
    values = np.round(np.sinh(power * rng.normal(size=n)), 2)
    values[rng.random(n) < 0.1] = np.nan
    present = np.sort(values[~np.isnan(values)])
    far = _far(values)
    if far is not None:
        outside = np.isin(np.arange(n), far.rows)
        others = values[~outside & ~np.isnan(values)]
        low, high = others.min(), others.max()
        below, above = values[outside & (values < low)], values[outside & (values > high)]
        assert len(below) + len(above) == len(far.rows) > 0
        assert max(len(below), len(above)) <= max(1, len(present) // 20)
        gaps = [*(low - below), *(above - high)]
        assert min(gaps) > 3 * (high - low)
        assert far.value == values[far.rows[0]]
        return
    # one value alone, on a side or on either, is not overlooked
    for left, right in ((1, 0), (0, 1), (1, 1)):
        others = present[left : len(present) - right]
        if len(present) < 12 or len(np.unique(present[1:-1])) < 10:
            continue
        gaps = [present[1] - present[0]] * left + [present[-1] - present[-2]] * right
        assert min(gaps) <= 3 * np.ptp(others)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(("others", "fine"), [(10, False), (11, True)])
def test_a_column_of_twelve_rows_is_judged(others, fine, sign):
    assert bool(note_of(sign * np.r_[np.arange(others), 1e4])) == fine


@pytest.mark.parametrize(("different", "fine"), [(9, False), (10, True)])
def test_the_others_have_ten_different_values(different, fine):
    assert bool(note_of(np.r_[np.arange(30) % different, 1e4])) == fine


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(
    ("n", "far", "fine"),
    [(39, 1, True), (39, 2, False), (40, 2, True), (59, 3, False), (60, 3, True), (60, 4, False)],
)
def test_one_row_in_twenty_may_be_far_on_a_side(n, far, fine, sign):
    column = sign * np.r_[np.arange(n - far), np.full(far, 1e6)]
    assert bool(note_of(column)) == fine
    # and as many on the other side
    both = np.r_[column[far:], np.full(far, -sign * 1e6)]
    assert bool(note_of(both)) == fine


@pytest.mark.parametrize(("end", "fine"), [(2.54, True), (2.56, False)])
def test_tails_of_ten_interquartile_ranges_are_short(end, fine):
    """The quartiles are 0.51 apart; where four rows are far, it matters what the others are."""
    others = np.r_[-end, np.linspace(-0.5, 0.5, 101), end]
    columns = [np.insert(others, position, 1e6) for position in (5, 9, 20, 40)]
    assert bool(note_of(*columns)) == fine
    assert note_of(*columns[:3])


def test_a_code_alone_is_told_elsewhere_and_among_others_here():
    numbers = np.arange(60.0)
    assert note_of(np.r_[numbers, -9999, -9999]) == []
    assert note_of(np.r_[numbers, -9999, -9998]) == []
    assert "a (2 values such as -9999 in row 60)" in note_of(np.r_[numbers, -9999, -9996])[0]
    assert "a (2 values such as -9996 in row 60)" in note_of(np.r_[numbers, -9996, -9996])[0]


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("far", [(1000, 3000), (50, 3000, 4e6), (3000, -1e7), (1e3, 2e9, -2e9)])
def test_far_values_do_not_hide_each_other(sign, far):
    """The widest gap was between the two: then neither was told."""
    column = np.random.default_rng(0).normal(size=100)
    (note,) = note_of(sign * np.r_[column, far])
    assert f"a ({len(far)} values such as {sign * far[0]:g} in row 100)" in note


def test_one_row_is_one_mistake_however_many_columns_it_has():
    first, second = np.r_[np.arange(20.0), 1e4], np.r_[1e4, np.arange(20.0)]
    (single,) = note_of(first, -first)
    assert re.findall(r"([ab]) \((\S+) in row (\d+)\)", single) == [
        ("a", "10000", "20"), ("b", "-10000", "20"),
    ]  # fmt: skip
    assert single.endswith("rest on it; if it is a mistake, correct it or leave the row out.")
    assert "rest on them; if they are mistakes" in note_of(first, second)[0]
