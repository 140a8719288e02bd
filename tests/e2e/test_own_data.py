"""``neighbors`` and ``classify`` on a user's files."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_digits

from geoforest_cli.cli.classify import classify
from geoforest_cli.cli.neighbors import neighbors
from geoforest_cli.core.errors import UserError
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.structured_forest import StructuredGeodesicForest

FOREST = ("--method", "geodesic_forest")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    frame = pd.DataFrame(X, columns=list("abcd")).assign(id=[f"p{i}" for i in range(120)])
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv", X


def call(command, *args):
    return CliRunner().invoke(command, [str(a) for a in args], catch_exceptions=False)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_neighbors_are_those_of_the_estimator(table, tmp_path, suffix):
    path, _ = table
    out = tmp_path / f"o.{suffix}"
    done = call(neighbors, path, "-k", 5, "--id", "id", *FOREST, "--param", "n_estimators=40",
                "--param", "min_parent=20", "--seed", 3, "--jobs", 2, "-o", out)  # fmt: skip
    assert done.exit_code == 0, done.output
    frame = (
        pd.read_parquet(out)
        if suffix == "parquet"
        else pd.read_csv(out, sep="\t" if suffix == "tsv" else ",")
    )
    forest = GeodesicForest(40, n_neighbors=5, min_parent=20, random_state=3)
    distances, rows = forest.fit(pd.read_csv(path)[list("abcd")].to_numpy()).kneighbors()
    assert frame["neighbor"].tolist() == [f"p{i}" for i in rows.ravel()]
    assert np.allclose(frame["distance"], distances.ravel())
    assert np.allclose(frame["proximity"], 1 - distances.ravel())
    assert frame["rank"].tolist() == [1, 2, 3, 4, 5] * 120
    assert not list(tmp_path.glob(".*part"))


def test_classify_names_rows_and_does_not_learn_from_their_names(tmp_path):
    rng = np.random.default_rng(0)
    kind = np.arange(60) % 3
    frame = pd.DataFrame(rng.normal(size=(60, 3)) + kind[:, None], columns=list("abc"))
    frame = frame.assign(kind=kind, plot=[f"{i:03}" for i in 500 + kind * 100 + np.arange(60)])
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.drop(columns="plot").to_csv(tmp_path / "u.csv", index=False)
    out, bare = tmp_path / "o.csv", tmp_path / "p.csv"
    given = ["--label", "kind", "--param", "n_estimators=20"]
    named = call(classify, tmp_path / "t.csv", *given, "--id", "plot", "-o", out)
    plain = call(classify, tmp_path / "u.csv", *given, "-o", bare)
    assert (named.exit_code, plain.exit_code) == (0, 0), named.output
    lines = pd.read_csv(out, dtype=str)
    assert lines.columns.tolist() == ["id", "row", "label", "predicted"]
    assert lines["id"].tolist() == frame["plot"].tolist()
    assert lines.drop(columns="id").equals(pd.read_csv(bare, dtype=str))
    assert "Used, 3 of 5 columns: a, b, c." in named.stderr


@pytest.mark.parametrize("method", ["euclidean", "isomap", "random_forest", "graph_geodesic"])
@pytest.mark.nightly
def test_any_method_by_name(table, tmp_path, method):
    path, X = table
    out = tmp_path / "o.csv"
    done = call(neighbors, path, "-k", 3, "--method", method, "-o", out)
    assert done.exit_code == 0, done.output
    frame = pd.read_csv(out)
    assert len(frame) == 360
    if method == "euclidean":
        gaps = np.linalg.norm(X[:, None] - X, axis=2)
        np.fill_diagonal(gaps, np.inf)
        assert np.allclose(frame["distance"][::3], gaps.min(axis=1))


@pytest.mark.parametrize(
    "given",
    [
        ["--shape", "8x8"],
        ["--method", "structured_forest", "--param", "image_shape=[8, 8]"],
        ["--method", "structured_forest", "--shape", "8 x 8"],
    ],
)
def test_neighbors_of_images(tmp_path, given):
    X, y = load_digits(n_class=4, return_X_y=True)
    pixels = pd.DataFrame(X[:200], columns=[f"p{i}" for i in range(64)])
    assert (pixels.min() == pixels.max()).any()  # blank pixels stay where they are
    pixels.assign(name=np.arange(200)).to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "o.csv"
    done = call(neighbors, tmp_path / "t.csv", "-k", 5, "--id", "name", "--seed", 3, "-o", out,
                "--param", "n_estimators=40", "--param", "patch_width=[1, 3]", *given)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Used, 64 of 65 columns" in done.output
    assert "Left out" not in done.output
    forest = StructuredGeodesicForest(
        40, image_shape=(8, 8), patch_width=(1, 3), n_neighbors=5, random_state=3
    )
    _, rows = forest.fit(X[:200]).kneighbors()
    table = pd.read_csv(out)
    assert table["neighbor"].tolist() == rows.ravel().tolist()
    assert (y[table["id"]] == y[table["neighbor"]]).mean() > 0.9


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--method", "isomp"], "^--method: unknown .* did you mean 'isomap'"),
        ([*FOREST, "--param", "n_estimator=3"], "did you mean 'n_estimators'"),
        (
            [*FOREST, "--param", "n_estimators=-1"],
            "^--param n_estimators=-1: n_estimators must be a whole number of at least 1",
        ),
        (["--param", "n_estimators"], "NAME=VALUE"),
        (["--columns", "a,e"], "unknown column 'e'"),
        (["--param", "n_estimators=9"], "^--param n_estimators=9: adaptive_neighbors has no param"),
        (
            [*FOREST, "--param", "bootstrap=null"],
            "^--param bootstrap=null: bootstrap must be true or false",
        ),
        (["-k", "120"], r"^-k 120: .*t\.csv has 120 rows, so that 1 to 119 are possible"),
        (["--shape", "2x3"], "^--shape 2x3: that makes 6 columns, not 4"),
        (["--shape", "wide"], "^--shape wide: a shape is HEIGHTxWIDTH"),
        (
            ["--shape", "2x2", "--param", "patch_width=[1, 3]"],
            "width 1 to 3 do not fit in an image",
        ),
        (
            ["--method", "structured_forest", "--param", "image_shape=2x2"],
            "^--param image_shape=2x2: image_shape must be ",
        ),
        (["-o", "out.xlsx"], "the output is"),
        (["-o", "nowhere/out.csv"], "there is no folder"),
    ],
)
def test_neighbors_says_what_is_wrong(table, tmp_path, args, words):
    path, _ = table
    with pytest.raises(UserError, match=words):
        call(neighbors, path, "-o", tmp_path / "o.csv", *args)


def test_gaps_are_refused_and_what_is_left_out_is_said(table, tmp_path):
    path, _ = table
    out = tmp_path / "o.csv"
    done = call(neighbors, path, "-k", 2, "--method", "euclidean", "-o", out)
    assert done.stderr.splitlines() == [
        "Left out, not numeric: id.",
        (
            "No two columns were found to depend on each other (pairs and correlations, "
            "family-wise error 0.01): all 4 "
            "are used."
        ),
        "Used, 4 of 5 columns: a, b, c, d.",
    ]
    assert done.stdout == f"120 rows, 2 neighbours each: {out}\n"
    pd.read_csv(path).assign(a=np.nan).to_csv(path, index=False)
    with pytest.raises(UserError, match=r"leave these rows out \(--missing drop\)$"):
        call(neighbors, path, "-k", 2, "-o", tmp_path / "o.csv")


@pytest.fixture
def digits(tmp_path):
    X, y = load_digits(return_X_y=True)
    frame = pd.DataFrame(X[:300], columns=[f"p{i}" for i in range(64)]).assign(digit=y[:300])
    frame.to_csv(tmp_path / "d.csv", index=False)
    return tmp_path / "d.csv"


def test_classify_images(digits, tmp_path):
    out, picture = tmp_path / "o.csv", tmp_path / "map.png"
    done = call(classify, digits, "--label", "digit", "--shape", "8x8", "--folds", 3,
                "--param", "n_estimators=40", "-o", out, "--picture", picture)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert done.output.count(": accuracy") == 4
    table = pd.read_csv(out)
    assert (table["label"] == table["predicted"]).mean() > 0.8
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--label", "digt"], "did you mean 'digit'"),
        (["--shape", "8x9"], "^--shape 8x9: that makes 72 columns, not 64"),
        (["--shape", "wide"], "HEIGHTxWIDTH"),
        (["--folds", "200"], "d.csv: the second largest class of 'digit' has .*: --folds is 2 to"),
        (["--method", "cnn"], r"^--method cnn: image_shape must be given \(--shape\)"),
        (["--method", "isomp"], "^--method: unknown method 'isomp' .known: morf, sporf"),
        (
            ["--method", "isomap"],
            "^--method isomap: it is among the methods of neighbours: geoforest neighbors takes it",
        ),
    ],
)
def test_classify_says_what_is_wrong(digits, args, words):
    with pytest.raises(UserError, match=words):
        call(classify, digits, "--label", "digit", "--folds", "2", *args)


@pytest.mark.parametrize("method", ["knn", "logistic", "boosting", "cnn"])
def test_a_picture_that_cannot_be_drawn_is_refused_at_first(digits, method):
    done = CliRunner().invoke(
        classify, [str(digits), "--label", "digit", "--method", method, "--picture", "x.png"]
    )
    assert str(done.exception) == (
        f"--picture: {method} has no importances; morf, sporf and rf have"
    )
    assert done.output == ""


def test_measurements_are_no_classes(digits, tmp_path):
    frame = pd.read_csv(digits)
    rng = np.random.default_rng(0)
    for label in (rng.normal(size=300), rng.permutation(300)):
        frame.assign(price=label).to_csv(tmp_path / "t.csv", index=False)
        words = "'price' has 300 different numbers in 300 rows, .* geoforest classify does no reg"
        with pytest.raises(UserError, match=words):
            call(classify, tmp_path / "t.csv", "--label", "price")
    # numbers may name classes
    names = np.arange(300) % 60 * 7
    frame.assign(subject=names).to_csv(tmp_path / "t.csv", index=False)
    done = call(classify, tmp_path / "t.csv", "--label", "subject", "--method", "knn")
    assert done.exit_code == 0


def test_labels_must_be_there(digits, tmp_path):
    frame = pd.read_csv(digits)
    frame.assign(digit=1).to_csv(tmp_path / "one.csv", index=False)
    with pytest.raises(UserError, match="one class only"):
        call(classify, tmp_path / "one.csv", "--label", "digit")
    frame.loc[3, "digit"] = np.nan
    frame.to_csv(tmp_path / "gap.csv", index=False)
    with pytest.raises(UserError, match=r"missing in row 3 .*--missing drop"):
        call(classify, tmp_path / "gap.csv", "--label", "digit")
