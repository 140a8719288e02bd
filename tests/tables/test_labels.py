"""Values that may be a class and that may not: long texts, measurements, classes of few rows."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.cleaning import CleanOptions
from geoforest_cli.tables.dialect import ReadingOptions
from geoforest_cli.tables.labels import (
    class_names,
    labelled_rows,
    majority_share,
    numbered_classes,
    rare_classes,
)
from geoforest_cli.tables.reading import open_table
from tests.tables.helpers import INPUTS

X = np.random.default_rng(0).normal(size=(60, 2))


def rows_of(labels, by_name=True):
    """Read a table of as many rows with these labels, as a column or as an array."""
    frame = pd.DataFrame(np.resize(X, (len(labels), 2)), columns=["a", "b"])
    if by_name:
        return labelled_rows(open_table(frame.assign(y=labels)), "y", CleanOptions())
    return labelled_rows(open_table(frame), labels, CleanOptions())


@pytest.mark.parametrize("by_name", [True, False])
@pytest.mark.parametrize(
    ("different", "rows", "unit", "fine"),
    [
        (20, 40, 0.5, True), (21, 60, 0.5, False), (20, 30, 1, True), (21, 42, 1, True),
        (21, 41, 1, False), (40, 60, 1, False), (21, 60, 1, True),
    ],
)  # fmt: skip
def test_whole_numbers_that_come_again_are_classes(different, rows, unit, fine, by_name):
    labels = unit * (np.arange(rows) % different)
    if fine:
        assert len(set(rows_of(labels, by_name)[1])) == different
        return
    said = rf"has {different} different numbers in {rows} rows, which are no classes, and cross_"
    with pytest.raises(DataError, match=said):
        rows_of(labels, by_name)
    assert len(set(rows_of([f"w{label}" for label in labels], by_name)[1])) == different


@pytest.mark.parametrize(
    ("sizes", "folds", "said"),
    [
        ((5, 3), 3, None),
        ((5, 3), 4, "the second largest class of 'y' has 3 rows: folds is 2 to 3, not 4"),
        ((5, 3), 1, "folds is 2 to 3, not 1"),
        ((5, 3), 2.0, "folds is 2 to 3, not 2.0"),
        ((5, 2), 2, None),
        ((5, 1), 2, "the class 'b' has one row only, so that one class is left when it is tested"),
        ((1, 5), 2, "the class 'a' has one row only"),
        ((4, 1, 4), 4, None),
    ],
)
def test_the_largest_class_where_two_have_a_row_in_each_fold(sizes, folds, said):
    labels = np.repeat(list("abc")[: len(sizes)], sizes)
    if said is None:
        assert majority_share(labels, "y", folds, "t.csv") == max(sizes) / sum(sizes)
        assert majority_share(labels, labels, np.int64(folds), "t.csv") == max(sizes) / sum(sizes)
        return
    with pytest.raises(DataError, match=said):
        majority_share(labels, "y", folds, "t.csv")


@pytest.mark.parametrize(("smallest", "said"), [(1, True), (2, True), (4, True), (5, False)])
def test_classes_of_fewer_rows_than_folds_are_named(smallest, said):
    note = rare_classes(np.repeat(["a", "b", "c"], [9, smallest, 5]), 5)
    assert bool(note) == said
    if said:
        assert note.startswith("Classes with fewer rows than 5 folds, ")
        assert f" b ({smallest})." in note
    assert ("A single row of a class" in note) == (smallest == 1)


@pytest.mark.parametrize(("classes", "rows", "fine"), [(1, 6, False), (2, 4, True), (3, 5, False),
                                                       (3, 6, True)])  # fmt: skip
def test_classes_are_two_and_at_most_half_as_many_as_rows(classes, rows, fine):
    labels = [f"k{9 - row % classes}" for row in range(rows)]
    raw = open_table(pd.DataFrame({"a": np.arange(rows) ** 2, "y": labels}))
    if not fine:
        with pytest.raises(DataError, match=f"has {classes} different values in {rows} rows"):
            numbered_classes(raw, "y", ())
        return
    names, numbers = numbered_classes(raw, "y", ())
    assert list(names) == sorted(set(labels))
    assert [names[number] for number in numbers] == labels


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["TRUE", "FALSE", "TRUE"], ["TRUE", "FALSE", "TRUE"]),
        (["TRUE", "false", "True"], ["True", "False", "True"]),
        (["1.0", "2.5", "1.0"], ["1.0", "2.5", "1.0"]),
    ],
)
def test_a_truth_value_is_one_class_however_it_is_written(tmp_path, words, names):
    pd.DataFrame({"a": [1, 5, 2], "y": words}).to_csv(tmp_path / "t.csv", index=False)
    assert class_names(open_table(tmp_path / "t.csv"), "y").tolist() == names


def test_labels_that_name_the_rows_in_another_order_are_refused():
    frame = pd.DataFrame(X[:6], columns=["a", "b"], index=list("uvwxyz"))
    labels = pd.Series(list("ppqqpq"), index=frame.index)
    assert labelled_rows(open_table(frame), labels, CleanOptions())[1].tolist() == list("ppqqpq")
    with pytest.raises(DataError, match=r"another order.*labels\.loc"):
        labelled_rows(open_table(frame), labels.iloc[::-1], CleanOptions())


def test_the_word_na_may_be_a_class():
    with pytest.raises(DataError, match=r"'NA' counts as missing.*not_missing='NA'"):
        labelled_rows(open_table(INPUTS / "class_NA.csv"), "continent", CleanOptions())
    raw = open_table(INPUTS / "class_NA.csv", ReadingOptions(not_missing="NA"))
    assert set(labelled_rows(raw, "continent", CleanOptions())[1]) == {"AS", "EU", "NA"}
