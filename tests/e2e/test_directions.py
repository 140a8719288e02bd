"""``directions`` from the command line."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.e2e.inside import geoforest


def process(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "geoforest_cli", *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 2 * np.pi, 500)
    clean = np.c_[np.cos(t), np.sin(t), rng.normal(size=(500, 10))]
    path = tmp_path_factory.mktemp("mixed") / "sensors.csv"
    table = pd.DataFrame(clean @ rng.normal(size=(12, 12))).add_prefix("sensor")
    table.to_csv(path, index=False)
    return path


@pytest.mark.compiled
def test_directions_are_listed_written_and_drawn(mixed, tmp_path):
    out, picture = tmp_path / "o.csv", tmp_path / "o.png"
    done = process("directions", mixed, "-o", out, "--picture", picture)
    assert done.returncode == 0, done.stderr
    assert done.stderr in {"", "Compiling, once on this machine, for up to a minute ...\n"}
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["direction", "z", "p-value", "follows", "most", "(correlation)"]
    assert [line.split()[0] for line in lines[1:3]] == ["family1_1", "family1_2"]
    assert lines[3] == "2 directions in 1 family (level 0.01, 500 rows, rank 12)."
    assert lines[4].endswith("directions are the better choice here.")
    assert lines[5:] == [str(out), str(picture)]
    assert max(map(len, lines[:3])) <= 110
    assert pd.read_csv(out).columns.tolist() == ["id", "family1_1", "family1_2"]
    assert picture.stat().st_size > 10_000
    search = geoforest("neighbors", out, "-k", "5", "--id", "id", "-o", tmp_path / "n.csv")
    assert search.returncode == 0, search.stderr


@pytest.mark.compiled
def test_noise_has_none_and_that_is_no_mistake(tmp_path):
    noise = np.random.default_rng(0).normal(size=(200, 5))
    pd.DataFrame(noise).to_csv(tmp_path / "t.csv", index=False)
    done = geoforest("directions", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "No direction with light tails or clusters was found (level 0.01, 200 rows, rank 5): nothing is written."
    ]
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--level", "0"], "--level 0.0: a level lies between 0 and 1"),
        (["-o", "o.xlsx"], "o.xlsx: the output is .parquet, .csv or .tsv"),
        (["--picture", "o.gif"], "o.gif: a picture is .png, .svg or .pdf"),
        (["--columns", "sensr1"], "did you mean 'sensor1'?"),
        (["--columns", "sensor1"], "'sensor1' is the only column of numbers"),
    ],
)
def test_a_mistake_is_one_sentence(mixed, given, words):
    done = geoforest("directions", mixed, *given)
    assert done.returncode == 2
    assert done.stdout == ""
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("Error: ")
    assert words in sentence


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t[:20], "20 rows of 12 columns, but directions need at least 24 rows"),
        (lambda t: t.mask(t == t.iloc[3, 3]), "or leave these rows out (--missing drop)"),
        (lambda t: t.assign(sensor0=np.inf), "infinite"),
        (lambda t: t[:2], "2 rows of 12 columns, but directions need at least 24 rows"),
        (
            lambda t: pd.DataFrame({"side": np.where(t["sensor0"] > 0, "left", "right")}),
            "all columns are categories, and directions need numbers",
        ),
    ],
)
def test_a_bad_table_is_one_sentence(mixed, tmp_path, change, words):
    change(pd.read_csv(mixed)).to_csv(tmp_path / "t.csv", index=False)
    done = geoforest("directions", tmp_path / "t.csv")
    assert done.returncode == 2
    (sentence,) = done.stderr.splitlines()
    assert words in sentence
