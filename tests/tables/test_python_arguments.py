"""Arguments as Python programs have them: an Index, an array, numbers, None, a Series by mistake."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import (
    cross_validate,
    find_columns,
    find_directions,
    find_neighbors,
)

FRAME = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc")).assign(
    y=["u", "v"] * 20
)


def neighbors_of(table=FRAME, **more):
    return find_neighbors(table, 3, "euclidean", **more)


def classified(table=FRAME, label="y", **more):
    return cross_validate(table, label, "knn", **more)


def ends(call, *args, **options):
    """The notes of a call: they name the columns."""
    notes = []
    call(*args, **options, on_note=notes.append)
    return notes


@pytest.mark.parametrize("call", [neighbors_of, classified])
@pytest.mark.parametrize("kind", [pd.Index, np.array, iter])
def test_names_of_columns_are_any_list_of_them(call, kind):
    """An Index ended in "The truth value of a Index is ambiguous"."""
    table = FRAME.assign(late=np.arange(40.0) ** 2)
    for options in ({"columns": ["a", "b"]}, {"exclude": ["late", "c"]}):
        ((argument, names),) = options.items()
        assert ends(call, table, **{argument: kind(names)}) == ends(call, table, **options)


@pytest.mark.parametrize("call", [neighbors_of, find_columns, find_directions])
def test_columns_of_an_array_have_numbers(call):
    """They were unknown: "unknown column 0; did you mean '0'?"."""
    points = FRAME[["a", "b", "c"]].to_numpy()
    assert ends(call, points, columns=[0, np.int64(2)]) == ends(call, points, columns=["0", "2"])
    assert ends(call, points, exclude=1) == ends(call, points, exclude="1")


def test_the_label_of_an_array_is_a_number_of_its_column():
    table = np.c_[FRAME[["a", "b", "c"]].to_numpy(), np.arange(40) % 2]
    assert classified(table, 3).accuracy == classified(table, "3").accuracy
    with pytest.raises(DataError, match=r"unknown column '4'"):
        classified(table, 4)


@pytest.mark.parametrize("offset", [0.0, 1e5, -1e7])
@pytest.mark.nightly
def test_an_offset_costs_umap_no_neighbours(offset):
    """It computes in float32: a circle of radius .001 at 1e5 kept .013 of its neighbours."""
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    circle = np.c_[np.cos(angle), np.sin(angle)] * 1e-3
    lists = find_neighbors(circle + offset, 2, "umap", screen="none", scale="none").indices
    apart = np.abs(lists - np.arange(60)[:, None])
    assert (np.minimum(apart, 60 - apart) <= 4).mean() > 0.9
