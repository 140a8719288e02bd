"""Screens of more columns than can be paired, and of sparse counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from geoforest_cli.estimators.forests.forest import watcher
from geoforest_cli.estimators.screening import (
    ColumnScreen,
    CorrelationScreen,
    ForestScreen,
    PairScreen,
    columns,
)


def circle(n=300, p=30):
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 6, n)
    return np.c_[np.cos(angle), np.sin(angle), rng.normal(size=(n, p - 2))]


@pytest.mark.parametrize("method", ["auto", "both"])
def test_beyond_the_limit_only_the_forest_tests_columns(monkeypatch, method):
    X = circle()
    monkeypatch.setattr(columns, "MOST_PAIRED", 29)
    screen = ColumnScreen(method, random_state=0).fit(X)
    alone = ForestScreen(random_state=0).fit(X)
    assert (screen.pvalues_ == alone.pvalues_).all()
    assert screen.note_.startswith("30 columns, more than 29: no pairs are compared")
    assert screen.get_support(indices=True).tolist() == [0, 1]
    monkeypatch.setattr(columns, "MOST_PAIRED", 30)
    assert screen.fit(X).note_ == ""
    monkeypatch.setattr(columns, "MOST_PAIRED", 5)
    assert ColumnScreen("pairs").fit(X).note_ == ""


def test_many_kept_columns_are_one_group(monkeypatch):
    X = np.c_[circle(p=2), np.random.default_rng(1).normal(size=(300, 1)) * [1, 2]]
    assert ColumnScreen("both", random_state=0).fit(X).groups_.max() == 2
    monkeypatch.setattr(columns, "MOST_PAIRED", 3)
    screen = ColumnScreen("both", random_state=0).fit(X)
    assert screen.groups_.tolist() == [1, 1, 1, 1]
    assert screen.note_.endswith("The 4 kept columns count as one group.")
    # a second fit says nothing of the first
    assert screen.fit(X[:, :2]).note_ == ""


@pytest.mark.parametrize(
    "screen",
    [PairScreen(), CorrelationScreen(), ForestScreen(random_state=0),
     ColumnScreen("both", random_state=0), ColumnScreen("auto")],
)  # fmt: skip
def test_sparse_counts_are_judged_as_dense_ones(screen):
    rng = np.random.default_rng(0)
    depth = rng.gamma(2, size=200)
    counts = rng.poisson(np.outer(depth, np.r_[2, 2, 1, np.zeros(12)]) + 0.4).astype(float)
    dense = screen.fit(counts).pvalues_
    assert (screen.fit(csr_array(counts)).pvalues_ == dense).all()
    kept = screen.transform(csr_array(counts))
    assert (kept.toarray() == counts[:, screen.support_]).all()


def test_no_more_than_a_block_of_a_sparse_table_is_dense(monkeypatch):
    sizes = []
    monkeypatch.setattr(
        "geoforest_cli.estimators.screening.bins.dense",
        lambda part: sizes.append(part.shape[1]) or part.toarray(),
    )
    monkeypatch.setattr("geoforest_cli.estimators.screening.bins._VALUES_PER_BLOCK", 1000)
    PairScreen().fit(csr_array(np.random.default_rng(0).poisson(0.5, (100, 25)).astype(float)))
    assert max(sizes) == 10
    assert sum(sizes) == 25


def test_progress_counts_every_column_once():
    counts: dict[str, int] = {}
    token = watcher.set(lambda what, done, _of: counts.update({what: counts.get(what, 0) + done}))
    try:
        ForestScreen(halves=2, trees=1).fit(np.random.default_rng(0).normal(size=(20, 5001)))
    finally:
        watcher.reset(token)
    assert counts == {"columns prepared": 5001, "columns tested": 5001}
