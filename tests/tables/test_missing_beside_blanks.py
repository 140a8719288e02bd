"""Files with a blank after each comma: a missing value there is missing, as without the blank."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import cross_validate, find_columns, find_neighbors
from geoforest_cli.tables.codes import MISSING_WORDS
from geoforest_cli.tables.reading import open_table

POINTS = np.random.default_rng(0).normal(size=(40, 2)).round(3)


def written(path, values, before=" ", after=""):
    lines = ["x, y, group"]
    lines += [
        f"{x}, {y},{before}{one}{after}"
        for (x, y), one in zip(POINTS, np.resize(values, 40), strict=True)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("classes", [["u", "v"], ["1", "0"], ["1.5", "2.5"]])
@pytest.mark.parametrize(("before", "after"), [(" ", ""), ("", " "), ("  ", "\t")])
def test_a_missing_class_is_missing(tmp_path, classes, before, after):
    """It was a class of its own, by the name of NA."""
    path = written(tmp_path / "t.csv", [*classes, "NA", classes[0]], before, after)
    with pytest.raises(
        DataError, match=r"the label 'group' is missing in row 2 \(.*NA.* counts as"
    ):
        cross_validate(path, "group", "knn")
    found = cross_validate(path, "group", "knn", missing="drop")
    assert "Left out, 10 of 40 rows: the label 'group' is missing." in found.notes
    assert set(found.predictions["label"]) == set(classes)


@pytest.mark.parametrize("word", MISSING_WORDS[1:])
def test_every_word_that_is_missing_without_a_blank_is_missing_with_one(tmp_path, word):
    frames = [
        open_table(written(tmp_path / f"{len(before)}.csv", ["u", "v", word], before)).frame
        for before in ("", " ")
    ]
    assert [frame["group"].isna().sum() for frame in frames] == [13, 13]


def test_a_category_and_a_number_have_no_value_there(tmp_path):
    category = find_columns(written(tmp_path / "t.csv", ["u", "v", "nan", "u"]))
    assert not any("3 values" in note for note in category.notes)
    values = [f"{number / 7:.2f}" for number in range(39)]
    number = written(tmp_path / "n.csv", [*values, "NA"])
    assert open_table(number).frame["group"].dtype == float
    assert "filled by" in " ".join(find_neighbors(number, 3, missing="impute").notes)


def test_blanks_that_are_all_there_is_and_other_marks_stay(tmp_path):
    frame = open_table(written(tmp_path / "t.csv", ["u", "v", " "])).frame
    assert frame["group"].isna().sum() == 0
    marked = open_table(written(tmp_path / "m.csv", ["1.5", "NA", "?", "2.5"])).frame
    assert marked["group"].isna().sum() == 0
    codes = open_table(written(tmp_path / "c.csv", ["007", "NA", "012", "007"])).frame
    assert codes["group"].dropna().unique().tolist() == ["007", "012"]
    commas = pd.DataFrame({"x": ["1,5", "2,5", " NA", "3,5"] * 5, "y": ["1,25"] * 20})
    commas.to_csv(tmp_path / "d.csv", sep=";", index=False)
    numbers = open_table(tmp_path / "d.csv").frame["x"]
    assert numbers.dropna().unique().tolist() == [1.5, 2.5, 3.5]
    assert numbers.isna().sum() == 5
    commas["x"] = ["1.500", "2.500", " NA", "3.500"] * 5
    commas.to_csv(tmp_path / "p.csv", sep=";", index=False)
    points = open_table(tmp_path / "p.csv").frame["x"]
    assert points.dropna().unique().tolist() == ["1.500", "2.500", "3.500"]
