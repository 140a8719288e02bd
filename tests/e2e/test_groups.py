"""Groups of columns from the command line: ``columns``, and ``--group`` of others."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from geoforest_cli import tables
from tests.e2e.inside import geoforest
from tests.estimators.screening.test_groups import five_groups

NAMES = ["hx", "hy", "hz", "cx", "cy", *[f"{block}{j}" for block in "uvw" for j in range(4)]]
NAMES += [f"n{j}" for j in range(20)]


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    rng = np.random.default_rng(1)
    table = np.c_[five_groups(rng, 400), rng.normal(size=(400, 15))]
    path = tmp_path_factory.mktemp("groups") / "five.csv"
    upper = np.where(table[:, 2] > 0.5, "upper", "lower")
    pd.DataFrame(table, columns=NAMES).assign(half=upper).to_csv(path, index=False)
    return path


def process(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "geoforest_cli", *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


@pytest.mark.nightly
def test_columns_lists_the_groups_and_neighbors_takes_them(five, tmp_path):
    out = tmp_path / "c.csv"
    done = process("columns", five, "--label", "half", "-o", out)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-6:-1] == [
        "group 1, 4 columns: u0, u1, u2, u3",
        "group 2, 4 columns: v0, v1, v2, v3",
        "group 3, 4 columns: w0, w1, w2, w3",
        "group 4, 3 columns: hx, hy, hz",
        "group 5, 2 columns: cx, cy",
    ]
    ranked = pd.read_csv(out).set_index("column")
    assert ranked["group"][["cx", "cy"]].tolist() == [5, 5]
    assert ranked["group"].isna().sum() == 20
    given = ("neighbors", five, "-k", 4, "--method", "euclidean", "--label", "half")
    tables = {}
    for group in ("4", "hy"):
        done = process(*given, "--group", group, "-o", tmp_path / "near.csv")
        assert done.returncode == 0, done.stderr
        assert "Group 4 of 5, 3 of 37 columns: hx, hy, hz." in done.stderr.splitlines()
        tables[group] = pd.read_csv(tmp_path / "near.csv")
    pd.testing.assert_frame_equal(tables["4"], tables["hy"])
    done = process(*given, "--screen", "none", "--columns", "hx,hy,hz", "-o", tmp_path / "n.csv")
    pd.testing.assert_frame_equal(tables["4"], pd.read_csv(tmp_path / "n.csv"))


@pytest.mark.nightly
def test_each_group_has_a_file_of_its_own(five, tmp_path):
    given = ("neighbors", five, "-k", 4, "--method", "euclidean", "--label", "half")
    done = process(*given, "--group", "each", "-o", tmp_path / "near.csv")
    assert done.returncode == 0, done.stderr
    files = [tmp_path / f"near_group{number}.csv" for number in range(1, 6)]
    assert sorted(tmp_path.iterdir()) == files
    assert done.stdout.splitlines()[3:] == [
        f"400 rows, 4 neighbours each in group 4 (hx, hy, hz): {files[3]}",
        f"400 rows, 4 neighbours each in group 5 (cx, cy): {files[4]}",
    ]
    frame = pd.read_csv(five).drop(columns="half")
    circle = tables.find_neighbors(frame, 4, "euclidean", columns=["cx", "cy"], screen="none")
    read = pd.read_csv(files[4])
    assert read["neighbor"].tolist() == circle.frame()["neighbor"].tolist()


@pytest.mark.nightly
def test_classify_takes_a_group(five):
    given = ("classify", five, "--label", "half", "--method", "knn", "--folds", 3)
    done = process(*given, "--group", "hz")
    assert done.returncode == 0, done.stderr
    assert "Group 4 of 5, 3 of 37 columns: hx, hy, hz." in done.stderr.splitlines()
    alone = process(*given, "--columns", "hx,hy,hz")
    assert done.stdout == alone.stdout
    other = process(*given, "--group", 5)
    assert "knn: accuracy 0.9" in done.stdout
    assert "knn: accuracy 0.9" not in other.stdout


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--group", "hxx"], "--group hxx: unknown column 'hxx'; did you mean 'hx'?"),
        (["--group", "6"], "has 5 groups of columns, so that 1 to 5 is possible"),
        (["--group", "0"], "has 5 groups of columns, so that 1 to 5 is possible"),
        (["--group", "n3"], "n3: this column depends on no other and is in no group; "),
        (["--group", "half"], "--group half: unknown column 'half'"),
        (["--group", "1", "--screen", "none"], "a screen finds the groups, and --screen none"),
        (["--group", "1", "--shape", "1x37"], "a group is some of the columns, and --shape 1x37"),
        (["--group", "each", "--compare"], "--group each is for lists of neighbours"),
        (
            ["--group", "1", "--columns", "n1,n2,n3"],
            "has no group, since no column was found to depend",
        ),
        (
            ["--group", "each", "--columns", "n1,n2"],
            "has no group, since no column was found to depend",
        ),
    ],
)
def test_a_group_that_is_not_there_is_one_sentence(five, tmp_path, given, words):
    done = geoforest("neighbors", five, "--label", "half", *given, "-o", tmp_path / "o.csv")
    assert done.returncode == 2
    *_, sentence = done.stderr.splitlines()
    assert sentence.startswith("Error: ")
    assert words in sentence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ("each", "--group each: a classifier takes one group"),
        ("7", "--group 7: "),
        ("cxx", "unknown column 'cxx'; did you mean 'cx'?"),
    ],
)
@pytest.mark.nightly
def test_classify_refuses_a_group_that_is_not_there(five, group, words):
    done = geoforest("classify", five, "--label", "half", "--group", group)
    assert done.returncode == 2
    *_, sentence = done.stderr.splitlines()
    assert words in sentence


@pytest.mark.nightly
def test_the_group_that_is_left_out_is_named(tmp_path):
    rng = np.random.default_rng(0)
    t = rng.uniform(size=300)
    noise = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 8)) + rng.normal(size=(300, 8))
    table = pd.DataFrame(np.c_[np.cos(9 * t), np.sin(9 * t), t], columns=["x", "y", "t"])
    table = table.join(pd.DataFrame(noise).add_prefix("hum"))
    table.to_csv(tmp_path / "t.csv", index=False)
    given = ("neighbors", tmp_path / "t.csv", "--method", "adaptive_neighbors", "-k", 5)
    done = process(*given, "-o", tmp_path / "o.csv")
    assert done.returncode == 0, done.stderr
    *_, message, used = done.stderr.splitlines()
    assert message.endswith(
        "columns form 2 independent groups; left out, a group that is linear or weakly dependent: "
        "hum0, hum1, hum2, hum3, hum4, hum5, hum6, hum7 (--group: take one group)."
    )
    assert used == "Used, 3 of 11 columns: x, y, t."
    message = process(*given, "--group", "hum0", "-o", tmp_path / "o.csv")
    assert "kept all 8 columns" in message.stderr
