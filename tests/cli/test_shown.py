"""Lines of verbs on tables, from made-up results."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from geoforest_cli.cli import comparison, data
from geoforest_cli.cli.main import cli
from geoforest_cli.problems.datasets import CATALOGUE
from geoforest_cli.study.results.compare import (
    ClaimChange,
    ConfigComparison,
    Difference,
    ValueChange,
)
from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.comparison_result import MethodComparison as Scores
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
    result = scores(np.array([0, 0, 0, 1]), [("d", "no room")])
    comparison._show(result)
    head, *lines = capsys.readouterr().out.splitlines()
    assert cells(head) == [
        "method", "balanced share", "low", "high", "behind", "behind low", "behind high",
        "plain share", "seconds", "CPU seconds",
    ]  # fmt: skip
    assert [cells(line) for line in lines[:4]] == [
        ["b", "0.750", *(f"{end:.3f}" for end in result.intervals[:, 1]), "0.000",
         *(f"{end:.3f}" for end in result.behind_intervals[:, 1]), "0.875", "2.35", "5.00"],
        ["a", "0.333", *(f"{end:.3f}" for end in result.intervals[:, 0]), "0.417",
         *(f"{end:.3f}" for end in result.behind_intervals[:, 0]), "0.500", "1.00", "4.00"],
        ["c", "0.333", *(f"{end:.3f}" for end in result.intervals[:, 2]), "0.417",
         *(f"{end:.3f}" for end in result.behind_intervals[:, 2]), "0.500", "3.00", "6.79"],
        ["d"],
    ]  # fmt: skip
    assert lines[4:] == [
        "Neighbours drawn at random: 0.333 (plain share 0.500)",
        "d failed: no room",
        result.coverage(),
        "To list its neighbours: geoforest neighbors TABLE --method b -o FILE, with your options",
        "What the scores mean: docs/own_data.md; when which method leads: docs/choosing.md",
        result.summary(),
    ]


def ranking(names, groups):
    groups = np.array(groups)
    numbers = np.arange(len(names))
    kept = groups > 0
    return ColumnRanking(
        tuple(names), kept=kept, scores=50.0 - numbers, pvalues=(numbers + 1) / 1000,
        adjusted=(numbers + 1) / 500, partners=np.where(kept, numbers[::-1], -1), groups=groups,
        screening=ScreenOptions("pairs"), rows=50, notes=(),
    )  # fmt: skip


def test_the_table_of_columns(monkeypatch):
    just, long = "n" * 32, "m" * 33
    result = ranking([just, long, "two\nlines"], [1, 1, -1])
    monkeypatch.setattr("geoforest_cli.tables.find_columns", lambda *_, **__: result)
    shown = invoke("columns", "t.csv").output.splitlines()
    assert [cells(line) for line in shown[:4]] == [
        ["rank", "column", "kept", "z", "p-value", "adjusted", "partner", "group"],
        ["1", just, "yes", "50.00", "0.001", "0.002", r"two\nlines", "1"],
        ["2", f"{'m' * 31}…", "yes", "49.00", "0.002", "0.004", f"{'m' * 31}…", "1"],
        ["3", r"two\nlines", "no", "48.00", "0.003", "0.006"],
    ]  # fmt: skip
    ends = [len(shown[0].partition(word)[0]) + len(word) for word in ("rank", "p-value", "group")]
    assert [shown[1][end - 1] for end in ends] == ["1", "1", "1"]
    assert len(shown) == 6


ROW = {"n": "10", "method": "knn", "variant": "as_written", "metric": "error"}
PLAIN = {"method": "gf", "variant": "as_run", "metric": "precision"}


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
        return Difference(tuple(configs), missing, new, common)

    monkeypatch.setattr("geoforest_cli.study.results.compare.compare", compare)
    done = invoke("compare", "p", "q", *(["--common"] if common else []))
    assert done.output.splitlines() == lines
    assert done.exit_code == (lines[-1] == "Something changed.")
    invoke("compare", "p", "q", "--profile", "smoke")
    assert asked == [
        ((Path("p"), Path("q")), {"profile": None, "common": common}),
        ((Path("p"), Path("q")), {"profile": "smoke", "common": False}),
    ]


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
        for dataset in (second, first)
        for line in (
            f"{dataset.name}: licence {dataset.licence}; cite {dataset.cite}",
            f"  {dataset.name}/a",
            f"  {dataset.name}/b",
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
