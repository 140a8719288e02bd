"""Rows that are copies of one another are drawn as neighbours, wherever they stand."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.estimators.base.copies import draw_among_copies, number_copies
from geoforest_cli.tables import (
    compare_neighbors,
    cross_validate,
    find_columns,
    find_directions,
    find_neighbors,
)
from geoforest_cli.tables.comparison_methods import chosen_methods
from geoforest_cli.tables.copies import copies_note
from geoforest_cli.tables.options import NeighborOptions

METHODS = ["adaptive_neighbors", "euclidean", "cosine"]


def test_copies_are_equal_rows():
    values = np.random.default_rng(0).integers(0, 3, (500, 4)) / 3
    node = number_copies(values)
    _, inverse = np.unique(values, axis=0, return_inverse=True)
    assert len(set(zip(node, inverse.ravel(), strict=True))) == node.max() + 1
    assert node.max() + 1 == len(np.unique(values, axis=0))
    assert number_copies(np.array([[0.0], [-0.0], [1.0]])).tolist() == [0, 0, 1]
    # columns count by their place
    assert number_copies(np.array([[1.0, 2.0], [2.0, 1.0]])).tolist() == [0, 1]


@pytest.fixture(scope="module")
def answers():
    """Answers of two classes to three questions, sorted by class: eight different rows."""
    rng = np.random.default_rng(0)
    kind = np.repeat(["A", "B"], 200)
    asked = {"q1": (0.75, 0.25), "q2": (0.7, 0.3), "q3": (0.6, 0.4)}
    frame = {
        name: (rng.random(400) < np.where(kind == "A", *shares)).astype(int)
        for name, shares in asked.items()
    }
    return pd.DataFrame(frame | {"class": kind})


@pytest.mark.parametrize("method", METHODS)
def test_copies_are_no_nearer_because_they_stand_first(answers, method):
    result = find_neighbors(answers, 10, method, label="class", screen="none")
    other = find_neighbors(answers, 10, method, label="class", screen="none", seed=1)
    assert not np.array_equal(result.indices, other.indices)
    assert (result.indices != np.arange(400)[:, None]).all()
    # of eight different rows with fifty copies each nobody is the neighbour of all
    assert np.bincount(result.indices.ravel(), minlength=400).max() < 60
    again = find_neighbors(answers, 10, method, label="class", screen="none")
    np.testing.assert_array_equal(result.indices, again.indices)


def test_copies_in_the_columns_that_the_default_keeps(answers):
    noise = np.random.default_rng(1).normal(size=(400, 25))
    angle = np.repeat(np.linspace(0, 6, 40), 10)
    frame = pd.DataFrame(noise).add_prefix("noise").assign(x=np.cos(angle), y=np.sin(angle))
    result = find_neighbors(frame, 3)
    assert set(result.columns) == {"x", "y"}
    assert (result.distances == 0).all()
    # by the order of the rows, six of ten copies would be nobody's
    assert (np.bincount(result.indices.ravel(), minlength=400) == 0).mean() < 0.1


@pytest.mark.parametrize(("method", "least"), [("correlation", 3), ("cosine", 2)])
def test_too_few_columns_for_an_angle_are_told(method, least):
    rng = np.random.default_rng(0)
    for p in (least - 1, least):
        result = find_neighbors(rng.normal(size=(60, p)), 3, method, screen="none")
        few = np.unique(np.round(result.distances, 9)).size <= 2
        notes = [note for note in result.notes if "one of two distances" in note]
        assert few == (p < least) == bool(notes)
        compared = chosen_methods((), NeighborOptions(), p)
        assert (method in compared) == (p >= least)


@pytest.mark.parametrize(("copies", "said"), [(1, False), (8, False), (20, True)])
def test_rows_that_equal_others_are_told_to_who_classifies(copies, said):
    """Of a row that stands in training as well, any model knows the class."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(100, 3))
    points[-copies // 2 :] = points[: copies // 2 + copies % 2]
    result = cross_validate(points, np.repeat([0, 1], 50), "knn", folds=2)
    notes = [note for note in result.notes if "equal another row" in note]
    assert [note.split(" rows")[0] for note in notes] == (["20 of 100"] if said else [])


def drawn_one_by_one(indices, node, rng):
    """As the description says: a turn of the copies for each list, the own row left out."""
    n, k = indices.shape
    order, chances = rng.permutation(n), rng.random((n, k))
    drawn = indices.copy()
    for row, listed in enumerate(node[indices]):
        for entry, group in enumerate(listed):
            copies = [copy for copy in order if node[copy] == group and copy != row]
            chance = chances[row, np.sum(listed < group)]
            before = np.sum(listed[:entry] == group)
            drawn[row, entry] = copies[(int(chance * len(copies)) + before) % len(copies)]
    return drawn


@given(st.integers(0, 10**6), st.integers(2, 14), st.integers(1, 9))
@settings(max_examples=60)
def test_copies_are_drawn_by_turns(seed, n, kinds):
    rng = np.random.default_rng(seed)
    node = number_copies(rng.integers(0, kinds, (n, 1)).astype(float))
    k = int(rng.integers(1, n))
    indices = np.array([rng.permutation(np.delete(np.arange(n), row))[:k] for row in range(n)])
    if node.max() + 1 == n:
        expected = indices
    else:
        expected = drawn_one_by_one(indices, node, np.random.default_rng(seed))
    drawn = draw_among_copies(indices, node, np.random.default_rng(seed))
    assert drawn.tolist() == expected.tolist()


@given(st.lists(st.integers(0, 12), min_size=1, max_size=40))
@settings(max_examples=60)
def test_one_row_in_ten_that_equals_another_is_told(values):
    times = Counter(values)
    count = sum(times[value] > 1 for value in values)
    note = copies_note(np.array(values, float)[:, None])
    assert bool(note) == (10 * count >= len(values))
    assert not note or note.startswith(f"{count} of {len(values)} rows equal another row. ")


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
    notes = []
    compare_neighbors(table, 5, "label", methods=["euclidean"], on_note=notes.append)
    assert notes.count(said) == 1
    notes = []
    compare_neighbors(
        with_copies(60, 0).assign(label=["u", "v"] * 30), 5, "label", methods=["euclidean"],
        on_note=notes.append,
    )  # fmt: skip
    assert not any("equal another row" in note for note in notes)


@pytest.mark.parametrize(("copies", "noted"), [(2, True), (1, False)])
def test_one_row_in_thirty_is_told(copies, noted):
    """Two copies and what they are copies of are 4 of 120 rows."""
    for measure in ("p-values", "score"):
        assert bool(copies_note(with_copies(120 - copies, copies).to_numpy(), measure)) == noted
    assert copies_note(with_copies(118, 2).to_numpy()) == ""


@pytest.mark.parametrize(("different", "noted"), [(19, False), (20, True)])
def test_few_values_are_equal_by_chance(different, noted):
    points = np.c_[np.arange(100) % different, np.arange(100) % 2][:, ::-1].astype(float)
    assert bool(copies_note(points, "p-values")) == noted
    assert copies_note(points)  # an accuracy is too high all the same
