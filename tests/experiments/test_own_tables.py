"""A user's own table as the data of a config."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import NearestNeighbors

import geoforest_cli
from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.study import plan
from geoforest_cli.tables.labelled import TABLES, labelled

CONFIG = """\
title: mine
experiment: {experiment}
repetitions: 2
params: {{table: flowers.csv, label: kind{more}}}
grid: {grid}
methods:
{methods}
"""
NEIGHBORS = {
    "experiment": "own_neighbors",
    "grid": "{k: [1, 7]}",
    "methods": "  euclidean: {variants: {as_written: {}}}",
    "more": "",
}
CLASSES = {
    "experiment": "own_classes",
    "grid": "{scaling: [raw, standardised]}",
    "methods": "  knn: {variants: {as_written: {}}}\n  logistic: {variants: {as_written: {}}}",
    "more": ", test: 0.4",
}


@pytest.fixture
def flowers(tmp_path):
    points, classes = load_iris(return_X_y=True)
    frame = pd.DataFrame(points, columns=["a", "b", "c", "d"])
    frame.insert(1, "kind", np.array(["setosa", "versicolor", "virginica"])[classes])
    frame.to_csv(tmp_path / "flowers.csv", index=False)
    return frame


@pytest.fixture
def config(tmp_path, flowers):
    def make(**given):
        path = tmp_path / "mine.yaml"
        path.write_text(CONFIG.format(**given))
        return path

    return make


def test_neighbours_agree_with_scikit_learn(config, flowers, tmp_path):
    done = geoforest_cli.run(config(**NEIGHBORS), results=tmp_path / "results", jobs=1)
    rows = done.rows[(done.rows["metric"] == "same_class") & (done.rows["k"] == 7)]
    points, kinds = flowers[["a", "b", "c", "d"]].to_numpy(), flowers["kind"].to_numpy()
    neighbors = NearestNeighbors(n_neighbors=7).fit(points).kneighbors(return_distance=False)
    expected = np.mean(kinds[neighbors] == kinds[:, None])
    # ties are broken at random
    assert rows["value"].to_numpy() == pytest.approx(expected, abs=0.005)
    chance = done.rows[done.rows["metric"] == "chance"]["value"]
    assert chance.to_numpy() == pytest.approx(49 / 149)
    assert set(done.rows["status"]) == {"ok"}


def test_classes_are_cross_validated_on_one_split_for_all(config, tmp_path):
    done = geoforest_cli.run(config(**CLASSES), results=tmp_path / "results", jobs=1)
    errors = done.rows[done.rows["metric"] == "error"]
    assert errors["value"].between(0, 0.15).all()
    # shares of 60 rows
    assert np.allclose(errors["value"] * 60, np.round(errors["value"] * 60))
    largest = done.rows[done.rows["metric"] == "largest_class"]
    assert largest["value"].to_numpy() == pytest.approx(2 / 3)


def test_another_content_is_another_cell_another_folder_is_not(config, flowers, tmp_path):
    path = config(**NEIGHBORS)
    before = set(plan.load(path).jobs)
    used = plan.load(path).used["table flowers.csv"]
    assert used.about == "a table beside the config, flowers.csv"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    flowers.to_csv(elsewhere / "flowers.csv", index=False)
    (elsewhere / "mine.yaml").write_text(path.read_text())
    assert set(plan.load(elsewhere / "mine.yaml").jobs) == before
    flowers.assign(a=flowers["a"] + 1).to_csv(tmp_path / "flowers.csv", index=False)
    assert not set(plan.load(path).jobs) & before


@pytest.mark.parametrize(
    ("kind", "old", "new", "sentence"),
    [
        (NEIGHBORS, "flowers.csv", "flwers.csv", r"unknown table 'flwers.csv'; did you mean 'flowers.csv'"),
        (NEIGHBORS, "kind}", "kin}", r"unknown column 'kin'; did you mean 'kind'"),
        (NEIGHBORS, "label: kind", "label: kind, columns: [a, kind]", r"'kind' is the label and cannot be one of"),
        (NEIGHBORS, "label: kind", "label: kind, columns: [e]", r"unknown column 'e'"),
        (NEIGHBORS, "k: [1, 7]", "k: [1, 150]", r"k=150: the table has 150 rows"),
        (CLASSES, "test: 0.4", "test: 0.01", r"test=0.01: each part of 150 rows must hold all 3 classes"),
    ],
)  # fmt: skip
def test_what_cannot_be_used(config, kind, old, new, sentence):
    path = config(**kind)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(UserError, match=sentence) as caught:
        plan.load(path)
    assert "mine.yaml:" in str(caught.value)


def test_labels_that_are_none(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "y": ["a", None, "b", "b"], "z": list("abcd")})
    frame.assign(one="a", rare=["p", "q", "q", "q"]).to_csv(tmp_path / "t.csv", index=False)
    with user_modules.searched_in(tmp_path):
        with pytest.raises(DataError, match="the label 'y' is missing in row 1 "):
            labelled("t.csv", "y")
        with pytest.raises(DataError, match="'z' has 4 different values in 4 rows; classes are"):
            labelled("t.csv", "z")
        with pytest.raises(DataError, match="'one' has 1 different values"):
            labelled("t.csv", "one")
        table = labelled("t.csv", "rare", ("x",))
        assert table.names == ("p", "q")
        assert table.classes.tolist() == [0, 1, 1, 1]
        assert table.points.tolist() == [[1.0], [2.0], [3.0], [4.0]]
        assert TABLES["t.csv"].version == TABLES["t.csv"].version
        assert "t.csv" in TABLES
        assert 3 not in TABLES
