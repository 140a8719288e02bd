"""Rows that equal others are told wherever they make a result too good."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.tables import compare_neighbors, find_columns, find_directions
from geoforest_cli.tables.copies import copies_note

SAID = "rows equal another row. If they are of one thing measured more than once, "


def with_copies(rows, copies, seed=0, columns=5):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(rows, columns))
    points = np.r_[points, points[rng.choice(rows, copies, replace=False)]]
    return pd.DataFrame(rng.permutation(points)).add_prefix("x")


@pytest.mark.parametrize("call", [find_columns, find_directions])
def test_p_values_of_copies_have_a_note(call):
    """All of five independent columns were kept where each row was there twice, without a word."""
    for table, count in ((with_copies(60, 60), 120), (with_copies(100, 0), 0)):
        notes = []
        result = call(table, on_note=notes.append)
        said = f"{count} of 120 {SAID}p-values are too small: they count each copy as a row of its own."
        assert (said in notes) == (said in result.notes) == bool(count)


def test_scores_of_copies_have_a_note():
    table = with_copies(60, 60).assign(label=["u", "v"] * 60)
    said = f"120 of 120 {SAID}scores are too high: a row has its copy for a neighbour."
    for label in ("label", None):
        notes = []
        compare_neighbors(
            table, 5, label, methods=["euclidean"], exclude=["label"] if label is None else [],
            on_note=notes.append,
        )  # fmt: skip
        assert notes.count(said) == 1
    notes = []
    compare_neighbors(with_copies(60, 0), 5, methods=["euclidean"], on_note=notes.append)
    assert not any("equal another row" in note for note in notes)


@pytest.mark.parametrize(("copies", "told"), [(2, True), (1, False)])
def test_one_row_in_thirty_is_told(copies, told):
    """Two copies and what they are copies of are 4 of 120 rows."""
    for measure in ("p-values", "score"):
        assert bool(copies_note(with_copies(120 - copies, copies).to_numpy(), measure)) == told
    assert copies_note(with_copies(118, 2).to_numpy()) == ""


@pytest.mark.parametrize(("different", "told"), [(19, False), (20, True)])
def test_few_values_are_equal_by_chance(different, told):
    points = np.c_[np.arange(100) % different, np.arange(100) % 2][:, ::-1].astype(float)
    assert bool(copies_note(points, "p-values")) == told
    assert copies_note(points)  # an accuracy is too high all the same
