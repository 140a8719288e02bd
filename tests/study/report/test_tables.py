"""Tables of hand-made rows word by word, and published values of a made-up paper."""

import math
import re

import pandas as pd
import pytest
from scipy import stats

from geoforest_cli.study.report import published, tables

THREE = [0.5, 0.6, 0.7]
HALF = (stats.t.interval(0.95, 2, 0.6, stats.sem(THREE))[1] - 0.6).round(3)


def rows(values, metric="precision", method="a", variant="as_run", **at):
    return pd.DataFrame(
        [
            {**at, "method": method, "variant": variant, "repetition": r, "metric": metric,
             "value": value, "status": "ok", "cell": "c"}
            for r, value in enumerate(values)
        ]
    )  # fmt: skip


@pytest.fixture
def frame():
    """Two settings with a chance of their own, along an axis of two values."""
    levels = {("one", 1): 0.1, ("one", 2): 0.2, ("two", 1): 0.3, ("two", 2): 0.5}
    parts = []
    for (data, n), level in levels.items():
        parts.append(rows(THREE, n=n, data=data))
        parts.append(rows([level] * 3, "chance", n=n, data=data))
    return pd.concat(parts, ignore_index=True)


def test_a_line_of_the_summary_by_hand(frame):
    theirs = rows([0.65], n=1, data="one").assign(source="paper: table")
    lines = tables.summary(frame, theirs)
    first = lines.iloc[0]
    assert (first["repetitions"], first["failed"], first["undefined"]) == (3, 0, 0)
    numbers = first[["mean", "half", "published", "difference"]].tolist()
    half = stats.t.ppf(0.975, 2) * stats.sem(THREE)
    assert numbers == pytest.approx([0.6, half, 0.65, -0.05])
    assert lines["published"].notna().sum() == 1
    (block, _) = tables.blocks(lines, str)
    assert block.lines[1:3] == [("  published", ["0.650", ""]), ("  difference", ["-0.050", ""])]


def test_what_failed_and_what_has_no_number_is_told_in_its_cell(frame):
    lost = rows([math.nan], metric="", data="one", n=1).assign(status="timeout", repetition=3)
    apart = rows([math.nan], data="one", n=2).assign(status="disconnected", repetition=3)
    only = rows([math.nan], data="two", n=1).assign(status="disconnected", method="b")
    lines = tables.summary(pd.concat([frame, lost, apart, only], ignore_index=True))
    first, second = tables.blocks(lines, str)
    mean = f"0.600 ± {HALF:.3f}"
    assert first.lines[0] == ("a (as_run)", [f"{mean} (1 failed)", f"{mean} (1 undefined)"])
    assert second.lines[1] == ("b (as_run)", ["1 undefined", ""])


@pytest.fixture
def paper(monkeypatch):
    """A table of published numbers: two settings, one of them without an x."""
    lines = [
        ("spiral", "best", "fast", 10.0, "share", 0.5),
        ("spiral", "best", "slow", 10.0, "share", 0.6),
        ("circle", "best", "fast", math.nan, "share", 0.7),
        ("circle", "other", "fast", 20.0, "loss", 0.1),
    ]
    columns = ["setting", "method", "variant", "x", "metric", "value"]
    frame = pd.DataFrame(lines, columns=columns).assign(
        paper="p", artifact="t", x_name="n", n=math.nan, source="page 1", note=""
    )
    monkeypatch.setattr(published, "table", lambda source: frame if source == "p" else None)


SPEC = {
    "source": "p", "artifact": "t", "columns": {"setting": "data", "n": "n"},
    "values": {"setting": {"spiral": "euler_spiral"}},
}  # fmt: skip


def located(frame):
    """The rows without what all of them share, empty values as None."""
    names = ["data", "n", "method", "variant", "metric", "value"]
    plain = frame[names].astype(object)
    return [tuple(row) for row in plain.where(plain.notna(), None).itertuples(index=False)]


@pytest.mark.usefixtures("paper")
def test_published_names_become_ours():
    spec = SPEC | {
        "where": {"metric": "share"},
        "methods": {"best/fast": "gf", "best": {"method": "gf", "variant": "recommended"}},
        "metrics": {"share": "precision"},
    }
    frame = published.load([spec])
    assert located(frame) == [
        ("euler_spiral", 10, "gf", "as_run", "precision", 0.5),
        ("euler_spiral", 10, "gf", "recommended", "precision", 0.6),
        ("circle", None, "gf", "as_run", "precision", 0.7),
    ]
    assert set(frame["source"]) == {"p t: page 1"}
    by_variant = SPEC | {"where": {"x": 10}, "variants": {"slow": "as_written"}, "fixed": {"k": 5}}
    assert located(published.load([by_variant])) == [
        ("euler_spiral", 10, "best", "as_written", "share", 0.6)
    ]
    assert published.load([by_variant])["k"].tolist() == [5]


@pytest.mark.usefixtures("paper")
def test_an_empty_value_is_on_every_grid():
    frame = published.load([SPEC])
    assert len(frame) == 4
    kept = published.within(frame, {"n": (10, 50), "data": ("euler_spiral", "circle")})
    assert kept["value"].tolist() == [0.5, 0.6, 0.7]
    assert published.within(frame, {"data": ("circle",)})["value"].tolist() == [0.7, 0.1]


WHOLE_MARKDOWN = f"""# T\\_1 \\| x

Mean ± half the 95 % interval over repetitions; difference: ours - published.

## precision, data = one

| by n | 1 | 2 |
|---|---:|---:|
| the a (as\\_run) | 0.600 ± {HALF:.3f} | 0.600 ± {HALF:.3f} |
| *published* | 0.650 |  |
| *difference* | -0.050 |  |
| chance | 0.100 | 0.200 |

## precision, data = two

| by n | 1 | 2 |
|---|---:|---:|
| the a (as\\_run) | 0.600 ± {HALF:.3f} | 0.600 ± {HALF:.3f} |
| chance | 0.300 | 0.500 |
"""


def test_whole_summaries(frame):
    theirs = rows([0.65], n=1, data="one").assign(source="paper: table")
    lines = tables.summary(frame, theirs)
    text = tables.markdown(lines, "T_1 | x", lambda name: f"the {name}")
    assert text.rstrip("\n") == WHOLE_MARKDOWN.rstrip("\n")


def test_a_summary_without_a_grid_has_one_column_without_a_head():
    (block,) = tables.blocks(tables.summary(rows([0.5])), str)
    assert (block.title, block.axis, block.head) == ("precision", "", ["0"])
    assert block.lines == [("a (as_run)", ["0.500"])]


def test_lines_of_a_summary_come_in_the_order_of_the_rows():
    parts = [
        rows([value], method=method, variant=variant, n=n)
        for value, (n, method, variant) in enumerate(
            (n, method, variant)
            for n in (20, 3, 100)
            for method in ("z", "b")
            for variant in ("recommended", "as_run")
        )
    ]
    lines = tables.summary(pd.concat(parts, ignore_index=True))
    assert lines["mean"].tolist() == list(range(12))


@pytest.mark.parametrize(
    ("value", "like", "shown"),
    [
        (0.0, None, "0.000"), (0.005, None, "0.005"), (0.00049, None, "0.00049"),
        (999.9, None, "999.900"), (0.00123, 0.005, "0.001"), (0.00123, 0.0049, "0.00123"), (0.00123, 0.0, "0.001"),
        (0.5, -1000.0, "0.5"), (0.5, -999.0, "0.500"), (1000.0, None, "1e+03"),
    ],
)  # fmt: skip
def test_an_interval_has_the_digits_of_its_mean(value, like, shown):
    assert tables.plain_number(value, like) == shown


def test_the_grid_column_with_the_most_values_runs_across():
    parts = [rows([0.5], few=few, many=many) for few in (1, 2) for many in (5, 7, 9)]
    parts_shown = list(tables.blocks(tables.summary(pd.concat(parts, ignore_index=True)), str))
    assert [(block.title, block.axis, block.head) for block in parts_shown] == [
        (f"precision, few = {few}", "many", ["5", "7", "9"]) for few in (1, 2)
    ]


ROUGH = ["a|b", "a\nb", "a\r\n\\end{tabular}", "{x}", "}", "\\", "a\\|b", "[0.5]", "*", "x & y", "50%",
         "#1", "~^", "\x1b[2J", "<script>", "`c`", "$x$", "  padded"]  # fmt: skip


def lines_of(methods):
    return pd.DataFrame(
        [
            {"setting": value, "method": name, "variant": "as_written", "metric": "precision",
             "mean": 0.5, "half": 0.1, "repetitions": 3, "undefined": 0, "failed": 0,
             "published": None, "difference": None}
            for name in methods for value in ("a|b\nc", "{d}")
        ]
    )  # fmt: skip


def unescaped(line, sign):
    return len(re.findall(rf"(?<!\\)(?:\\\\)*{re.escape(sign)}", line))


def test_labels_break_no_markdown_table():
    text = tables.markdown(lines_of(map(str, range(len(ROUGH)))), "t\n# u", lambda n: ROUGH[int(n)])
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == len(ROUGH) + 2
    assert {unescaped(row, "|") for row in rows} == {4}
    assert [line for line in text.splitlines() if line.startswith("# ")] == ["# t \\# u"]
    assert "\x1b" not in text
    assert "<script>" not in text.replace("\\<script\\>", "")


def test_numbers_have_seven_digits_and_grid_columns_all():
    lines = pd.DataFrame(
        {"noise": [0.12345678901, 1e-5], "mean": [0.12345678901, math.nan], "half": [0.0, math.inf],
         "repetitions": [3, 5], "published": [None, 0.5]},
    )  # fmt: skip
    assert tables.summary_text(lines).splitlines() == [
        "noise,mean,half,repetitions,published",
        "0.12345678901,0.1234568,0.0,3,",
        "1e-05,,inf,5,0.5",
    ]
    assert lines.loc[0, "mean"] == 0.12345678901
