"""Rows that follow one another, and values far from all others, are told."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import datasets

from geoforest_cli.tables import cross_validate, find_columns, find_directions, find_neighbors
from geoforest_cli.tables.column_notes import row_order_note
from geoforest_cli.tables.outliers import outlier_note


def classify_halves(table, **given):
    return cross_validate(table, np.arange(len(table)) % 2, "knn", **given)


def autoregressive(rng, n, p, rho):
    table = rng.normal(size=(n, p))
    for row in range(1, n):
        table[row] = rho * table[row - 1] + np.sqrt(1 - rho**2) * table[row]
    return table


@pytest.mark.parametrize(("rho", "expected"), [(0.0, 0), (0.2, 0), (0.7, 20), (0.9, 20)])
def test_series_are_told_and_independent_rows_are_not(rho, expected):
    names = [str(i) for i in range(10)]
    tables = (autoregressive(np.random.default_rng(seed), 300, 10, rho) for seed in range(20))
    assert sum(bool(row_order_note(np.exp(table), names)) for table in tables) == expected


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_a_table_that_is_sorted_by_classes_is_no_series(classes):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        kind = np.sort(rng.integers(classes, size=300))
        table = rng.normal(size=(300, 6)) + 3 * rng.normal(size=(classes, 6))[kind]
        assert row_order_note(table, list("abcdef")) == []
        by_one = table[np.argsort(table[:, 0])]
        assert row_order_note(by_one, list("abcdef")) == []


@pytest.mark.parametrize("name", ["load_wine", "load_iris", "load_breast_cancer", "load_digits"])
def test_tables_of_everyday_have_neither_note(name):
    points = getattr(datasets, name)().data
    names = [str(i) for i in range(points.shape[1])]
    assert row_order_note(points, names) == []
    assert outlier_note(points, names, np.arange(len(points))) == []


@pytest.mark.parametrize("call", [find_columns, find_directions, find_neighbors, classify_halves])
def test_a_series_is_told_by_every_function(call):
    rng = np.random.default_rng(1)
    walk = pd.DataFrame(rng.normal(size=(200, 4)).cumsum(axis=0)).add_prefix("c")
    for table, noted in ((walk, True), (walk.sample(frac=1, random_state=0), False)):
        notes = []
        result = call(table, on_note=notes.append)
        assert any("in c0, c1, c2, c3: p-values" in note for note in notes) == noted
        assert any("p-values and scores hold" in note for note in result.notes) == noted


def test_far_values_in_many_rows_are_long_tails():
    rng = np.random.default_rng(0)
    quantiles = np.exp(2 * stats.norm.ppf((np.arange(100) + 0.5) / 100))
    heavy = rng.permuted(np.tile(quantiles[:, None], 8), axis=0)
    short = rng.normal(size=(100, 8))
    for rows, noted in (((4, 4, 4, 4, 4), True), ((4, 5, 6, 4, 5), True), ((4, 5, 6, 7, 4), False)):
        for table, said in ((heavy, noted), (short, True)):
            far = table.copy()
            far[rows, range(5)] = 1e6
            assert bool(outlier_note(far, list("abcdefgh"), np.arange(100))) == said


def series_by_hand(points):
    """Columns in which rows depend on those before them, block by block and pair by pair."""
    series, sure = [], 0
    for column, ranks in enumerate(pd.DataFrame(points).rank().to_numpy().T):
        lags, pairs = [], 0
        for start in range(0, len(ranks) - 19, 20):
            block = ranks[start : start + 20]
            gaps = block - np.mean(block[~np.isnan(block)]) if not np.isnan(block).all() else block
            products = (gaps[1:] * gaps[:-1])[~np.isnan(gaps[1:] * gaps[:-1])]
            pairs += len(products)
            if len(products) >= 10:
                lags.append(products.mean() / np.mean(gaps[~np.isnan(gaps)] ** 2))
        middle = np.median(lags) if lags else 0.0
        size = abs(middle + 1 / 20)
        error = 1.25 / np.sqrt(max(pairs, 1))
        sure += size > 0.25 and size > 4.5 * error
        if size > 0.25 and size > 2 * error:
            series.append(column)
    return series if sure > 1 else []


@settings(max_examples=60)
@given(
    st.integers(0, 10**6), st.integers(15, 250),
    st.floats(0.2, 0.9).flatmap(lambda size: st.sampled_from([size, -size])),
    st.sampled_from([0, 0.3]),
)  # fmt: skip
def test_the_same_columns_as_pair_by_pair(seed, n, rho, gaps):
    rng = np.random.default_rng(seed)
    table = autoregressive(rng, n, 7, rho)
    table[rng.random(table.shape) < gaps] = np.nan
    series = series_by_hand(table) if n >= 20 else []
    notes = row_order_note(table, list("abcdefg"))
    if len(series) < 2:
        assert notes == []
    else:
        (note,) = notes
        named = note.removeprefix("Rows depend on those before them in ").split(": p-values")[0]
        assert named == ", ".join("abcdefg"[column] for column in series)
