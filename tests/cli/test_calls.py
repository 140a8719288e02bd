"""Calls of the library by verbs on a user's table, and words for what it gives back."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from geoforest_cli.cli import table_options
from geoforest_cli.cli.main import cli
from geoforest_cli.tables import figures

TABLE = "a,b,kind\n" + "".join(f"{i},{i * i % 7},{'uv'[i % 2]}\n" for i in range(12))


class FakeResult:
    """Neighbours, or a classification."""

    predictions, importances = "predictions", "importances"

    def __init__(self, columns=("a", "b")):
        self.columns = columns
        self.indices = np.zeros((12, 2), int)

    def summary(self):
        return "mean accuracy"

    def class_summary(self):
        return "recall of each class"


@pytest.fixture
def asked(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE)
    calls = []

    def find(name, result):
        def instead(*given, on_note, **named):
            calls.append((name, given, named))
            on_note(f"a note\nof {name}")
            named.pop("on_fold", lambda *_: None)(1, 5, 0.98765)
            return result()

        monkeypatch.setattr(f"geoforest_cli.tables.{name}", instead)

    find("find_neighbors", FakeResult)
    find("find_neighbors_by_group", lambda: {1: FakeResult(), 2: FakeResult(("c",))})
    find("cross_validate", FakeResult)
    find("find_neighbors_in_parts", lambda: ["a.parquet", "b.parquet"])

    def write_map(_, *given):
        calls.append(("draw", *given))
        return given[0]

    monkeypatch.setattr(figures, "write_map", write_map)
    monkeypatch.setattr(
        figures, "write_figure", lambda path, *_: calls.append(("draw", path)) or path
    )
    monkeypatch.setattr(
        "geoforest_cli.cli.neighbors.write_lists", lambda path, _: calls.append(("write", path))
    )
    monkeypatch.setattr(
        table_options, "write_table", lambda path, tables, _: calls.append((tables[0], path))
    )
    return calls


def invoke(*words):
    done = CliRunner().invoke(cli, [str(word) for word in words])
    assert done.exit_code == 0, (done.output, done.exception)
    return done


READ = dict.fromkeys(("sep", "decimal", "encoding", "sheet", "matrix", "not_missing"))
CHOICES = {
    "columns": (), "exclude": (), "label": None, "identifier": None, "seed": 0, "n_jobs": None,
    "strict": False,
}  # fmt: skip


def test_neighbors_without_options_asks_for_library_defaults(asked):
    done = invoke("neighbors", "t.csv", "-o", "o.csv")
    assert asked == [
        ("find_neighbors", (Path("t.csv"),), {
            "k": 10, "method": None, "params": {}, "shape": None, "scale": "auto",
            "missing": "refuse", "screen": "auto", "group": None, "level": None, **READ, **CHOICES,
        }),
        ("write", Path("o.csv")),
    ]  # fmt: skip
    assert done.stdout == "12 rows, 2 neighbours each: o.csv\n"
    assert done.stderr == "a note\\nof find_neighbors\n"


def test_a_map_of_neighbors_has_the_color_and_the_seed(asked):
    call = ["neighbors", "t.csv", "-k", 2, "--picture", "m.png", "--color", "kind", "--seed", 5]
    done = invoke(*call, "--param", "n_estimators=7")
    assert asked[0][2]["params"] == {"n_estimators": 7}
    assert asked[0][2]["seed"] == 5
    assert "color" not in asked[0][2]
    assert asked[1:] == [("draw", Path("m.png"), "kind", 5)]
    assert done.stdout == "m.png\n"
    assert done.stderr.splitlines()[-1] == "Map of 12 rows: UMAP's layout of their neighbours ..."
    asked.clear()
    both = invoke(*call, "-o", "o.csv")
    assert [call[:2] for call in asked[1:]] == [("write", Path("o.csv")), ("draw", Path("m.png"))]
    assert both.stdout.splitlines() == ["12 rows, 2 neighbours each: o.csv", "m.png"]


def test_each_group_has_files_of_its_own(asked):
    done = invoke(
        "neighbors", "t.csv", "-k", 2, "--group", "each", "-o", "o.csv", "--picture", "m.svg"
    )
    assert asked[0][0] == "find_neighbors_by_group"
    assert "group" not in asked[0][2]
    assert asked[1:] == [
        ("write", Path("o_group1.csv")), ("draw", Path("m_group1.svg"), None, 0),
        ("write", Path("o_group2.csv")), ("draw", Path("m_group2.svg"), None, 0),
    ]  # fmt: skip
    assert done.stdout.splitlines() == [
        "12 rows, 2 neighbours each in group 1 (a, b): o_group1.csv", "m_group1.svg",
        "12 rows, 2 neighbours each in group 2 (c): o_group2.csv", "m_group2.svg",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--compare", "--method", "euclidean"],
         "--method is for one method, and --compare takes several"),
        (["--compare", "--param", "a=1"], "--param is for one method, and --compare takes several"),
        (["--methods", "isomap", "-o", "o.csv"], "--methods needs --compare"),
        (["-k", "2"],
         "name a file for the neighbours (-o) or a map (--picture), or --compare methods"),
        (["--compare", "--group", "each"],
         "--group each is for lists of neighbours, and --compare writes none"),
        (["--compare"], "--compare needs a column of classes: name its --label"),
        (["--color", "kind", "-o", "o.csv"],
         "--color is for a map of neighbours: name its file with --picture"),
        (["--color", "kind", "--compare", "--picture", "m.png"],
         "--color is for a map of neighbours: name its file with --picture"),
        (["--cell-rows", "9", "-o", "o.csv"],
         "--cell-rows is for a table in parts: -o names a folder"),
        (["--cell-rows", "9"], "--cell-rows is for a table in parts: -o names a folder"),
        (["--scheduler", "tcp://h:1", "--compare", "-o", "o"],
         "--compare is not possible for a table in parts"),
        (["--scheduler", "tcp://h:1", "--missing", "drop", "-o", "o"],
         "--missing is not possible for a table in parts; only refuse is"),
        (["--scheduler", "tcp://h:1", "--scale", "none", "-o", "o"],
         "--scale is not possible for a table in parts; only auto is"),
        (["--scheduler", "tcp://h:1"],
         "name a folder for the neighbours of a table in parts (-o)"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_said(asked, words, said):
    done = CliRunner().invoke(cli, ["neighbors", "t.csv", *words])
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1] == f"Error: {said}"
    assert asked == []


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (["p.parquet", "q.parquet", "-o", "o.csv"], ["p.parquet", "q.parquet"]),
        ([".", "-o", "out"], ["."]),
        (["p.PARQUET", "-o", "out"], ["p.PARQUET"]),
        (["p.parquet", "-o", "here.d"], ["p.parquet"]),
        (["t.csv", "-o", "o.csv", "--scheduler", "tcp://h:1"], ["t.csv"]),
    ],
)
def test_parts_of_a_table_are_searched_as_parts(asked, words, paths):
    Path("here.d").mkdir()
    call = ["neighbors", *words, "-k", 4, "--method", "leaf_mates", "--cell-rows", 50]
    call += ["--seed", 3, "--screen", "none", "--id", "a", "--param", "n_estimators=9"]
    done = invoke(*call)
    [(name, given, named)] = asked
    out = Path(words[words.index("-o") + 1])
    assert name == "find_neighbors_in_parts"
    assert given == (tuple(map(Path, paths)), out, 4, {"n_estimators": 9})
    assert callable(named.pop("on_progress"))
    scheduler = {"scheduler": "tcp://h:1"} if "--scheduler" in words else {}
    assert named == {
        "columns": (), "exclude": (), "identifier": "a", "screen": "none", "seed": 3,
        "cell_rows": 50, **scheduler,
    }  # fmt: skip
    assert done.stdout == f"4 neighbours of each row, 2 files: {out}\n"


@pytest.mark.parametrize(
    ("words", "after", "printed"),
    [
        ([], [], []),
        (["-o", "o.csv"], [("predictions", Path("o.csv"))], ["o.csv"]),
        (["--importances", "i.csv", "--picture", "p.png"],
         [("importances", Path("i.csv")), ("draw", Path("p.png"))], ["i.csv", "p.png"]),
    ],
)  # fmt: skip
def test_classify_asks_for_what_the_library_does_by_itself(asked, words, after, printed):
    done = invoke("classify", "t.csv", "--label", "kind", *words)
    (name, given, named), *rest = asked
    assert (name, given) == ("cross_validate", (Path("t.csv"),))
    assert callable(named.pop("on_column"))
    assert named == {
        "importances": "permutation" if "--importances" in words else None, "method": None, "params": {}, "shape": None,
        "scale": "auto", "missing": "auto", "screen": None, "group": None, "level": 0.01,
        "together": None, "blocks": False, "folds": 5, **READ, **CHOICES, "label": "kind",
    }  # fmt: skip
    assert rest == after
    assert done.stdout.splitlines() == [
        "fold 1 of 5: accuracy 0.9877",
        "mean accuracy",
        "recall of each class",
        *printed,
    ]
