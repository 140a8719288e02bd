"""All methods side by side on a user's table."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables import compare_neighbors, find_neighbors
from geoforest_cli.tables import comparison as comparing


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    centres = np.repeat([[0.0, 0], [9, 0], [0, 9]], [10, 20, 30], axis=0)
    return pd.DataFrame(centres + rng.normal(size=(60, 2)), columns=["x", "y"]).assign(
        group=np.repeat(["a", "b", "c"], [10, 20, 30]), who=[f"p{i}" for i in range(60)]
    )


@pytest.fixture
def few(monkeypatch):
    """Two quick methods, one that asks for more rows than there are, and one that is missing."""
    monkeypatch.setattr(
        comparing, "_suitable", lambda shape: ["euclidean", "graph_geodesic", "morf", "isomap"]
    )


def test_every_method_of_neighbours_but_twins():
    plain = comparing._suitable(None)
    assert {"geodesic_forest", "random_forest", "euclidean", "isomap", "umap"} <= set(plain)
    assert not {"sklearn_isomap", "screened", "structured_forest", "morf"} & set(plain)
    assert set(comparing._suitable("8x8")) == {*plain, "structured_forest"}


def test_shares_of_the_own_class_by_hand(frame, few):
    found = compare_neighbors(frame, 3, "group", identifier="who")
    y = frame["group"].to_numpy()
    assert found.methods == ("euclidean", "graph_geodesic", "isomap")
    assert "it is among the classifiers" in found.failed["morf"]
    for number, method in enumerate(found.methods):
        near = find_neighbors(frame[["x", "y"]], 3, method)
        assert found.own_class[number] == np.mean(y[near.indices] == y[:, None])
    pairs = [y[i] == y[j] for i in range(60) for j in range(60) if i != j]
    assert found.chance == pytest.approx(np.mean(pairs))
    lines = found.frame()
    assert lines.columns.tolist() == ["method", "own_class", "chance"]
    assert lines["own_class"].is_monotonic_decreasing
    assert f"chance is {found.chance:.2f}" in found.summary()


def test_overlaps_by_hand(frame, few):
    found = compare_neighbors(frame.drop(columns=["group", "who"]), 4)
    assert found.own_class is None
    near = [find_neighbors(frame[["x", "y"]], 4, m).indices for m in found.methods]
    for i, one in enumerate(near):
        for j, other in enumerate(near):
            both = [len(set(a) & set(b)) / 4 for a, b in zip(one, other, strict=True)]
            assert found.overlaps[i, j] == pytest.approx(np.mean(both))
    assert found.frame()["method"].tolist() == list(found.methods)
    assert "(7% by chance)" in found.summary()


def test_classes_of_the_rows_that_are_left(frame, few):
    gappy = frame.copy()
    gappy.loc[[0, 25], "x"] = np.nan
    found = compare_neighbors(gappy, 3, "group", identifier="who", missing="drop")
    whole = compare_neighbors(frame.drop(index=[0, 25]), 3, "group", identifier="who")
    assert np.array_equal(found.own_class, whole.own_class)
    assert found.chance == whole.chance
    with pytest.raises(DataError, match="'x' has 2 missing values, the first in row 0 "):
        compare_neighbors(gappy, 3, "group")


def test_what_takes_no_missing_values_is_told_in_one_line(frame, tmp_path):
    gappy = frame.copy()
    gappy.loc[[0, 25], "x"] = np.nan
    gappy.to_csv(tmp_path / "t.csv", index=False)
    call = ["neighbors", str(tmp_path / "t.csv"), "-k", "3", "--id", "who", "--compare"]
    done = CliRunner().invoke(cli, [*call, "--label", "group", "--missing", "random"])
    assert done.exit_code == 0, done.output
    left_out = [line for line in done.stderr.splitlines() if line.startswith("Left out, ")]
    names, why = left_out[0].removeprefix("Left out, ").split(": ")
    assert {"geodesic_forest", *names.split(", ")} == set(comparing._suitable(None))
    assert why.startswith("it takes no missing values; --missing drop compares all methods")
    assert len(left_out) == 1
    assert done.stdout.splitlines()[1].split()[0] == "geodesic_forest"


@pytest.mark.parametrize(
    ("change", "label", "words"),
    [
        ({}, "grop", "unknown column 'grop'; did you mean 'group'"),
        ({"group": [None, *"ab" * 29, "a"]}, "group", "'group' is missing in row 0 "),
        ({}, "who", "60 different values in 60 rows; classes are at least 2, and at most half"),
        ({"group": "a"}, "group", "1 different values"),
    ],
)
def test_labels_that_are_refused(frame, few, change, label, words):
    with pytest.raises(DataError, match=words):
        compare_neighbors(frame.assign(**change), 3, label)


def test_on_the_command_line(frame, few, tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    frame.to_csv(path, index=False)
    call = ["neighbors", str(path), "-k", "3", "--id", "who", "--compare"]
    done = CliRunner().invoke(cli, [*call, "--label", "group", "-o", str(out)])
    assert done.exit_code == 0, done.output
    header, *lines = done.stdout.splitlines()
    assert header.split() == ["method", "own_class", "chance"]
    found = pd.read_csv(out)
    assert [line.split()[0] for line in lines[:3]] == found["method"].tolist()
    assert lines[3].startswith(found["method"][0])
    assert lines[4].endswith("docs/choosing.md")
    assert "Used, 2 of 2 columns: x, y." in done.stderr
    assert "Left out, morf: --method morf: it is among the classifiers" in done.stderr
    plain = CliRunner().invoke(cli, [*call, "--columns", "x,y"])
    assert plain.stdout.split()[:4] == ["method", "euclidean", "graph_geodesic", "isomap"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--compare", "--method", "isomap"], "--method is for one method"),
        (["--compare", "--param", "a=1"], "--param is for one method"),
        ([], "name a file for the neighbours (-o) or a map (--picture), or --compare methods"),
    ],
)
def test_options_that_do_not_go_together(frame, tmp_path, args, words):
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = CliRunner().invoke(cli, ["neighbors", str(tmp_path / "t.csv"), *args])
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())


def test_where_no_method_can_run_the_first_reason_is_told(frame, few):
    with pytest.raises(UserError, match=r"^k=60: the DataFrame has 60 rows"):
        compare_neighbors(frame, 60)
