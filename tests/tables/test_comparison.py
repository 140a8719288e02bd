"""Methods side by side on a user's table that has classes."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.spatial.distance import pdist, squareform
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from geoforest_cli.cli import main as entry
from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables import compare_neighbors, find_neighbors
from geoforest_cli.tables import comparison as comparing
from geoforest_cli.tables.comparison_methods import COMPARED, chosen_methods
from geoforest_cli.tables.comparison_result import MethodComparison
from geoforest_cli.tables.options import NeighborOptions
from geoforest_cli.tables.standard_errors import stratum_weights
from tests.tables.helpers import INPUTS

METHODS = ["euclidean", "correlation", "isomap"]


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    centres = np.repeat([[0.0, 0], [3, 0], [0, 9]], [10, 20, 30], axis=0)
    return pd.DataFrame(centres + rng.normal(size=(60, 2)), columns=["x", "y"]).assign(
        group=np.repeat(["a", "b", "c"], [10, 20, 30]), who=[f"p{i}" for i in range(60)]
    )


@pytest.fixture
def broken(monkeypatch):
    """Let one method raise what the test says, and the others run."""

    def set_error(method, error):
        real = comparing.neighbors_of

        def neighbors_of(table, k, name, *rest):
            if name == method:
                raise error
            return real(table, k, name, *rest)

        monkeypatch.setattr(comparing, "neighbors_of", neighbors_of)

    return set_error


def comparison(values, classes, **more):
    values = np.asarray(values, float)
    names = tuple("abcdef"[: len(values)])
    return MethodComparison(
        names, 5, values, values * stratum_weights(classes), classes, tuple(f"--method {name}" for name in names),
        np.ones(len(values)), np.ones(len(values)), **more,
    )  # fmt: skip


def invoke(*args):
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def test_the_usual_baselines_are_compared():
    wide = list(chosen_methods((), NeighborOptions(), 64))
    assert wide == [name for name in COMPARED if name != "structured_forest"]
    assert {"pca_10", "pca_50", "correlation", "cosine", "normal_scores", "umap"} <= set(wide)
    ten = chosen_methods((), NeighborOptions(), 10)
    assert set(wide) - set(ten) == {
        "pca_10", "pca_50", "pca_10_standardised", "pca_50_standardised",
    }  # fmt: skip
    images = chosen_methods((), NeighborOptions(shape="8x8"), 64)
    assert set(images) - set(wide) == {"structured_forest"}
    for same in (NeighborOptions(screen="none"), NeighborOptions(shape="8x8")):
        assert "geodesic_forest_unscreened" not in chosen_methods((), same, 64)
    picked = chosen_methods(["graph_geodesic", "cosine"], NeighborOptions(), 64)
    assert list(picked) == ["graph_geodesic", "cosine"]


def test_arguments_list_the_neighbours_that_were_compared():
    X = np.random.default_rng(1).normal(size=(50, 12)) * np.geomspace(1, 300, 12)
    y = np.arange(50) % 2
    result = compare_neighbors(pd.DataFrame(X).assign(y=y), 4, "y", methods=["pca_10", "euclidean"])
    placed = PCA(10).fit_transform(X)
    for values, points in zip(result.values, (placed, X), strict=True):
        lists = NearestNeighbors(n_neighbors=4).fit(points).kneighbors(return_distance=False)
        assert np.array_equal(values, (y[lists] == y[:, None]).mean(axis=1))
    assert result.arguments == (
        "method='first_components' params={'n_components': 10} scale='none' screen='none'",
        "method='euclidean' scale='none' screen='none'",
    )


def test_shares_of_the_own_class_by_hand(frame):
    result = compare_neighbors(frame, 3, "group", identifier="who", methods=METHODS)
    y = frame["group"].to_numpy()
    assert result.methods == tuple(METHODS)
    for number, method in enumerate(result.methods):
        lists = find_neighbors(frame[["x", "y"]], 3, method, scale="none", screen=None).indices
        shares = (y[lists] == y[:, None]).mean(axis=1)
        assert np.array_equal(result.values[number], shares)
        assert result.shares[number] == pytest.approx(shares.mean())
        by_class = [shares[y == name].mean() for name in "abc"]
        assert result.scores[number] == pytest.approx(np.mean(by_class))
    same = (y[:, None] == y) & ~np.eye(60, dtype=bool)
    assert result.chance_share == pytest.approx(same.sum() / (60 * 59))
    per_row = same.sum(axis=1) / 59
    assert result.chance == pytest.approx(np.mean([per_row[y == name].mean() for name in "abc"]))
    lines = result.frame()
    assert lines["balanced_share"].is_monotonic_decreasing
    assert lines["method"].tolist() == [result.methods[number] for number in result.order]
    assert {"seconds", "cpu_seconds"} < set(lines.columns)
    assert result.summary().startswith(f"Use {lines['method'][0]} ({result.scores.max():.3f}); ")


def test_the_time_of_a_method_is_of_a_clock_and_the_processor(frame, monkeypatch):
    """Compiling is not counted, and other clocks measure it: what is left is never below zero."""
    ticks = iter([[3.0, 1.0], [5.0, 1.5], [5.0, 1.5], [4.875, 1.25]])
    monkeypatch.setattr(comparing, "_clocks", lambda: np.array(next(ticks)))
    result = compare_neighbors(frame, 3, "group", identifier="who", methods=METHODS[:2])
    assert (result.seconds.tolist(), result.cpu_seconds.tolist()) == ([2.0, 0.0], [0.5, 0.0])


def test_differences_are_paired():
    rng = np.random.default_rng(3)
    hard = rng.uniform(0.1, 0.9, 400)
    classes = np.repeat([0, 1], [100, 300])
    result = comparison([hard, hard - 0.02], classes)
    low, high = result.intervals
    assert low[0] < result.scores[1]  # by intervals of their own the two cannot be told apart
    np.testing.assert_allclose(result.behind_intervals[:, 1], 0.02)
    assert result.as_good.tolist() == [True, False]
    parts = [hard[classes == number].var() / (classes == number).sum() for number in (0, 1)]
    error = np.sqrt(np.sum(parts)) / 2
    np.testing.assert_allclose(high[0] - low[0], 2 * 1.96 * error, rtol=0.1)


def test_what_fails_is_a_row_with_its_reason_and_the_rest_go_on(frame, broken, tmp_path):
    broken("correlation", RuntimeError("out of luck"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = invoke(
        "neighbors", tmp_path / "t.csv", "-k", 3, "--id", "who", "--compare", "--label", "group",
        "--methods", ",".join([*METHODS, "pca_10"]), "-o", tmp_path / "o.csv",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    failed = pd.read_csv(tmp_path / "o.csv").set_index("method")["failed"]
    assert failed.index[:2].tolist() in (["euclidean", "isomap"], ["isomap", "euclidean"])
    assert failed["correlation"] == "RuntimeError: out of luck"
    assert (
        failed["pca_10"] == "n_components = 10, but a table of 60 rows and 2 columns has at most 2"
    )
    assert failed.isna().sum() == 2
    assert "correlation failed: RuntimeError: out of luck" in done.stdout
    assert "pca_10 failed: n_components = 10, but" in done.stdout


def test_each_result_is_on_disk_before_the_next_method_runs(frame, monkeypatch, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    seen = []
    real = comparing.neighbors_of

    def neighbors_of(*given):
        there = (tmp_path / "o.csv").exists()
        seen.append(sorted(pd.read_csv(tmp_path / "o.csv")["method"]) if there else [])
        return real(*given)

    monkeypatch.setattr(comparing, "neighbors_of", neighbors_of)
    done = invoke(
        "neighbors", tmp_path / "t.csv", "-k", 3, "--exclude", "who", "--compare", "--label",
        "group", "--methods", ",".join(METHODS), "-o", tmp_path / "o.csv",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert seen == [[], ["euclidean"], ["correlation", "euclidean"]]
    for number, method in enumerate(METHODS, 1):
        assert f"{number} of 3: {method} ..." in done.stderr


def test_interrupted_it_prints_and_keeps_what_is_finished(
    frame, broken, monkeypatch, tmp_path, capsys
):
    broken("isomap", KeyboardInterrupt())
    frame.to_csv(tmp_path / "t.csv", index=False)
    args = [
        "geoforest", "neighbors", str(tmp_path / "t.csv"), "-k", "3", "--id", "who", "--compare",
        "--label", "group", "--methods", ",".join(METHODS), "-o", str(tmp_path / "o.csv"),
        "--picture", str(tmp_path / "p.png"),
    ]  # fmt: skip
    monkeypatch.setattr(sys, "argv", args)
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert ended.value.code == 130
    printed = capsys.readouterr()
    assert "Interrupted; finished, 2 methods:" in printed.err
    assert {line.split()[0] for line in printed.out.splitlines()[1:3]} == set(METHODS[:2])
    assert set(pd.read_csv(tmp_path / "o.csv")["method"]) == set(METHODS[:2])
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_methods_are_compared_on_filled_values(frame):
    gappy = frame.copy()
    gappy.loc[[0, 25], "x"] = np.nan
    result = compare_neighbors(
        gappy, 3, "group", identifier="who", missing="impute", methods=["euclidean", "isomap"]
    )
    assert not result.failed
    assert np.isfinite(result.scores).all()


@pytest.mark.parametrize(
    ("change", "label", "words"),
    [
        ({}, "grop", "unknown column 'grop'; did you mean 'group'"),
        ({"group": [None, *"ab" * 29, "a"]}, "group", "'group' is missing in row 0 "),
        ({}, "who", "60 different values in 60 rows; classes are at least 2, and at most half"),
        ({"group": "a"}, "group", "1 different values"),
        ({"x": 1, "y": 2}, "group", "no column is left to compare"),
    ],
)
def test_labels_and_tables_that_are_refused(frame, change, label, words):
    with pytest.raises(DataError, match=words):
        compare_neighbors(frame.assign(**change), 3, label, identifier="who", methods=METHODS)


def test_on_the_command_line(frame, tmp_path):
    path, out, picture = (tmp_path / name for name in ("t.csv", "o.csv", "p.svg"))
    frame.to_csv(path, index=False)
    done = invoke(
        "neighbors", path, "-k", 3, "--id", "who", "--compare", "--label", "group", "--methods",
        "euclidean,isomap", "--methods", "correlation", "-o", out, "--picture", picture,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].split("  ")[0] == "method"
    assert "balanced share" in lines[0]
    table = pd.read_csv(out)
    assert [line.split()[0] for line in lines[1:4]] == table["method"].tolist()
    assert lines[4].startswith("Neighbours drawn at random: ")
    assert lines[5].startswith(
        "The intervals hold for all methods and differences at once (95 %), "
    )
    assert f"neighbors TABLE --method {table['method'][0]} " in done.stdout
    assert lines[-3].startswith(f"Use {table['method'][0]} (")
    assert lines[-2:] == [str(picture), str(out)]
    assert table["behind_low"][0] == 0
    assert "Used, 2 of 4 columns: x, y." in done.stderr
    assert "euclidean" in picture.read_text()


def documented():
    """The lines of the docs' table of balanced shares, by method, and its headers."""
    page = (Path(__file__).parents[2] / "docs" / "own_data.md").read_text()
    lines = page.partition("| method | wine |")
    rows = [line.strip("|").split("|") for line in lines[2].split("\n\n")[0].splitlines()[2:]]
    headers = [
        "wine",
        *(cell.strip() for cell in lines[2].splitlines()[0].split("|") if cell.strip()),
    ]
    cells = {row[0].strip(" `"): [cell.strip() for cell in row[1:]] for row in rows}
    return pd.DataFrame.from_dict(cells, orient="index", columns=headers)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "column"), [("wine", "wine"), ("breast_cancer", "breast cancer")])
@pytest.mark.nightly
def test_the_table_of_the_docs(name, column):
    """UMAP differs between processors, and is left out."""
    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    cells = documented()[column].drop(["umap", "the same, `--scale auto"])
    cells = cells[cells != ""]
    result = compare_neighbors(frame, 10, "target", methods=list(cells.index.drop("chance")))
    assert result.chance == pytest.approx(float(cells["chance"]), abs=6e-4)
    for number, method in enumerate(result.methods):
        assert result.scores[number] == pytest.approx(float(cells[method].strip("*")), abs=6e-4)
        assert result.as_good[number] == ("*" in cells[method]), method
    page = (Path(__file__).parents[2] / "docs" / "own_data.md").read_text()
    sentence = f"{column}, use `{result.methods[result.best]}` ({result.scores.max():.3f})"
    assert sentence in " ".join(page.split())


def test_a_method_named_after_a_distance_takes_the_numbers_given():
    """By correlation of whole rows 1.000 of neighbours have the type, of standardised ones 0.673."""
    names = ["euclidean", "correlation", "correlation_standardised"]
    table = INPUTS / "scaled_before_correlation_counts.csv"
    result = compare_neighbors(table, 10, "type", methods=names)
    frame = pd.read_csv(table)
    X, y = frame.drop(columns="type").to_numpy(), frame["type"].to_numpy()
    lists = NearestNeighbors(n_neighbors=10, metric="correlation").fit(X)
    lists = lists.kneighbors(return_distance=False)
    assert result.shares[1] == pytest.approx((y[lists] == y[:, None]).mean())
    assert result.summary().startswith("Use correlation (0.988)")
    assert result.shares[2] < 0.8


def test_rows_of_one_patient_are_no_neighbours_and_one_draw():
    """Three visits of each of 100 patients: .70 by rows, as by chance by patients."""
    path, notes = INPUTS / "patients_1_exception.csv", []
    asked = {"methods": ["euclidean"], "on_note": notes.append}
    apart = compare_neighbors(path, 5, "outcome", **asked)
    assert any("scores are too high without together='patient'" in n for n in notes)
    together = compare_neighbors(path, 5, "outcome", together="patient", **asked)
    frame = pd.read_csv(path)
    y, who = frame["outcome"].to_numpy(), frame["patient"].to_numpy()
    lengths = squareform(pdist(frame[list("abcd")]))
    lengths[who[:, None] == who] = np.inf
    lists = np.argsort(lengths, axis=1)[:, :5]
    assert together.shares[0] == pytest.approx((y[lists] == y[:, None]).mean())
    others = who[:, None] != who
    alike = (others & (y[:, None] == y)).sum(axis=1) / others.sum(axis=1)
    assert together.chance_share == pytest.approx(alike.mean())
    low, high = together.intervals[:, 0]
    assert low < together.chance < high
    assert high - low > 1.2 * np.ptp(apart.intervals[:, 0])
    assert "belong together to be one draw" in together.coverage()


def test_blocks_are_like_a_column_of_their_numbers():
    walk = np.cumsum(np.random.default_rng(0).normal(size=(210, 3)), axis=0)
    frame = pd.DataFrame(walk, columns=["a", "b", "c"])
    frame["half"] = np.arange(210) % 100 < 50
    methods = ["euclidean", "correlation"]
    plain, blocks = (
        compare_neighbors(frame, 5, "half", methods=methods, blocks=flag) for flag in (False, True)
    )
    numbered = frame.assign(block=np.arange(210) * 20 // 210)
    together = compare_neighbors(numbered, 5, "half", methods=methods, together="block")
    pd.testing.assert_frame_equal(
        blocks.frame().drop(columns=["seconds", "cpu_seconds"]),
        together.frame().drop(columns=["seconds", "cpu_seconds"]),
    )
    assert (blocks.frame()["share"] < plain.frame()["share"]).any()
    with pytest.raises(UserError, match="kept together in one way"):
        compare_neighbors(numbered, 5, "half", together="block", blocks=True)
