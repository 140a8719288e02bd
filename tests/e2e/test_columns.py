"""``columns``, and the screen in front of ``neighbors`` and ``classify``, from the command line."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_wine

from geoforest_cli.cli.classify import classify
from geoforest_cli.cli.columns import columns
from geoforest_cli.cli.neighbors import neighbors
from tests.e2e.inside import geoforest


def call(command, *arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False)


@pytest.fixture(scope="module")
def wine():
    return load_wine(as_frame=True)


@pytest.fixture(scope="module")
def noisy(wine, tmp_path_factory):
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(178, 200)), columns=[f"noise{i}" for i in range(200)])
    path = tmp_path_factory.mktemp("wine") / "wine.csv"
    pd.concat([wine.data, noise], axis=1).assign(cultivar=wine.target).to_csv(path, index=False)
    return path


def without_class(noisy):
    return ",".join(name for name in pd.read_csv(noisy, nrows=1).columns if name != "cultivar")


@pytest.mark.compiled
def test_wine_is_found_among_noise(wine, noisy, tmp_path):
    out, picture = tmp_path / "o.csv", tmp_path / "o.png"
    done = geoforest(
        "columns", noisy, "--columns", without_class(noisy),
        "-o", out, "--picture", picture,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # on a machine that has compiled nothing yet
    assert done.stderr in {"", "Compiling, once on this machine, for up to a minute ...\n"}
    table = pd.read_csv(out)
    assert len(table) == 213
    kept = set(table.loc[table["kept"], "column"])
    assert len(kept & set(wine.data.columns)) >= 12
    assert len(kept - set(wine.data.columns)) <= 2
    lines = done.stdout.splitlines()
    assert lines[0].split() == [
        "rank",
        "column",
        "kept",
        "z",
        "p-value",
        "adjusted",
        "partner",
        "group",
    ]
    assert lines[1].split()[1] == table["column"][0]
    assert lines[21] == "and 193 more columns (-o FILE has all)"
    assert lines[22].startswith(f"{len(kept)} of 213 columns depend on others, in ")
    assert all(line.startswith("group ") for line in lines[23:-2])
    assert len(lines[23:-2]) == table["group"].max()
    assert lines[-2:] == [str(out), str(picture)]
    assert max(map(len, lines[:21])) <= 110
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--method", "piars"], "--method: unknown screen 'piars'; did you mean 'pairs'?"),
        (["--level", "0"], "--level 0.0: a level lies between 0 and 1"),
        (["-o", "o.xlsx"], "o.xlsx: the output is .parquet, .csv or .tsv"),
    ],
)
def test_a_mistake_is_one_sentence(noisy, given, words):
    done = geoforest("columns", noisy, *given)
    assert done.returncode == 2
    assert done.stdout == ""
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("Error: ")
    assert words in sentence


def test_gaps_text_and_constants_are_told(tmp_path):
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 6, 200)
    table = pd.DataFrame({"x": np.cos(t), "y": np.sin(t), "z": rng.normal(size=200)})
    table = table.mask(rng.uniform(size=table.shape) < 0.1)
    table = table.assign(
        same=1, who=[f"r{i}" for i in range(200)], note=rng.permutation([f"n{i}" for i in range(200)]),
        colour=rng.choice(["red", "green", "blue"], 200), long_name_of_a_column_in_a_questionnaire=t,
    )  # fmt: skip
    table.to_csv(tmp_path / "t.csv", index=False)
    done = call(columns, tmp_path / "t.csv", "--id", "who")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        "Category of 3 values, as one column: colour.",
        "Left out, not numeric: note.",
        "Left out, the same in every row: same.",
        (
            "Used as features, though they may be classes (text or few whole values): colour; "
            "--exclude leaves them out."
        ),
    ]
    lines = done.stdout.splitlines()
    assert {line.split()[1] for line in lines[1:4]} == {
        "x",
        "y",
        "long_name_of_a_column_in_a_ques…",
    }
    assert [line.split()[2] for line in lines[1:6]] == ["yes"] * 3 + ["no"] * 2
    assert lines[-2].startswith("3 of 5 columns depend on others, in 1 group (both, ")
    assert lines[-1] == "group 1, 3 columns: x, y, long_name_of_a_column_in_a_questionnaire"
    none = call(columns, tmp_path / "t.csv", "--columns", "z,colour")
    assert none.exit_code == 0
    assert none.stdout.splitlines()[-1].startswith(
        "No column of 2 was found to depend on another (both, "
    )


@pytest.mark.nightly
def test_the_screen_stands_in_front_of_neighbors(noisy, tmp_path):
    out = tmp_path / "o.csv"
    given = (neighbors, noisy, "-k", 3, "--method", "euclidean", "-o", out)
    done = call(*given, "--screen", "--columns", without_class(noisy))
    assert done.exit_code == 0, done.output
    # a line before it may say that kernels are compiled
    [message] = [line for line in done.stderr.splitlines() if line.startswith("The screen keeps ")]
    assert message.endswith(" more (geoforest columns lists all).")
    kept = pd.read_csv(out)
    call(columns, noisy, "-o", tmp_path / "c.csv", "--columns", without_class(noisy))
    ranked = pd.read_csv(tmp_path / "c.csv")
    names = ",".join(ranked.loc[ranked["kept"], "column"])
    call(*given, "--screen", "none", "--columns", names)
    assert set(kept["neighbor"] + 1000 * kept["id"]) == set(
        pd.read_csv(out).eval("neighbor + 1000 * id")
    )


@pytest.mark.parametrize("verb", ["neighbors", "classify"])
def test_a_screen_that_keeps_nothing_is_a_mistake(noisy, tmp_path, verb):
    noise = "noise1,noise2,noise3,noise4"
    given = {"neighbors": ["-o", tmp_path / "o.csv"], "classify": ["--label", "cultivar"]}[verb]
    done = geoforest(
        verb, noisy, *given, "--columns", noise, "--screen", "pairs", "--level", "0.001"
    )
    assert done.returncode == 2
    *_, sentence = done.stderr.splitlines()
    assert "no column was found to depend on another at the family-wise error 0.001" in sentence
    assert "so that --screen pairs keeps none; without it all 4 are used" in sentence
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.nightly
def test_classify_behind_a_screen(noisy):
    plain = call(classify, noisy, "--label", "cultivar", "--method", "knn", "--folds", 3)
    done = call(classify, noisy, "--label", "cultivar", "--method", "knn", "--folds", 3, "--screen")
    assert done.exit_code == 0, done.output
    used, message = done.stderr.splitlines()
    assert used.startswith("Used, 213 of 214 columns: ")
    assert message.startswith("The screen, fitted on the training rows of each fold, keeps ")
    assert "(geoforest columns on all rows says more)" in message

    def accuracy(text):
        return float(text.rpartition("knn: accuracy ")[2].split(",")[0])

    assert accuracy(done.stdout) > accuracy(plain.stdout) + 0.1
    refused = geoforest("classify", noisy, "--label", "cultivar", "--screen", "bth")
    assert refused.returncode == 2
    assert "--screen: unknown screen 'bth'; did you mean 'both'?" in refused.stderr
