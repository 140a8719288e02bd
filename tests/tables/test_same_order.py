"""Columns whose rows are in one order: found among others, whatever their units."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from geoforest_cli.tables import find_columns, find_neighbors
from geoforest_cli.tables.column_notes import columns_in_one_order, same_order_note


def test_the_note_names_three_of_each():
    rng = np.random.default_rng(11)
    x = rng.normal(size=(20, 2))
    table = np.c_[x[:, [0]] * np.arange(1, 6), x[:, 1]]
    (note,) = same_order_note(table, list("abcdef"))
    assert "in a = b = c and 2 more: if" in note
    assert "(exclude=['b', 'c', 'd', 'e'])" in note


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(12, 80), st.floats(0.001, 0.3))
def test_nearly_the_same_columns_as_by_all_correlations(seed, n, noise):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 4))
    points = np.c_[points, points @ rng.choice([0, 0, 3], (4, 4)) + noise * rng.normal(size=(n, 4))]
    points[:, rng.integers(8)] = rng.integers(3, size=n)  # too few values for an order
    wanted = {column: {column} for column in range(8)}
    for first in range(8):
        for other in range(first):
            different = min(len(np.unique(points[:, [first, other]][:, c])) for c in (0, 1))
            if different < 10 or abs(spearmanr(points[:, first], points[:, other])[0]) < 0.99:
                continue
            together = wanted[first] | wanted[other]
            wanted |= dict.fromkeys(together, together)
    groups = {tuple(sorted(group)) for group in wanted.values() if len(group) > 1}
    assert columns_in_one_order(points) == sorted(map(list, groups))


def test_one_quantity_in_two_rounded_units_is_told():
    rng = np.random.default_rng(11)
    kelvin = rng.normal(293, 4, size=200)
    units = {"celsius": (kelvin - 273.15).round(1), "fahrenheit": (1.8 * kelvin - 459.67).round(1)}
    other = rng.normal(size=(200, 2))
    table = pd.DataFrame({"x": other[:, 0], **units, "y": other[:, 1]})
    said = "or more), in celsius = fahrenheit: if"
    for notes in (find_columns(table).notes, find_neighbors(table, 3).notes):
        (note,) = (note for note in notes if said in note)
        assert note.endswith("it counts twice (exclude='fahrenheit').")
    assert same_order_note(other, ["x", "y"]) == []


def test_of_many_rows_a_thousand_are_compared():
    rng = np.random.default_rng(11)
    x = rng.normal(size=5000)
    rough = x + 0.01 * rng.normal(size=5000)
    rough[np.arange(5000) % 5 != 0] *= -1
    assert columns_in_one_order(np.c_[x, rough]) == [[0, 1]]
    assert columns_in_one_order(np.c_[x, rough][:-1]) == [[0, 1]]
    many = rng.normal(size=(40, 2003))
    many[:, 2002], many[:, 1999] = many[:, 1], many[:, 0]
    assert columns_in_one_order(many) == [[0, 1999]]
