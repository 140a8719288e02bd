"""What verbs print of what they have found, line by line, from made-up findings."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from geoforest_cli.cli import columns, comparison, data, directions, listing
from geoforest_cli.cli.main import cli
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.datasets import CATALOGUE
from geoforest_cli.study.reference.comparison import (
    ClaimChange,
    Comparison,
    ConfigComparison,
    ValueChange,
)
from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.comparison_result import WITHOUT_LABEL
from geoforest_cli.tables.comparison_result import Comparison as Scores
from geoforest_cli.tables.directions import Directions
from geoforest_cli.tables.screens import ScreenOptions


def cells(line):
    """The cells of a line of a table; two blanks or more are between them."""
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def invoke(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


def scores(classes, failed=()):
    values = np.array([[1.0, 0, 1, 0], [1.0, 1, 1, 0.5], [1.0, 1, 0, 0]])
    return Scores(
        ("a", "b", "c"), 2, values, values / 4, classes, ("--method a", "--method b", "--method c"),
        np.array([1.0, 2.345, 3.0]), np.array([4.0, 5.0, 6.789]), dict(failed),
    )  # fmt: skip


def test_a_comparison_with_a_label(capsys):
    found = scores(np.array([0, 0, 0, 1]), [("d", "no room"), ("e", "too few"), ("f", "no room")])
    comparison._show(found)
    head, *lines = capsys.readouterr().out.splitlines()
    assert cells(head) == [
        "method", "balanced share", "95 % interval", "plain share", "behind the best", "seconds",
        "CPU seconds",
    ]  # fmt: skip
    low, high = found.intervals
    nearer, farther = found.behind_intervals
    assert [cells(line) for line in lines[:7]] == [
        ["b", "0.750", f"{low[1]:.3f} to {high[1]:.3f}", "0.875", "2.35", "5.00"],
        ["a", "0.333", f"{low[0]:.3f} to {high[0]:.3f}", "0.500",
         f"0.417 ({nearer[0]:.3f} to {farther[0]:.3f})", "1.00", "4.00"],
        ["c", "0.333", f"{low[2]:.3f} to {high[2]:.3f}", "0.500",
         f"0.417 ({nearer[2]:.3f} to {farther[2]:.3f})", "3.00", "6.79"],
        ["chance", "0.333", "0.500"],
        *[[name, "failed"] for name in "def"],
    ]  # fmt: skip
    assert lines[7:] == [
        "Failed, d, f: no room",
        "Failed, e: too few",
        found.coverage(),
        "To list its neighbours: geoforest neighbors TABLE --method b -o FILE, with your options",
        "What the scores mean: docs/own_data.md; when which method leads: docs/choosing.md",
        found.summary(),
    ]
    # numbers stand at the right, under the last letters of their heads
    for name in ("balanced share", "95 % interval", "plain share", "seconds"):
        end = head.index(name) + len(name)
        assert {(line[end - 1].isdigit(), line[end : end + 1]) for line in lines[:3]} == {
            (True, " ")
        }


def test_a_comparison_without_a_label_says_what_its_score_is_worth(capsys):
    found = scores(None, [("d", "no\nroom")])
    comparison._show(found)
    head, *lines = capsys.readouterr().out.splitlines()
    assert cells(head) == [
        "method", "prediction", "95 % interval", "behind the best", "seconds", "CPU seconds",
    ]  # fmt: skip
    assert [line.split()[:2] for line in lines[:5]] == [
        ["b", "0.875"], ["a", "0.500"], ["c", "0.500"], ["chance", f"{found.chance:.3f}"],
        ["d", "failed"],
    ]  # fmt: skip
    assert lines[5:8] == [r"Failed, d: no\nroom", found.coverage(), WITHOUT_LABEL]
    assert len(lines) == 11


def made_directions(count, names=tuple(f"x{i}" for i in range(30))):
    numbers = np.arange(count)
    weights = np.eye(count, len(names))
    return Directions(
        names=tuple(f"family{i + 1}_1" for i in numbers), families=numbers + 1,
        scores=50 - numbers / 4, pvalues=(numbers + 1) / 300, weights=weights,
        correlations=weights * 0.75, columns=tuple(names),
        projected=np.zeros((400, count)), ids=pd.Series(range(400)), identifier="id", rank=30,
        level=0.01, by_pairs=tuple(i % 2 == 0 for i in range(len(names))), notes=(),
    )  # fmt: skip


@pytest.mark.parametrize("count", [1, 20, 21, 23])
def test_of_many_directions_the_rest_is_counted(capsys, count):
    found = made_directions(count)
    directions._show(found, written=True)
    head, *lines = capsys.readouterr().out.splitlines()
    assert cells(head) == ["direction", "z", "p-value", "follows most (correlation)"]
    assert cells(lines[0]) == ["family1_1", "50.00", "0.0033", found.frame()["columns"][0]]
    assert lines[0].index("50.00") + 5 == head.index("  p-value")
    assert lines[0].index(" x0") == head.index(" follows")
    more = [f"and {count - 20} more directions (-o FILE has all)"] if count > 20 else []
    assert lines[min(count, 20) :] == [*more, found.summary(), found.advice()]


def test_what_directions_follow_is_cut_off_at_sixty_characters(capsys):
    for length in range(40, 70):
        found = made_directions(1, ["n" * length])
        directions._show(found, written=False)
        whole = found.frame()["columns"][0]
        shown = whole if len(whole) <= 60 else f"{whole[:59]}…"
        assert capsys.readouterr().out.splitlines()[1].endswith(f"  {shown}")


@pytest.mark.parametrize(("written", "end"), [(True, ": nothing is written."), (False, ".")])
def test_without_a_direction_nothing_is_written(capsys, written, end):
    found = made_directions(0)
    directions._show(found, written=written)
    assert capsys.readouterr().out == f"{found.summary().removesuffix('.')}{end}\n"


def ranking(names, groups):
    groups = np.array(groups)
    numbers = np.arange(len(names))
    kept = groups > 0
    return ColumnRanking(
        tuple(names), kept=kept, scores=50.0 - numbers, pvalues=(numbers + 1) / 1000,
        adjusted=(numbers + 1) / 500, partners=np.where(kept, numbers[::-1], -1), groups=groups,
        screening=ScreenOptions("pairs"), rows=50, notes=(),
    )  # fmt: skip


@pytest.mark.parametrize("count", [20, 21, 22])
def test_of_many_groups_the_rest_is_counted(capsys, count):
    found = ranking([f"x{i}" for i in range(count + 1)], [1, *range(1, count + 1)])
    columns._show(found)
    lines = capsys.readouterr().out.splitlines()
    start = lines.index(found.summary()) + 1
    more = [f"and {count - 20} more groups (-o FILE lists all)"] if count > 20 else []
    assert lines[start:] == [
        "group 1, 2 columns: x0, x1",
        *(f"group {i}, 1 column: x{i}" for i in range(2, 21)),
        *more,
    ]


def test_the_table_of_columns(capsys):
    just, long = "n" * 32, "m" * 33
    columns._show(ranking([just, long, "two\nlines"], [1, 1, -1]))
    shown = capsys.readouterr().out.splitlines()
    assert [cells(line) for line in shown[:4]] == [
        ["rank", "column", "kept", "z", "p-value", "adjusted", "partner", "group"],
        ["1", just, "yes", "50.00", "0.001", "0.002", r"two\nlines", "1"],
        ["2", f"{'m' * 31}…", "yes", "49.00", "0.002", "0.004", f"{'m' * 31}…", "1"],
        ["3", r"two\nlines", "no", "48.00", "0.003", "0.006"],
    ]  # fmt: skip
    ends = [len(shown[0].partition(word)[0]) + len(word) for word in ("rank", "p-value", "group")]
    assert [shown[1][end - 1] for end in ends] == ["1", "1", "1"]
    assert len(shown) == 6


def test_a_name_is_cut_off_at_what_is_printed_of_it(capsys):
    columns._show(ranking([f"{'n' * 31}\n", f"{'m' * 30}\n"], [1, 1]))
    shown = capsys.readouterr().out.splitlines()
    assert [cells(line)[1] for line in shown[1:3]] == [f"{'n' * 31}…", rf"{'m' * 30}\n"]


def test_a_group_stays_on_its_line(capsys):
    columns._show(ranking(["a\nb", "c"], [1, 1]))
    assert capsys.readouterr().out.splitlines()[-1] == r"group 1, 2 columns: a\nb, c"


ROW = {"n": "10", "method": "knn", "variant": "as_written", "metric": "error"}
PLAIN = {"method": "gf", "variant": "as_run", "metric": "precision"}
NOTHING = {"rows": [], "claims": []}


def change(before, after, p=None, row=ROW):
    return ValueChange(row, before, after, p)


CHANGED = ConfigComparison(
    "changed", rows=9, untested=2,
    changed=[change(1.0, 2.0, 0.004, PLAIN), change(0.5, 0.123456, 0.0001)],
    lost=[change(None, 1.5), change(1.5, None)],
    failed=[(ROW, 0, 3)],
    claims=[ClaimChange("c", "supported", "refuted", counts=True, alone=False),
            ClaimChange("d", "tie", "supported", counts=False, alone=False),
            ClaimChange("e", "tie", "no rows", counts=False, alone=True)],
    missing={"rows": [ROW], "claims": ["old"]}, new={"rows": [PLAIN], "claims": ["fresh"]},
)  # fmt: skip
CHANGED_LINES = [
    "changed: 2 of 9 values changed beyond noise; 2 of them untested, without repetitions",
    "  knn (as_written) error, n 10: 0.5 -> 0.1235 (p = 0.0001)",
    "  gf (as_run) precision: 1 -> 2 (p = 0.004)",
    "  knn (as_written) error, n 10: no number -> 1.5",
    "  knn (as_written) error, n 10: 1.5 -> no number",
    "  knn (as_written) error, n 10: 0 -> 3 failed cells",
    "  claim c: supported -> refuted",
    "  claim d: tie -> supported (within noise)",
    "  claim e: tie -> no rows",
    "  only in A: knn (as_written) error, n 10",
    "  only in A: claim old",
    "  only in B: gf (as_run) precision",
    "  only in B: claim fresh",
]
MOVED = ConfigComparison("moved", processors=("abacus", "slide rule"), rows=4, differing=3)
MOVED.claims.append(ClaimChange("c", "tie", "undecided", counts=False, alone=False))
QUIET = ConfigComparison("quiet", rows=4)
NOISY = ConfigComparison("noisy", rows=4, differing=1)
LOST = ConfigComparison("lost", lost=[change(1.0, None, row=PLAIN)])
TIMED = ConfigComparison("timed", timed=True, lost=[change(1.0, None)])
SAME = [ConfigComparison(name, same=True) for name in ("one", "two")]


@pytest.mark.parametrize(
    ("configs", "missing", "new", "common", "lines"),
    [
        (SAME, (), (), False, ["The same to the byte: one, two"]),
        (SAME, ("x", "y"), (), False,
         ["The same to the byte: one, two", "Only in A: x, y", "Something changed."]),
        (SAME[:1], (), ("z",), True,
         ["The same to the byte: one", "Only in B: z", "Nothing changed beyond noise."]),
        ([CHANGED], (), (), False, [*CHANGED_LINES, "Something changed."]),
        ([QUIET, TIMED, NOISY], (), (), False, [
            "quiet: nothing changed beyond rounding",
            "timed: it measures time, which depends on the machine: nothing of it counts",
            "noisy: 1 of 4 values differ, within noise",
            "Nothing changed beyond noise.",
        ]),
        ([MOVED], (), (), False, [
            "moved: 3 of 4 values differ, on another processor (abacus -> slide rule)",
            "  claim c: tie -> undecided (on another processor)",
            "Nothing changed beyond noise and another processor's rounding.",
        ]),
        ([LOST], (), (), True,
         ["lost: changed", "  gf (as_run) precision: 1 -> no number", "Something changed."]),
    ],
)  # fmt: skip
def test_what_changed_between_results(monkeypatch, configs, missing, new, common, lines):
    asked = []

    def compare(*folders, **options):
        asked.append((folders, options))
        return Comparison(tuple(configs), missing, new, 0.01, common)

    monkeypatch.setattr("geoforest_cli.study.reference.comparison.compare", compare)
    done = invoke("compare", "p", "q", *(["--common"] if common else []))
    assert done.output.splitlines() == lines
    assert done.exit_code == (lines[-1] == "Something changed.")
    invoke("compare", "p", "q", "--profile", "smoke")
    assert asked == [
        ((Path("p"), Path("q")), {"profile": None, "common": common}),
        ((Path("p"), Path("q")), {"profile": "smoke", "common": False}),
    ]


@pytest.mark.parametrize("count", [10, 11, 12])
def test_of_many_changes_the_rest_is_counted(monkeypatch, count):
    rows = [{**PLAIN, "n": str(i)} for i in range(count)]
    config = ConfigComparison(
        "c", changed=[change(0.0, 1.0, 0.001, row) for row in rows],
        lost=[change(0.0, None, row=row) for row in rows], failed=[(row, 1, 2) for row in rows],
        missing={"rows": rows, "claims": [f"a{i}" for i in range(count)]},
    )  # fmt: skip
    monkeypatch.setattr(
        "geoforest_cli.study.reference.comparison.compare",
        lambda *_, **__: Comparison((config,), (), (), 0.01, common=False),
    )
    lines = invoke("compare", "p", "q").output.splitlines()
    kinds = ["values", "values", "lines with other failures", "rows", "claims"]
    more = [f"  ... and {count - 10} more {kind}" for kind in kinds]
    assert [line for line in lines if "... and" in line] == (more if count > 10 else [])
    assert len(lines) == 2 + 5 * min(count, 11)


def test_what_changed_as_json(monkeypatch):
    monkeypatch.setattr(
        "geoforest_cli.study.reference.comparison.compare",
        lambda *_, **__: Comparison((CHANGED, TIMED, MOVED), ("x",), ("y",), 0.02, common=True),
    )
    done = invoke("compare", "p", "q", "--json", "--common")
    assert done.exit_code == 1
    told = json.loads(done.output)
    configs = told.pop("configs")
    assert told == {"same": False, "changed": True, "level": 0.02, "missing": ["x"], "new": ["y"]}
    assert list(configs) == ["changed", "timed", "moved"]
    assert configs["changed"] == {
        "same": False, "changed": True, "measures_time": False, "processors": [], "rows": 9,
        "differing": 0, "untested": 2,
        "values": [
            {"row": PLAIN, "before": 1.0, "after": 2.0, "p": 0.004},
            {"row": ROW, "before": 0.5, "after": 0.123456, "p": 0.0001},
            {"row": ROW, "before": None, "after": 1.5, "p": None},
            {"row": ROW, "before": 1.5, "after": None, "p": None},
        ],
        "failed": [{"row": ROW, "before": 0, "after": 3}],
        "claims": [
            {"id": "c", "before": "supported", "after": "refuted", "counts": True},
            {"id": "d", "before": "tie", "after": "supported", "counts": False},
            {"id": "e", "before": "tie", "after": "no rows", "counts": True},
        ],
        "missing": {"rows": [ROW], "claims": ["old"]},
        "new": {"rows": [PLAIN], "claims": ["fresh"]},
    }  # fmt: skip
    assert (configs["timed"]["measures_time"], configs["timed"]["changed"]) == (True, False)
    assert configs["moved"]["processors"] == ["abacus", "slide rule"]
    assert (configs["moved"]["differing"], configs["moved"]["changed"]) == (3, False)


def test_fetching_names_licence_source_and_files(monkeypatch):
    fetched = []

    def fetch(dataset):
        fetched.append(dataset.name)
        return [Path(dataset.name) / "a", Path(dataset.name) / "b"]

    monkeypatch.setattr(data, "fetch_files", fetch)
    first, second = list(CATALOGUE.values())[:2]
    done = invoke("data", "fetch", second.name, first.name)
    assert done.output.splitlines() == [
        line
        for one in (second, first)
        for line in (
            f"{one.name}: licence {one.licence}; cite {one.cite}",
            f"  {one.name}/a",
            f"  {one.name}/b",
        )
    ]
    fetched.clear()
    invoke("data", "fetch", "--all")
    assert fetched == list(CATALOGUE)


def test_a_data_set_is_to_be_named():
    for verb in ("fetch", "verify"):
        done = invoke("data", verb)
        assert done.exit_code == 2
        assert done.stderr.splitlines()[-1] == "Error: name a data set, or --all"
        wrong = invoke("data", verb, next(iter(CATALOGUE)), "banknotes")
        assert str(wrong.exception).startswith("unknown data set 'banknotes'; did you mean")


def test_a_list_has_one_width_for_all_names(monkeypatch):
    monkeypatch.setitem(
        listing._KINDS, "checks", lambda: {"a": "first", "longer": "second", "b": ""}
    )
    assert invoke("list", "checks").output == "a       first\nlonger  second\nb\n"
    assert json.loads(invoke("list", "checks", "--json").output)["longer"] == "second"
    monkeypatch.setitem(listing._KINDS, "checks", dict)
    assert invoke("list", "checks").output == ""


def test_a_blank_line_stands_between_kinds_of_methods():
    lines = invoke("list", "methods").output.splitlines()
    blank = [i for i, line in enumerate(lines) if not line]
    headings = [i for i, line in enumerate(lines) if line.startswith("# ")]
    assert headings == [0, *(i + 1 for i in blank)]
    # a heading for each kind that has methods, and no other
    kinds = {METHODS[line.split()[0]].kind for line in lines if line and not line.startswith("#")}
    assert len(headings) == len(kinds)
