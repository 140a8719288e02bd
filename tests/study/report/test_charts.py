"""Charts of runs: what they show is what the summary has, and they look as the site needs it."""

import io
import json
import math
import re
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pandas as pd
import pytest

from geoforest_cli.core import plot_style
from geoforest_cli.study.figures.options import Curves
from geoforest_cli.study.report.site import chart_svg, charts
from geoforest_cli.study.report.site.chart_data import ChartData
from geoforest_cli.study.report.site.chart_parts import rounded
from geoforest_cli.study.report.site.pictures import size_of
from geoforest_cli.study.report.site.runs import read

PANEL, X, METHOD, VARIANT, MEAN, LOW, HIGH, N, PUBLISHED, SAMPLE = range(10)
CSS = (
    resources.files("geoforest_cli.study.report") / "templates" / "site" / "chart.css"
).read_text("utf-8")


@pytest.fixture(scope="module")
def runs(whole_results):
    return {(run.name, run.profile): run for run in read(whole_results)}


@pytest.fixture(scope="module")
def noise(runs):
    return runs["noise", "paper"]


@pytest.fixture(scope="module")
def chart(noise):
    return charts.chart(noise, "figure")


def keyed(chart):
    """Each point by what it is of, in the words of the page."""
    data = chart.data
    return {
        (
            data["panels"][point[PANEL]]["title"], data["x"]["values"][point[X]],
            data["methods"][point[METHOD]]["label"], data["variants"][point[VARIANT]]["label"],
        ): point
        for point in data["points"]
    }  # fmt: skip


def test_every_number_is_that_of_the_summary(noise, chart):
    lines = noise.lines[noise.lines["metric"] == "precision"]
    points = keyed(chart)
    assert len(points) == len(lines) == len(chart.data["points"])
    for line in lines.to_dict("records"):
        label = noise.labels[line["method"]]
        variant = line["variant"].replace("_", " ")
        point = points[line["manifold"], line["noise_dims"], label, variant]
        assert point[MEAN] == pytest.approx(line["mean"], rel=1e-4)
        ends = (max(0, line["mean"] - line["half"]), min(1, line["mean"] + line["half"]))
        few = line["repetitions"] < 4  # the figure has dots there
        assert point[LOW : HIGH + 1] == (
            [None, None] if few else pytest.approx(ends, rel=1e-3, abs=1e-5)
        )
        assert point[N] == line["repetitions"]
        published = None if pd.isna(line["published"]) else line["published"]
        assert point[PUBLISHED] == (published and pytest.approx(published, rel=1e-4))
    assert any(point[PUBLISHED] is not None for point in points.values())


def test_the_table_to_download_is_lines_of_the_summary(noise, chart):
    offered = pd.read_csv(io.StringIO(chart.csv))
    lines = noise.lines[noise.lines["metric"] == "precision"]
    assert list(offered) == list(lines)
    assert offered["mean"].tolist() == pytest.approx(lines["mean"].tolist(), rel=1e-12)


def test_the_sample_is_selected_and_starts_where_print_can_be_compared(chart):
    (choice,) = chart.data["choices"]
    assert choice["label"] == "Sample"
    assert choice["options"] == ["sample as written", "sample as run"]
    assert (choice["all"], choice["split"], choice["start"]) == (True, True, 1)
    for point in chart.data["points"]:
        as_run = chart.data["variants"][point[VARIANT]]["label"] == "as run"
        assert point[SAMPLE] == as_run
        assert as_run or point[PUBLISHED] is None


def test_a_selection_starts_where_the_answer_is_about():
    reference = Path(__file__).parents[3] / "results" / "reference"
    run = next(one for one in read(reference) if one.name == "rotation")
    (choice,) = [one for one in charts.chart(run, "figure").data["choices"] if one["split"]]
    assert choice["options"][choice["start"]] == "rotated"
    config = run.config.model_copy(update={"answer": None})
    options = Curves.model_validate(charts.figure_section("figure", config))
    (choice,) = [
        one for one in ChartData(run.lines, config, options).content()["choices"] if one["split"]
    ]
    assert choice["options"][choice["start"]] == "own axes"


def test_chance_is_drawn_where_the_summary_has_it(noise, chart):
    assert chart.data["constants"] == ["chance"]
    lines = noise.lines[noise.lines["metric"] == "chance"]
    for _, panel, levels, sample in chart.data["levels"]:
        title = chart.data["panels"][panel]["title"]
        mine = lines[
            (lines["manifold"] == title) & ((lines["variant"] == "as_run") == bool(sample))
        ]
        for place, value in levels:
            at = mine[mine["noise_dims"] == chart.data["x"]["values"][place]]
            repeated = at.loc[at.index.repeat(at["repetitions"])]
            assert value == pytest.approx(repeated["mean"].mean(), rel=1e-3)


def test_a_number_of_a_chart_has_five_digits():
    """More than can be seen, and few enough for a page with a thousand points."""
    found = [rounded(value) for value in (1.23456789, 0.000123456789, 1e12 / 7, math.inf, None)]
    assert found == [1.2346, 0.00012346, 142860000000.0, None, None]


def test_a_file_of_the_chart_has_its_lines_of_the_summary(noise, chart, tmp_path):
    (tmp_path / "figure.csv").write_text(chart.csv)
    lines = pd.read_csv(tmp_path / "figure.csv")
    wanted = noise.lines[noise.lines["metric"] == "precision"].reset_index(drop=True)
    pd.testing.assert_frame_equal(lines, wanted)


def test_few_repetitions_have_no_interval(noise):
    few = noise.lines.assign(repetitions=3)
    points = charts.chart(replace(noise, lines=few), "figure").data["points"]
    assert {(point[LOW], point[HIGH]) for point in points} == {(None, None)}


def test_the_interval_of_a_metric_without_bounds_is_whole(noise, monkeypatch):
    """A difference, say, may lie below zero; a share may not."""
    wide = replace(noise, lines=noise.lines.assign(repetitions=9, mean=0.1, half=0.4))
    points = charts.chart(wide, "figure").data["points"]
    assert {(point[LOW], point[HIGH]) for point in points} == {(0.0, 0.5)}
    monkeypatch.setattr(Curves, "range_of", lambda *_: (None, None))
    points = charts.chart(wide, "figure").data["points"]
    assert {(point[LOW], point[HIGH]) for point in points} == {(-0.3, 0.5)}


def test_a_column_that_would_give_a_place_two_points_is_selected(noise):
    """The figure averages over it: for that, the summary has no interval."""
    doubled = [noise.lines.assign(k=k, mean=noise.lines["mean"] / k) for k in (1, 2)]
    found = charts.chart(replace(noise, lines=pd.concat(doubled)), "figure")
    sample, k = found.data["choices"]
    assert (k["label"], k["options"], k["start"]) == ("k", ["k = 1", "k = 2"], 0)
    assert not k["all"]
    assert sample["label"] == "Sample"
    assert any("averages over k" in note for note in found.notes)
    keys = [(*point[:MEAN], *point[SAMPLE:]) for point in found.data["points"]]
    assert len(keys) == len(set(keys))


def test_an_axis_of_numbers_is_in_their_order_and_categories_in_the_configs(noise):
    turned = {**noise.config.grid_values}
    turned["noise_dims"] = tuple(reversed(turned["noise_dims"]))
    figure = {"x": "noise_dims", "y": ["precision"]}
    for scale in ("log", "category"):
        config = noise.config.model_copy(
            update={"figure": figure | {"scale": scale}, "grid": turned}
        )
        values = charts.chart(with_config(noise, config), "figure").data["x"]["values"]
        assert values == sorted(values, reverse=scale == "category")


def test_a_logarithmic_axis_is_offered_with_zeros_and_says_where_they_are(noise):
    zero = noise.lines.assign(mean=noise.lines["mean"].where(noise.lines["noise_dims"] > 10, 0.0))
    found = charts.chart(replace(noise, lines=zero), "figure")
    (metric,) = found.data["metrics"]
    assert (
        0
        < metric["logarithmic"]["low"]
        <= zero[zero["metric"] == "precision"]["mean"][zero["mean"] > 0].min()
    )
    assert "Values beyond an axis are drawn at its edge." in found.notes


def test_what_is_no_lines_stays_a_picture(runs, noise):
    assert charts.chart(runs["leaderboard", "smoke"], "figure") is None  # heat
    assert charts.chart(runs["leaderboard", "smoke"], "figure_ranks") is None
    assert charts.chart(replace(noise, lines=noise.lines.iloc[:0]), "figure") is None
    assert (
        charts.chart(replace(noise, lines=noise.lines.drop(columns="manifold")), "figure") is None
    )
    nothing = noise.lines.assign(mean=float("nan"))
    assert charts.chart(replace(noise, lines=nothing), "figure") is None


def test_no_script_element_ends_inside_the_data(noise):
    bad = noise.lines.replace({"manifold": {"helix": "</script><b>\x1b\u202e"}})
    found = charts.chart(replace(noise, lines=bad), "figure")
    assert "<" not in found.json
    titles = [panel["title"] for panel in json.loads(found.json)["panels"]]
    assert "</script><b>\\x1b\\u202e" in titles
    drawn = chart_svg.static_svg(found.data, 'says "<this>"')
    assert "&lt;/script&gt;" in drawn
    assert "<b>" not in drawn
    assert 'aria-label="says &#34;&lt;this&gt;&#34;"' in drawn


def with_config(run, config):
    changed = replace(run)
    vars(changed)["config"] = config  # where the property keeps what it has read
    return changed


def test_lines_of_a_grid_columns_values_go_from_dark_to_light(noise):
    """As in `hyperparameters`: the lines are of one method, and differ in a setting."""
    figure = {
        "x": "noise_dims",
        "y": ["precision"],
        "lines": "manifold",
        "where": {"method": "gf", "variant": "as_run"},
        "labels": {"helix": "the helix"},
    }
    config = noise.config.model_copy(update={"figure": figure})
    found = charts.chart(with_config(noise, config), "figure")
    lines = noise.lines[
        (noise.lines["method"] == "gf")
        & (noise.lines["variant"] == "as_run")
        & (noise.lines["metric"] == "precision")
    ]
    names = list(dict.fromkeys(lines["manifold"]))
    looks = found.data["methods"]
    assert [one["label"].replace("the ", "") for one in looks] == names
    grades = [int(one["hue"].removeprefix("grade-")) for one in looks]
    assert grades[0] == 0 < grades[-1] == 9
    assert grades == sorted(set(grades))
    assert len({one["mark"] for one in looks}) == len(looks)
    wanted = {
        (names.index(line["manifold"]), line["noise_dims"]): line["mean"]
        for line in lines.to_dict("records")
    }
    points = found.data["points"]
    assert len(points) == len(wanted)
    for point in points:
        place = point[METHOD], found.data["x"]["values"][point[X]]
        assert point[MEAN] == pytest.approx(wanted[place], rel=1e-4)
    csv = pd.read_csv(io.StringIO(found.csv))
    assert set(csv["method"]) == {"gf"}  # as it stands in the summary
    absent = config.model_copy(update={"figure": {**figure, "lines": "min_parent"}})
    assert charts.chart(with_config(noise, absent), "figure") is None


def test_a_metric_against_another_has_the_means_of_both(noise):
    """As precision against recall in `connectome`."""
    figure = {"x": "noise_dims", "x_metric": "recall", "y": ["precision"], "columns": "manifold"}
    config = noise.config.model_copy(update={"figure": figure | {"where": {"variant": "as_run"}}})
    lines = noise.lines[noise.lines["variant"] == "as_run"]
    higher = lines["mean"].where(lines["metric"] != "recall", lines["mean"] * 0.5)
    # others are not of it, wherever the alphabet has them
    others = [lines[lines["metric"] == "precision"].assign(metric=name) for name in ("a", "zone")]
    higher = pd.concat([higher, *(one["mean"] + 0.1 for one in others)], ignore_index=True)
    lines = pd.concat([lines, *others], ignore_index=True)
    found = charts.chart(
        with_config(replace(noise, lines=lines.assign(mean=higher)), config), "figure"
    )
    data = found.data
    assert data["x"]["label"] == "recall"
    assert data["x"]["values"] == sorted(set(data["x"]["values"]))
    assert (data["choices"], data["levels"]) == ([], [])
    assert {point[PUBLISHED] for point in data["points"]} == {None}
    assert "The figure of the run has the published values too." in found.notes
    keys = ["manifold", "noise_dims", "method"]
    means = lines.pivot_table(index=keys, columns="metric", values="mean")
    wanted = sorted(zip(means["precision"], means["recall"] * 0.5, strict=True))
    drawn = sorted((point[MEAN], data["x"]["values"][point[X]]) for point in data["points"])
    assert len(drawn) == len(wanted)
    for ours, theirs in zip(drawn, wanted, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)
    other = lines.drop(columns="noise_dims")
    assert charts.chart(with_config(replace(noise, lines=other), config), "figure") is None
    without = lines[lines["metric"] != "recall"]
    assert charts.chart(with_config(replace(noise, lines=without), config), "figure") is None


def test_without_a_script_what_is_selected_at_first_is_drawn(chart):
    drawn = chart_svg.static_svg(chart.data, "words")
    assert "style" not in drawn.replace('class="static"', "")
    first = [point for point in chart.data["points"] if point[SAMPLE] == 1]
    lines = {tuple(point[: VARIANT + 1][i] for i in (PANEL, METHOD, VARIANT)) for point in first}
    assert drawn.count('class="line"') == len(lines)
    rings = re.findall(r'class="rings" d="([^"]*)"', drawn)
    printed = sum(point[PUBLISHED] is not None for point in first)
    assert sum(d.count("M") for d in rings) == printed > 0


def test_the_name_of_the_axis_stands_in_the_middle_of_it(chart):
    drawn = chart_svg.static_svg(chart.data, "words")
    start, end = map(float, re.search(r'class="axis" d="M(\S+) \S+H(\S+)"', drawn).groups())
    label = chart.data["x"]["label"]
    [x] = set(re.findall(rf'<text x="(\S+)" y="\S+" text-anchor="middle">{label}<', drawn))
    assert float(x) == pytest.approx((start + end) / 2)


def test_words_along_the_axis_do_not_overlap_and_the_last_one_stands(chart):
    words = [f"{number} {'w' * 60}" for number in range(len(chart.data["x"]["words"]))]
    data = chart.data | {"x": chart.data["x"] | {"words": words}}
    drawn = chart_svg.static_svg(data, "words")
    found = set(re.findall(r'text-anchor="middle">(\d w+)<', drawn))
    assert words[-1] in found
    assert len(found) < len(words)
    # short ones have all room
    every = chart_svg.static_svg(chart.data, "words")
    for word in chart.data["x"]["words"]:
        assert f'text-anchor="middle">{word}<' in every


@pytest.mark.parametrize(
    ("panels", "across"), [(2, 2), (3, 3), (4, 4), (5, 3), (6, 3), (7, 4), (8, 4), (9, 3)]
)
def test_panels_stand_in_rows_of_four_at_most_and_of_equal_length(noise, panels, across):
    lines = noise.lines[(noise.lines["manifold"] == "helix")]
    several = pd.concat([lines.assign(manifold=f"m{number}") for number in range(panels)])
    found = charts.chart(replace(noise, lines=several), "figure")
    assert len(found.data["panels"]) == panels
    assert found.data["across"] == across


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("block", "page"), [(0, "#ffffff"), (1, "#15181c")])
def test_every_colour_of_a_method_can_be_seen_on_the_page(block, page):
    """Three to one, as WCAG 2.2 wants it of graphics (1.4.11)."""
    known = {look.color for look in plot_style._LOOKS.values()} | {*plot_style._SPARE_COLORS}
    given = dict(re.findall(r"--([0-9a-f]{6}): (#[0-9a-f]{6})", CSS.split(":root")[1 + block]))
    assert set(given) == {color.removeprefix("#").lower() for color in known}
    for name, color in given.items():
        assert contrast(color, page) >= 3, name
        assert f".hue-{name} {{ --hue: var(--{name}); }}" in CSS
    grades = re.findall(r"--(grade-[0-9]): (#[0-9a-f]{6})", CSS.split(":root")[1 + block])
    assert len(grades) == 10
    lightness = [luminance(color) for _, color in grades]
    assert lightness == sorted(lightness)
    for name, color in grades:
        assert contrast(color, page) >= 3, name
        assert f".hue-{name} {{ --hue: var(--{name}); }}" in CSS


def test_the_size_of_a_picture_is_that_of_its_file(tmp_path):
    matplotlib = b'<svg xmlns="x" width="504pt" height="252pt" viewBox="0 0 504 252">'
    assert size_of(matplotlib) == (504, 252)
    assert size_of(b"no picture") is None


def test_names_are_joined_only_where_dashes_tell_variants_apart(chart):
    of_names = {**chart.data, "x": {**chart.data["x"], "numeric": False}}
    alike = [{**variant, "dash": ""} for variant in chart.data["variants"]]
    assert chart.joined
    assert replace(chart, data=of_names).joined
    assert not replace(chart, data={**of_names, "variants": alike}).joined
    assert ".chart.of-names .line, .chart.of-names .printed { stroke: none; }" in CSS
