"""Rows that belong together are in one fold of a cross-validation."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables import cross_validate
from geoforest_cli.tables.folds import Splits, label_copies, repeated_subjects
from geoforest_cli.tables.options import ClassificationOptions
from geoforest_cli.tables.reading import open_table
from tests.tables.helpers import INPUTS


@pytest.fixture(scope="module")
def visits():
    """Thirty patients of whom the class is drawn at random, with five visits each."""
    rng = np.random.default_rng(1)
    patient = np.repeat(np.arange(30), 5)
    table = rng.normal(size=(30, 6))[patient] + 0.1 * rng.normal(size=(150, 6))
    frame = pd.DataFrame(table, columns=list("abcdef"))
    case = np.repeat(np.arange(30) % 2, 5)
    frame.insert(0, "patient", [f"P{number:02d}" for number in patient])
    return frame.assign(lab=np.where(case, "case", "control"))


@pytest.mark.parametrize("method", ["rf", "knn"])
def test_who_has_been_seen_is_known_and_who_has_not_is_guessed(visits, method):
    apart = cross_validate(visits, "lab", method)
    together = cross_validate(visits, "lab", method, together="patient")
    assert apart.accuracy > 0.95
    assert 0.2 < together.accuracy < 0.75
    assert together.columns == tuple("abcdef")
    assert (
        together.notes[-1] == "Rows with the same 'patient' are in one fold: 30 different values."
    )
    assert not any("are in one fold" in note for note in apart.notes)


@pytest.mark.parametrize("kind", [str, int, object])
def test_patients_of_one_class_each_are_told(visits, kind):
    said = (
        "Rows with the same 'patient' nearly always have the same class: if they are of one thing "
        "measured more than once, scores are too high without together='patient'."
    )
    numbers = visits["patient"].str[1:].astype(int)
    table = visits.assign(patient=numbers if kind is int else visits["patient"].astype(kind))
    for given in ({}, {"exclude": ["patient"]}, {"identifier": "patient"}):
        assert said in cross_validate(table, "lab", "knn", **given).notes
    # rows without a patient say nothing
    gaps = table.assign(patient=table["patient"].astype(object).where(table.index % 7 > 0))
    assert said in cross_validate(gaps, "lab", "knn", exclude=["patient"]).notes
    assert said not in cross_validate(table, "lab", "knn", together="patient").notes


def test_the_label_by_another_name_is_told(visits):
    said = "Each value of 'code' has one class only: if it is the label by another name"
    codes = visits["lab"].map({"case": 7, "control": 8})
    for code in (codes, codes.astype(str), codes.astype(float), (codes == 7)):
        table = visits.assign(code=code)
        for given, noted in (({}, True), ({"exclude": ["code"]}, False)):
            notes = cross_validate(table, "lab", "knn", **given).notes
            assert any(note.startswith(said) for note in notes) == noted
    assert any(note.startswith(said) for note in cross_validate(table, "lab", "knn").notes)
    # a code for each of twelve classes is no patient
    many = pd.DataFrame(
        {"x": np.random.default_rng(0).normal(size=120), "code": np.arange(120) % 12}
    )
    letters = many.assign(kind=[chr(97 + code) for code in many["code"]])
    notes = cross_validate(letters, "kind", "knn").notes
    assert any(note.startswith(said) for note in notes)
    assert not any("always have the same class" in note for note in notes)
    # several codes of one class, and a code of several classes
    rows = np.arange(len(visits)) % 2
    finer = visits.assign(code=codes * 2 + rows)
    assert any(note.startswith(said) for note in cross_validate(finer, "lab", "knn").notes)
    assert "Rows with the same 'code' or 'patient'" in repeated_subjects(
        finer[["code", "patient"]], finer["lab"].to_numpy(str), "lab"
    )
    mixed = visits.assign(code=rows)
    assert not any(note.startswith(said) for note in cross_validate(mixed, "lab", "knn").notes)


def test_the_folds_are_those_of_scikit_learn(visits):
    from sklearn.model_selection import StratifiedGroupKFold
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.preprocessing import StandardScaler

    X, y = visits[list("abcdef")].to_numpy(), visits["lab"].to_numpy()
    expected = np.empty(len(y), object)
    splits = StratifiedGroupKFold(5, shuffle=True, random_state=3)
    for train, test in splits.split(X, y, visits["patient"]):
        scale = StandardScaler().fit(X[train])
        model = KNeighborsClassifier(5).fit(scale.transform(X[train]), y[train])
        expected[test] = model.predict(scale.transform(X[test]))
    result = cross_validate(
        visits, "lab", "knn", together="patient", seed=3, params={"n_neighbors": 5},
        scale="standardise",
    )  # fmt: skip
    assert (result.predictions["predicted"] == expected).mean() > 0.97


def test_rows_that_are_left_out_belong_to_nobody(visits):
    gaps = visits.copy()
    gaps.loc[gaps["patient"] == "P00", "a"] = np.nan
    gaps.loc[0, "patient"] = None
    result = cross_validate(gaps, "lab", "knn", together="patient", missing="drop")
    assert len(result.predictions) == 145
    assert "29 different values" in result.notes[-1]
    with pytest.raises(DataError, match="the column 'patient' is empty in row 0"):
        cross_validate(gaps.fillna({"a": 0.0}), "lab", "knn", together="patient")


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"together": "pateint"}, DataError, "unknown column 'pateint'.*did you mean 'patient'"),
        ({"together": "lab"}, DataError, "together='lab': this column is the label or one of"),
        ({"together": "a", "columns": ["a", "b"]}, DataError, "together='a': this column is the"),
        ({"together": "patient", "folds": 31}, UserError, "folds=31: 'patient' has 30 different"),
        ({"together": "lab2", "folds": 2}, DataError, "folds=2: one of the folds is empty, or le"),
    ],
)
def test_what_cannot_be_kept_together(visits, changes, error, words):
    with pytest.raises(error, match=words):
        cross_validate(visits.assign(lab2=visits["lab"]), "lab", "knn", **changes)


def repeating(values, classes, rows):
    """Whole numbers of so many values, each of one class, and the classes."""
    column = np.arange(rows) % values
    return pd.DataFrame({"c": column}), np.array([f"k{number % classes}" for number in column])


@pytest.mark.parametrize(
    ("values", "classes", "noted"),
    [(2, 2, False), (3, 2, True), (5, 5, False), (6, 5, True), (9, 2, True), (40, 2, True)],
)
def test_more_values_than_classes_are_subjects(values, classes, noted):
    frame, labels = repeating(values, classes, 120)
    assert bool(repeated_subjects(frame, labels, "y")) == noted


@pytest.mark.parametrize(
    ("values", "classes", "noted"),
    [(2, 2, True), (9, 2, True), (10, 2, False), (9, 4, True), (10, 5, True), (11, 5, False),
     (12, 6, True), (13, 6, False)],
)  # fmt: skip
def test_up_to_nine_values_or_two_of_each_class_are_codes(values, classes, noted):
    frame, labels = repeating(values, classes, 130)
    note = label_copies(frame, labels, "y")
    assert bool(note) == noted
    assert not noted or note.endswith("says nothing (exclude='c' leaves it out).")


@pytest.mark.parametrize(("pairs", "expected"), [(19, False), (20, True)])
@pytest.mark.parametrize("alone", [0, 5])
def test_one_in_a_million_is_no_chance(pairs, expected, alone):
    """Two rows of one value agree by chance in half of all cases; a row alone says nothing."""
    rows = np.r_[np.repeat(np.arange(pairs), 2), 100 + np.arange(2 * alone)]
    labels = np.where(np.r_[np.repeat(np.arange(pairs) % 2, 2), np.arange(2 * alone) % 2], "a", "b")
    share = np.mean(labels == "a")
    chance = (share**2 + (1 - share) ** 2) ** pairs
    assert (chance < 1e-6) == expected
    assert bool(repeated_subjects(pd.DataFrame({"c": rows}), labels, "y")) == expected
    # and the label is no column of its own
    assert repeated_subjects(pd.DataFrame({"y": rows}), labels, "y") == ""


def test_one_exception_hides_no_leak():
    """Of 100 patients with three visits, one has a visit of the other class."""
    for given in ({}, {"blocks": True}):
        result = cross_validate(INPUTS / "patients_1_exception.csv", "outcome", "knn", **given)
        assert any("too high without together='patient'" in note for note in result.notes)


def test_rows_in_order_of_time_are_tested_in_blocks():
    """By folds drawn at random the next row tells the class of a random walk."""
    path = INPUTS / "random_walk_classes.csv"
    drawn, blocks = (cross_validate(path, "regime", blocks=blocks) for blocks in (False, True))
    assert blocks.accuracy < drawn.accuracy - 0.02
    assert "Each fold is of about 4 blocks of consecutive rows." in blocks.notes
    made = Splits.of(open_table(path), np.arange(400), ClassificationOptions(blocks=True), 5)
    assert made.owners.tolist() == np.repeat(np.arange(20), 20).tolist()
    with pytest.raises(UserError, match="blocks and together='s1': folds are made in one way"):
        cross_validate(path, "regime", blocks=True, together="s1", columns=["s2", "s3"])
