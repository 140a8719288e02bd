"""Neighbours of a user's table, from Python."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.tables import find_neighbors, neighbors, writers

FOREST = "geodesic_forest"
TREES = {"n_estimators": 30, "min_parent": 20}


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(120, 4))


@pytest.mark.parametrize("kind", ["array", "path", "text"])
def test_neighbors_are_those_of_the_estimator(X, tmp_path, kind):
    table = X
    if kind != "array":
        table = pd.DataFrame(X, columns=list("abcd"))
    if kind in {"path", "text"}:
        path = tmp_path / "t.parquet"
        table.to_parquet(path)
        table = path if kind == "path" else str(path)
    result = find_neighbors(table, 5, FOREST, params=TREES, seed=3, n_jobs=2, screen="none")
    distances, indices = GeodesicForest(**TREES, random_state=3).fit(X).kneighbors(n_neighbors=5)
    assert np.array_equal(result.indices, indices)
    assert np.array_equal(result.distances, distances)
    assert result.columns == (("0", "1", "2", "3") if kind == "array" else tuple("abcd"))
    assert result.of_forest
    assert result.notes == ()


class Asked(Exception):
    """Arguments that a method would be built with; nothing is computed."""


@pytest.fixture
def asked(monkeypatch):
    """Ask for neighbours and return the parameters of the method, its seed and its threads."""

    def build(method, given, *, seed, n_jobs):
        raise Asked(method, dict(given), seed, n_jobs)

    monkeypatch.setattr(neighbors, "build", build)

    def ask(*arguments, **options):
        with pytest.raises(Asked) as caught:
            find_neighbors(*arguments, **options)
        return caught.value.args

    return ask


def test_leaves_are_large_enough_for_what_is_asked_for(asked, X):
    assert asked(X, 17, FOREST) == (FOREST, {"n_neighbors": 17, "screen": None}, 0, -1)
    given = {"n_neighbors": 4}
    assert asked(X, 17, FOREST, given, seed=3, n_jobs=2) == (FOREST, given | {"screen": None}, 3, 2)
    shaped = asked(X, 5, shape="2x2")
    assert shaped[:2] == ("structured_forest", {"n_neighbors": 5, "image_shape": (2, 2)})
    assert asked(X, 5, "random_forest")[1] == {}


ADAPTIVE = "adaptive_neighbors"


def test_the_default_and_what_the_table_passes_on_to_it(asked, X, monkeypatch):
    assert asked(X, 5)[:2] == (ADAPTIVE, {"n_neighbors": 5})
    assert asked(X, 5, screen="none")[1] == {"n_neighbors": 5, "screen": None}
    assert asked(X, 5, level=0.05)[1] == {"n_neighbors": 5, "level": 0.05}
    assert asked(X, 5, scale="standardise")[1] == {"n_neighbors": 5, "scale": "raw"}
    given = {"n_neighbors": 3, "scale": "transformed", "level": 0.1}
    assert asked(X, 5, params=given, scale="none", level=0.01)[1] == given
    notes = []
    monkeypatch.setattr(neighbors, "_MANY_ROWS", 119)
    given = {"n_neighbors": 5, "screen": None, "rescale": "none"}
    assert asked(X, 5, on_note=notes.append)[:2] == ("leaf_mates", given)
    assert notes[0] == (
        "120 rows: by leaf_mates, since adaptive_neighbors would take long "
        "(method='adaptive_neighbors': even so)."
    )
    assert asked(X, 5, ADAPTIVE)[0] == ADAPTIVE


def test_columns_of_a_category_are_screened_as_one(asked, X):
    """To a screen of single columns they would depend on one another."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": X[:, 0], "y": X[:, 0] + 0.1 * X[:, 1], "a": X[:, 2], "b": X[:, 3]})
    table["colour"] = rng.choice(["red", "green", "blue"], 120)
    assert asked(table, 5) == (ADAPTIVE, {"n_neighbors": 5, "screen": None}, 0, -1)


def test_neighbours_by_hand(X):
    """Without a scale, a screen or a tie they are those of the lengths."""
    names = [f"p{i}" for i in range(120)]
    table = pd.DataFrame(X, columns=list("abcd")).assign(who=names)
    result = find_neighbors(table, 119, "euclidean", identifier="who")
    lengths = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    for row in (0, 7, 119):
        order = [i for i in np.argsort(lengths[row]) if i != row]
        assert result.indices[row].tolist() == order
        assert np.allclose(result.distances[row], lengths[row, order])
    lines = result.frame()
    assert lines.columns.tolist() == ["id", "rank", "neighbor", "distance"]
    assert lines["neighbor"][:119].tolist() == [f"p{i}" for i in result.indices[0]]
    assert lines["rank"][117:121].tolist() == [118, 119, 1, 2]


def test_ties_fall_as_the_seed_says():
    square = np.array([[x, y] for x in range(6) for y in range(6)], float)
    params = {"n_neighbors": 4}
    first, again, other = (find_neighbors(square, 2, "isomap", params, seed=s) for s in (0, 0, 1))
    assert np.array_equal(first.indices, again.indices)
    assert not np.array_equal(first.indices, other.indices)
    assert (first.distances == 1).all()


def test_one_line_per_pair_with_names(X, tmp_path, monkeypatch):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(who=[f"p{i}" for i in range(120)])
    notes = []
    result = find_neighbors(
        frame.assign(same=1), 3, FOREST, TREES, identifier="who", screen=None, on_note=notes.append
    )
    assert notes[:-1] == list(result.notes) == ["Left out, the same in every row: same."]
    assert notes[-1] == "Used, 4 of 6 columns: a, b, c, d."
    assert result.left_out == {"same": "the same in every row"}
    lines = result.frame()
    assert lines.columns.tolist() == ["id", "rank", "neighbor", "distance", "proximity"]
    assert lines["id"].tolist() == [f"p{i}" for i in range(120) for _ in range(3)]
    assert lines["neighbor"].tolist() == [f"p{i}" for i in result.indices.ravel()]
    assert np.allclose(lines["distance"] + lines["proximity"], 1)
    monkeypatch.setattr(writers, "_BLOCK", 50)
    writers.write_lists(tmp_path / "o.parquet", result)
    assert pd.read_parquet(tmp_path / "o.parquet").equals(lines)
    writers.write_lists(tmp_path / "o.tsv", result)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "o.tsv", sep="\t"), lines)


@pytest.mark.parametrize("k", [0, 120])
def test_k_out_of_range(X, k):
    with pytest.raises(DataError, match=rf"^k={k}: the array has 120 rows, so that 1 to 119"):
        find_neighbors(X, k)


def test_mistakes_are_found_before_the_table_is_read():
    with pytest.raises(UserError, match="n_estimators must be"):
        find_neighbors("no such file.csv", method=FOREST, params={"n_estimators": 0})
    with pytest.raises(UserError, match="adaptive_neighbors has no parameter 'n_estimators'; did"):
        find_neighbors("no such file.csv", params={"n_estimators": 50})
    with pytest.raises(DataError, match="there is no file"):
        find_neighbors("no such file.csv")


class Little:
    available = 10_000


def test_what_cannot_fit_is_refused_before_anything_is_taken(X, monkeypatch):
    """In the words of the caller, and before a method is made; others run in the same room."""
    monkeypatch.setattr("psutil.virtual_memory", Little)
    built = []
    monkeypatch.setattr(neighbors, "build", lambda *given, **named: built.append(given))
    for method in ("isomap", "umap", "sklearn_isomap"):
        words = rf"^{method} needs a 120 x 120 matrix, 0.0 GB with .*; geodesic_forest and euclid"
        with pytest.raises(DataError, match=words):
            find_neighbors(X, 3, method)
    with pytest.raises(DataError, match=r"^k=100: 100 neighbours of each of 120 rows take 0\.0"):
        find_neighbors(X, 100, "euclidean")
    assert built == []
    monkeypatch.undo()
    monkeypatch.setattr("psutil.virtual_memory", Little)
    with pytest.raises(DataError, match=r"^screened needs a 120 x 120 matrix"):
        find_neighbors(X, 3, "screened", {"method": "isomap", "screen": "pairs"})
    with pytest.raises(DataError, match=r"n_estimators.*: 70 trees on 120 rows take"):
        find_neighbors(X, 3, FOREST, {"n_estimators": 70})
    with pytest.raises(DataError, match=r"^adaptive_neighbors needs a graph of 120 rows, 0\.0"):
        find_neighbors(X, 3)
    assert find_neighbors(X, 3, "euclidean").indices.shape == (120, 3)
    assert find_neighbors(X, 3, FOREST, {"n_estimators": 5}).indices.shape == (120, 3)


def test_adaptive_neighbours_say_what_they_chose():
    notes = []
    t = np.random.default_rng(0).uniform(size=200)
    noise = np.random.default_rng(1).lognormal(size=(200, 20))
    table = np.c_[np.cos(9 * t), np.sin(9 * t), 30 * t, noise]
    result = find_neighbors(table, 12, method="adaptive_neighbors", on_note=notes.append)
    sentence = (
        "adaptive_neighbors: kept 3 of 23 columns; columns standardised; graph geodesic, "
        "no forest; dropped, independent of all others: 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 10 more."
    )
    assert result.notes[-1] == sentence
    assert sentence in notes
    assert np.abs(t[result.indices] - t[:, None]).max() < 0.15


@pytest.mark.parametrize("k", ["5", 5.0, None, True])
def test_k_is_a_whole_number(k):
    table = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(UserError, match=r"^k.*: a number of neighbours is a whole number$"):
        find_neighbors(table, k)
    assert find_neighbors(table, np.int32(3)).indices.shape == (30, 3)
