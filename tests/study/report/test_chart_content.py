"""What charts are made of, from made-up summaries: words, axes, panels, choices, levels, notes."""

import itertools
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.figures.spread import FEWEST
from geoforest_cli.study.report.site.chart_parts import value_axis
from geoforest_cli.study.report.site.charts import Chart, chart

X, METHOD, VARIANT, MEAN, LOW, HIGH, N, PUBLISHED, PICKS = range(1, 10)
GRID = {"n": (1, 10, 1000), "data": ("a", "b")}
FIGURE = {"x": "n", "y": ["precision"], "columns": "data"}


def summary(grid=None, metrics=("precision", "recall", "chance"), variants=("as_run",)):
    """A line for each point, method, variant and metric, each with a mean of its own."""
    grid = grid or GRID
    lines = [
        {**dict(zip(grid, point, strict=True)), "method": method, "variant": variant,
         "metric": metric, "half": 0.01, "repetitions": 9, "published": None}
        for point in itertools.product(*grid.values())
        for method in ("gf", "umap") for variant in variants for metric in metrics
    ]  # fmt: skip
    found = pd.DataFrame(lines)
    found.insert(len(grid) + 3, "mean", [0.2 + 0.6 * i / len(lines) for i in range(len(lines))])
    return found.astype({"published": float})


def charted(rows=None, grid=None, answer=None, /, **figure):
    grid = grid or GRID
    rows = summary(grid) if rows is None else rows
    variants = {"as_run": {}, "recommended": {}}
    config = Config.model_validate({
        "title": "T", "experiment": "e", "grid": {name: list(grid[name]) for name in grid},
        "methods": {"gf": {"variants": variants}, "umap": {"variants": variants}},
        "figure": FIGURE | figure,
    })  # fmt: skip
    config = config.model_copy(update={"answer": answer})
    return chart(SimpleNamespace(config=config, lines=rows), "figure")


@pytest.mark.parametrize(
    ("scale", "told"),
    [("category", "category"), ("linear", "linear"), ("log", "log"), ("symlog", "log")],
)
def test_numbers_along_the_axis_are_short_words_and_keep_their_scale(scale, told):
    x = charted(scale=scale, labels={"n": "sample size", "10": "ten"}).data["x"]
    assert x == {
        "label": "sample size", "values": [1, 10, 1000], "words": ["1", "ten", "1k"],
        "numeric": True, "scale": told,
    }  # fmt: skip


@pytest.mark.parametrize("values", [("b", "a"), (True, False)])
def test_names_along_the_axis_stand_side_by_side_in_the_order_of_the_config(values):
    x = charted(None, {"n": (1, 10), "data": values}, x="data", columns=None, where={"n": 1}).data[
        "x"
    ]
    assert (x["values"], x["numeric"], x["scale"]) == ([0, 1], False, "category")
    assert x["words"] == [str(value) for value in values]


def test_a_metric_along_the_axis_has_two_decimals():
    x = charted(x_metric="recall").data["x"]
    assert len(x["words"]) == len(GRID["n"]) * len(GRID["data"]) * 2
    assert x["words"] == [f"{value:.2f}" for value in x["values"]]


def test_an_axis_is_logarithmic_where_that_is_asked_for_and_can_be():
    plain, log = charted(), charted(y_scale="log")
    assert ([m["log"] for m in plain.data["metrics"]], plain.notes) == ([False], [])
    assert [metric["log"] for metric in log.data["metrics"]] == [True]
    assert log.notes == ["Means are arithmetic; the figure of the run has geometric ones."]
    for found in (plain, log):
        (metric,) = found.data["metrics"]
        assert (metric["linear"]["low"], metric["linear"]["high"]) == (-0.02, 1.04)
        means = [point[MEAN] for point in found.data["points"]]
        assert 0 < metric["logarithmic"]["low"] < min(means)
        assert max(means) < metric["logarithmic"]["high"]
    nothing = charted(summary().assign(mean=0.0, half=0.0), y_scale="log", chance=None)
    (metric,) = nothing.data["metrics"]
    assert (metric["log"], metric["logarithmic"]) == (False, None)


@pytest.mark.parametrize(("scale", "asked"), [("linear", "linear"), ("log", "logarithmic")])
def test_limits_that_are_asked_for_are_those_of_the_axis_that_has_them(scale, asked):
    found = charted(y_scale=scale, limits=(0.25, 0.75))
    (metric,) = found.data["metrics"]
    other = {"linear": "logarithmic", "logarithmic": "linear"}[asked]
    assert (metric[asked]["low"], metric[asked]["high"]) == (0.25, 0.75)
    assert metric[other]["high"] > 0.75
    assert "Values beyond an axis are drawn at its edge." in found.notes


def test_what_is_beside_the_lines_is_on_their_axis_too():
    lines = summary().assign(metric=lambda frame: frame["metric"].replace("precision", "loss"))
    high = lines.assign(published=lines["mean"].where(lines.index != 0, 7.0))
    for found in (
        charted(high, y=["loss"]), charted(lines, y=["loss"], levels={"loss": {"most": 7.0}}),
        charted(lines.assign(half=7.0), y=["loss"]),
    ):  # fmt: skip
        (metric,) = found.data["metrics"]
        assert metric["linear"]["high"] >= 7.0
        assert metric["logarithmic"]["high"] >= 7.0
    (metric,) = charted(lines.assign(half=7.0), y=["loss"]).data["metrics"]
    assert metric["linear"]["low"] < -6.0 < 0.0 < metric["logarithmic"]["low"]
    (metric,) = charted(lines, y=["loss"]).data["metrics"]
    assert metric["linear"]["high"] < 1.0


@given(st.floats(-20, 20), st.floats(1e-2, 1e4))
@settings(max_examples=25)
def test_ticks_are_few_evenly_spread_and_between_the_limits(start, width):
    low = start * width
    found = value_axis((low, low + width), "linear")
    assert (found["low"], found["high"]) == (low, low + width)
    places = [place for place, _ in found["ticks"]]
    assert 2 <= len(places) <= 6
    slack = 1e-3 * width
    assert low - slack <= places[0] < places[-1] <= low + width + slack
    steps = [b - a for a, b in itertools.pairwise(places)]
    assert max(steps) - min(steps) <= 4 * slack
    assert places[0] - low < max(steps) + slack
    assert low + width - places[-1] < max(steps) + slack


@given(st.floats(1e-6, 1e3), st.floats(3, 1e6))
@settings(max_examples=25)
def test_ticks_of_a_logarithmic_axis_grow_by_factors(low, factor):
    found = value_axis((low, low * factor), "log")
    places = [place for place, _ in found["ticks"]]
    assert len(places) >= 1
    assert all(low <= place <= low * factor for place in places)
    if len(places) > 2:
        ratios = [b / a for a, b in itertools.pairwise(places)]
        assert max(ratios) < 6 * min(ratios)
    assert value_axis(None, "log") is None


@pytest.mark.parametrize(
    ("columns", "rows", "y", "titles", "across"),
    [
        ("data", "metric", ["precision", "recall"], ["a", "b"] * 2, 2),
        ("metric", None, ["precision", "recall"], ["", ""], 2),
        (None, "data", ["precision"], ["a", "b"], 2),
        ("n", "metric", ["precision", "recall"], ["n = 1", "n = 10", "n = 1k"] * 2, 3),
        ("n", "data", ["precision"], ["n = 1", "n = 10", "n = 1k"], 3),
        (None, "metric", ["recall", "precision"], ["", ""], 2),
        (None, None, ["precision"], [""], 1),
    ],
)
def test_panels_have_their_words_their_metric_and_their_row(columns, rows, y, titles, across):
    x = "data" if columns == "n" else "n"
    data = charted(x=x, columns=columns, rows=rows, y=y, where={}).data
    assert [panel["title"] for panel in data["panels"]] == titles
    assert data["across"] == across
    assert [metric["label"] for metric in data["metrics"]] == y
    half = len(titles) // len(y)
    assert [panel["metric"] for panel in data["panels"]] == [
        number for number in range(len(y)) for _ in range(half)
    ]
    (split,) = [one["options"] for one in data["choices"] if one["split"]] or [None]
    assert split == (["a", "b"] if (columns, rows) == ("n", "data") else None)


def test_metrics_that_would_share_a_panel_are_no_chart():
    assert charted(y=["precision", "recall"]) is None
    assert charted(x="nothing") is None
    assert charted(columns="nothing") is None


def test_a_constant_level_has_all_places_of_the_panels_of_its_metric():
    data = charted(
        columns="metric",
        y=["precision", "recall"],
        levels={"recall": {"half way": 0.5}},
        chance=None,
    ).data
    assert data["constants"] == ["half way"]
    number = data["panels"].index({"title": "", "metric": 1})
    picks = [None] * len(data["choices"])
    assert data["levels"] == [[0, number, [[0, 0.5], [1, 0.5], [2, 0.5]], *picks]]
    assert charted(chance=None).data["levels"] == []


def test_chance_counts_repetitions_and_leaves_out_what_has_none():
    lines = summary()
    chance = lines["metric"] == "chance"
    first = chance & (lines["method"] == "gf")
    lines.loc[chance, ["mean", "repetitions"]] = [0.5, 1]
    lines.loc[first, ["mean", "repetitions"]] = [0.1, 3]
    lines.loc[chance & (lines["n"] == 10), "repetitions"] = 0
    data = charted(lines).data
    assert (data["constants"], len(data["levels"])) == (["chance"], 2)
    for _, _, levels in data["levels"]:
        assert levels == [[0, pytest.approx(0.2)], [2, pytest.approx(0.2)]]
    assert (
        charted(lines.assign(repetitions=lines["repetitions"].where(~chance, 0))).data["levels"]
        == []
    )


def test_variants_are_a_choice_that_leaves_nothing_out_at_first():
    lines = summary(variants=("recommended", "as_run"))
    found = charted(lines)
    (choice,) = found.data["choices"]
    assert (choice["label"], choice["options"], choice["start"]) == (
        "Variant", ["as run", "recommended"], -1,
    )  # fmt: skip
    assert (choice["all"], choice["split"], found.selected) == (True, False, "")
    assert {(point[VARIANT], point[PICKS]) for point in found.data["points"]} == {(0, 0), (1, 1)}
    assert [one["label"] for one in found.data["variants"]] == ["as run", "recommended"]
    apart = charted(lines, columns="variant").data["choices"]
    assert [one["label"] for one in apart] == ["Data"]
    assert charted().data["choices"] == []


def test_a_column_is_selected_where_a_place_would_have_two_points():
    found = charted(columns=None)
    (choice,) = found.data["choices"]
    assert choice == {
        "label": "Data", "options": ["a", "b"], "all": False, "split": False, "start": 0,
    }  # fmt: skip
    assert (found.selected, found.averaged) == ("a", ["data"])
    for point in found.data["points"]:
        assert point[PICKS] in {0, 1}
    lines = summary()
    lines["data"] = lines["data"].where(lines["method"] == "gf")
    several = charted(lines.drop_duplicates(["n", "data", "method", "metric"]), columns=None)
    picks = {(point[METHOD], point[PICKS]) for point in several.data["points"]}
    assert picks == {(0, 0), (0, 1), (1, None)}


@pytest.mark.parametrize(
    ("printed", "wheres", "start"),
    [
        ((), (), 0), (("b",), (), 1), (("a", "b"), (), 0), (("b",), ({"data": ["a"]},), 0),
        (("a",), ({"data": ["a", "b"]}, {"data": ["b"]}), 1), (("b",), ({"data": ["z"]},), 1),
        (("b",), ({"n": [1]},), 1),
    ],
)  # fmt: skip
def test_rows_of_panels_start_with_the_answer_else_with_what_is_printed(printed, wheres, start):
    grid = {"k": (1, 2, 3), "n": (1, 10), "data": ("a", "b")}
    lines = summary(grid)
    lines["published"] = lines["mean"].where(lines["data"].isin(printed))
    numbers = {str(i): SimpleNamespace(where=where) for i, where in enumerate(wheres)}
    answer = SimpleNamespace(numbers=numbers) if wheres else None
    found = charted(lines, grid, answer, x="k", columns="n", rows="data")
    (choice,) = [one for one in found.data["choices"] if one["split"]]
    assert choice["start"] == start
    assert choice["options"][start] in found.selected


@pytest.mark.parametrize("count", [1, 2, 3, 10, 12])
def test_lines_of_values_are_spread_from_the_darkest_to_the_lightest(count):
    grid = {"n": (1, 10), "data": tuple(f"d{i:02}" for i in range(count))}
    found = charted(summary(grid), grid, columns=None, lines="data", where={"method": "gf"})
    grades = [int(one["hue"].removeprefix("grade-")) for one in found.data["methods"]]
    assert len(grades) == count
    assert grades[0] == 0
    for number, grade in enumerate(grades):
        assert abs(grade - 9 * number / max(count - 1, 1)) <= 0.5
    assert all(not one["hue"].startswith("grade") for one in charted().data["methods"])


@pytest.mark.parametrize(
    ("repetitions", "half", "ends"),
    [
        (FEWEST - 1, 0.1, (None, None)), (FEWEST, 0.1, (0.4, 0.6)), (9, None, (None, None)),
        (9, 0.7, (0.0, 1.0)), (9, 0.0, (0.5, 0.5)),
    ],
)  # fmt: skip
def test_an_interval_needs_repetitions_and_ends_where_the_metric_does(repetitions, half, ends):
    lines = summary().assign(mean=0.5, repetitions=repetitions, half=half)
    found = charted(lines)
    assert {(point[LOW], point[HIGH]) for point in found.data["points"]} == {ends}
    assert {point[N] for point in found.data["points"]} == {repetitions}
    assert found.with_intervals == (ends[0] is not None)


def test_published_values_are_there_where_they_are_wanted():
    lines = summary()
    lines["published"] = lines["mean"].where(lines["n"] == 10)
    found = charted(lines)
    printed = {point[PUBLISHED] is not None for point in found.data["points"] if point[X] == 1}
    assert (printed, found.with_published, found.lacks_published) == ({True}, True, False)
    bare = charted(lines, published=False)
    assert (bare.with_published, bare.lacks_published) == (False, False)
    against = charted(lines, x_metric="recall")
    assert (against.with_published, against.lacks_published) == (False, True)
    assert charted(x_metric="recall").lacks_published is False


def told(choices=(), **changes):
    """A chart of one point, and what is said of it."""
    axes = {"linear": {"low": 0.0, "high": 1.0}, "logarithmic": {"low": 0.1, "high": 1.0}}
    content = {
        "panels": [{"metric": 1}], "metrics": [{"log": False, "linear": None}, {"log": False, **axes}],
        "points": [[0, 0, 0, 0, changes.pop("mean", 0.5), None, None, 9, None]],
        "choices": choices, "variants": [],
    }  # fmt: skip
    return Chart(content | changes.pop("data", {}), "", **{"averaged": [], **changes})


@pytest.mark.parametrize(
    ("mean", "beyond"),
    [(0.5, False), (0.1, False), (1.0, False), (0.05, True), (-0.1, True), (1.1, True)],
)
def test_a_chart_says_that_values_are_beyond_an_axis_where_they_are(mean, beyond):
    assert told(mean=mean).notes == ["Values beyond an axis are drawn at its edge."] * beyond


def test_notes_are_of_what_differs_from_the_figure_of_the_run():
    assert told(averaged=["k", "size"]).notes == [
        "The figure of the run averages over k, size; one is selected here."
    ]
    assert told(lacks_published=True).notes == [
        "The figure of the run has the published values too."
    ]


def test_what_is_selected_is_told_but_for_what_leaves_nothing_out():
    choices = [{"options": ["a", "b"], "start": start} for start in (1, -1, 0)]
    assert told(choices).selected == "b, a"
    assert told(choices[1:2]).selected == ""


def test_dashes_are_told_where_there_are_several():
    looks = [("", "as run"), ("4 2", "as written"), ("", "recommended")]
    variants = [{"dash": dash, "label": label} for dash, label in looks]
    assert told(data={"variants": variants}).dashes == {
        "": "as run / recommended", "4 2": "as written"
    }  # fmt: skip
    assert told(data={"variants": variants[::2]}).dashes == {}
