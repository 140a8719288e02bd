"""What figures show, read from their artists."""

import itertools
import math
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy import stats

from geoforest_cli.core.plot_style import style
from geoforest_cli.study.experiment import Task
from geoforest_cli.study.figures import curves
from geoforest_cli.study.figures.axes import log_ticks
from geoforest_cli.study.figures.boxes import draw_boxes
from geoforest_cli.study.figures.context import Context
from geoforest_cli.study.figures.options import Boxes
from geoforest_cli.study.plan import load
from tests.study.report.read_back import (
    bands,
    bars,
    context_of,
    dots,
    dotted,
    draw,
    lines,
    table,
    words,
)  # fmt: skip
from tests.study.report.synthetic import drawn

mpl.use("Agg")


def labels(axis):
    low, high = sorted(axis.get_view_interval())
    places = [place for place in axis.get_majorticklocs() if low <= place <= high]
    return [text for text in axis.get_major_formatter().format_ticks(places) if text]


def test_two_repetitions_are_dots_without_a_band():
    (axes,) = draw(table([0.2, 0.9])).axes
    assert not bands(axes)
    assert not bars(axes)
    (found,) = dots(axes)
    assert sorted(found.get_ydata()) == [0.2] * 3 + [0.9] * 3
    assert "single repetitions" in words(axes.figure)


@pytest.fixture
def kinds_of_noise():
    return table([0.2, 0.3, 0.4, 0.5], places=("normal", "uniform", "t3"), methods=("a", "b"))


def test_points_of_names_are_not_joined(kinds_of_noise):
    (axes,) = draw(kinds_of_noise).axes
    assert not lines(axes)
    assert not bands(axes)
    assert [len(marks.get_xdata()) for marks in dots(axes)] == [3, 3]
    assert len(bars(axes)) == 2
    keys = [key for box in axes.figure.legends for key in box.legend_handles]
    assert all(key.get_linewidth() == 0 for key in keys[:2])


def test_dashes_that_tell_variants_apart_join_names_too(kinds_of_noise):
    both = pd.concat([kinds_of_noise, kinds_of_noise.assign(variant="as_written")])
    (axes,) = draw(both).axes
    assert len(lines(axes)) == 4


def test_four_repetitions_are_a_band_without_dots():
    (axes,) = draw(table([0.2, 0.3, 0.4, 0.5])).axes
    assert len(bands(axes)) == 1
    assert not dots(axes)
    assert "single repetitions" not in words(axes.figure)


def test_where_a_method_has_fewer_repetitions_it_has_dots_there_and_a_band_elsewhere():
    frame = table(lambda _, n: [0.2, 0.3, 0.4, 0.5] if n < 3 else [0.2, 0.6])
    (axes,) = draw(frame).axes
    (band,) = bands(axes)
    assert band.get_paths()[0].get_extents().x1 == pytest.approx(1)
    assert sorted(dots(axes)[0].get_ydata()) == [0.2, 0.6]


@pytest.mark.parametrize(
    ("metric", "values", "ends"),
    [
        ("precision", [0.7, 1.0, 1.0, 1.0], (None, 1.0)),
        ("error", [0.0, 0.0, 0.0, 0.2], (0.0, None)),
        ("fit_seconds", [0.1, 0.1, 0.1, 3.0], (0.0, None)),
        ("adjusted_rand", [1.0, 1.0, 1.0, 0.5], (None, 1.0)),
    ],
)
def test_bands_end_where_the_metric_does(metric, values, ends):
    (axes,) = draw(table(values, metric)).axes
    extents = bands(axes)[0].get_paths()[0].get_extents()
    half = stats.t.ppf(0.975, 3) * np.std(values, ddof=1) / 2
    low, high = np.mean(values) - half, np.mean(values) + half
    assert extents.y0 == pytest.approx(low if ends[0] is None else ends[0])
    assert extents.y1 == pytest.approx(high if ends[1] is None else ends[1])


def test_a_metric_of_ones_own_that_has_a_known_name_is_not_cut():
    (axes,) = draw(table([2.0, 3.0, 4.0, 5.0], "error")).axes
    assert axes.get_ylim()[1] > bands(axes)[0].get_paths()[0].get_extents().y1 > 4


def test_bounds_can_be_told():
    frame = table([0.1, 0.1, 0.1, 3.0], "mine")
    (axes,) = draw(frame, bounds={"mine": (0, None)}).axes
    assert bands(axes)[0].get_paths()[0].get_extents().y0 == 0


def test_intervals_on_a_logarithmic_axis_are_those_of_the_logarithms():
    values = [1e-4, 1e-2, 1e-2, 1e-1]
    (axes,) = draw(table(values, "rmse"), y_scale="log").axes
    logs = np.log(values)
    half = stats.t.ppf(0.975, 3) * stats.sem(logs)
    extents = bands(axes)[0].get_paths()[0].get_extents()
    assert extents.y0 == pytest.approx(math.exp(logs.mean() - half))
    assert extents.y1 == pytest.approx(math.exp(logs.mean() + half))
    assert lines(axes)[0].get_ydata()[0] == pytest.approx(stats.gmean(values))
    assert axes.get_ylim()[0] > extents.y0 / 10
    assert "95 % interval of the geometric mean" in words(axes.figure)


def test_a_value_without_a_logarithm_leaves_the_mean_and_the_other_dots():
    (axes,) = draw(table([0.0, 0.1, 0.2, 0.3], "rmse"), y_scale="log").axes
    assert lines(axes)[0].get_ydata()[0] == pytest.approx(0.15)
    assert not bands(axes)
    assert sorted(set(dots(axes)[0].get_ydata())) == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(("count", "with_bands"), [(4, True), (5, False), (10, False)])
def test_at_most_four_bands_in_a_panel(count, with_bands):
    methods = [f"m{i}" for i in range(count)]
    (axes,) = draw(table([0.2, 0.3, 0.4, 0.5], methods=methods)).axes
    assert len(bands(axes)) == (count if with_bands else 0)
    assert len(bars(axes)) == (0 if with_bands else count)
    assert "95 % interval" in words(axes.figure)


def test_the_panels_of_a_figure_agree_on_bands_or_bars():
    few = table([0.2, 0.3, 0.4, 0.5], methods=["m0"], data="one")
    many = table([0.2, 0.3, 0.4, 0.5], methods=[f"m{i}" for i in range(6)], data="two")
    figure = draw(pd.concat([few, many]), columns="data")
    assert [len(bands(axes)) for axes in figure.axes] == [0, 0]
    assert [len(bars(axes)) for axes in figure.axes] == [1, 6]


@pytest.mark.parametrize("scale", ["category", "linear", "log"])
def test_coincident_lines_stand_beside_each_other(scale):
    methods = ["a", "b", "c"]
    (axes,) = draw(table([0.5], methods=methods, places=(1, 10, 100)), scale=scale).axes
    starts = sorted(axes.transData.transform((line.get_xdata()[0], 0.5))[0] for line in lines(axes))
    apart = np.diff(starts) / axes.figure.dpi
    assert (apart > 0.015).all()
    gap = axes.transData.transform((lines(axes)[0].get_xdata()[1], 0))[0] - starts[0]
    assert starts[-1] - starts[0] < gap or scale == "linear"


def test_one_line_stands_on_its_tick():
    (axes,) = draw(table([0.5])).axes
    assert list(lines(axes)[0].get_xdata()) == list(axes.get_xticks())


@pytest.mark.parametrize(
    "limits", [(0.011, 0.4), (1, 9), (0.2, 0.31), (3e-5, 7e3), (40, 90), (1e-12, 1e-3), (0.05, 0.9)]
)
def test_every_logarithmic_axis_has_several_ticks(limits):
    found = log_ticks(*limits)
    assert 3 <= len(found) <= 6
    assert all(limits[0] <= tick <= limits[1] for tick in found)


@pytest.mark.parametrize(
    ("limits", "ticks"),
    [
        ((0.05, 0.9), [0.05, 0.1, 0.2, 0.5]),
        ((0.03, 3), [0.03, 0.1, 0.3, 1, 3]),
        ((3e-5, 7e3), [1e-4, 1e-2, 1, 100]),
        ((0.2, 0.31), [0.2, 0.25, 0.3]),
    ],
)
def test_logarithmic_axes_have_the_usual_ticks(limits, ticks):
    np.testing.assert_allclose(log_ticks(*limits), ticks)


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("mnist", "figure"), ("digits", "figure"), ("scaling", "figure"), ("scaling", "columns"),
        ("runtimes", "figure"), ("bench_forest", "figure"), ("torus", "figure"),
    ],
)  # fmt: skip
def test_logarithmic_axes_of_configs_have_several_labels(name, figure):
    found = drawn(name, figure, repetitions=4)
    for axes in found.axes:
        for axis, scale in ((axes.xaxis, axes.get_xscale()), (axes.yaxis, axes.get_yscale())):
            if scale == "log":
                assert len(labels(axis)) >= 3, (name, axis)


@pytest.mark.parametrize("metric", ["fit_seconds", "rmse", "mine"])
def test_amounts_below_one_do_not_get_an_axis_from_zero_to_one(metric):
    (axes,) = draw(table([0.002, 0.003, 0.004, 0.005], metric)).axes
    assert axes.get_ylim()[1] < 0.01


def test_shares_get_an_axis_from_zero_to_one():
    (axes,) = draw(table([0.2, 0.3, 0.4, 0.5])).axes
    low, high = axes.get_ylim()
    assert -0.05 < low <= 0
    assert 1 < high < 1.1


@pytest.mark.parametrize("name", ["bench_forest", "bench_spherelets", "bench_supervised"])
def test_seconds_of_the_benchmarks_fill_their_axes(name):
    for axes in drawn(name).axes:
        assert axes.get_yscale() == "log"
        drawn_at = np.concatenate([line.get_ydata() for line in axes.lines])
        low, high = axes.get_ylim()
        assert low <= drawn_at.min()
        assert drawn_at.max() <= high
        share = math.log(drawn_at.max() / drawn_at.min()) / math.log(high / low)
        assert share > 0.5


def test_every_metric_of_the_connectome_has_its_own_chance():
    def change(frame):
        by_k = frame["metric"] == "recall_chance"
        return frame.assign(value=frame["value"].where(~by_k, frame["k"] / 212))

    figure = drawn("connectome", "by_k", change=change, repetitions=4, chance=0.33)
    precision, recall = figure.axes[:2]
    assert dotted(precision) == [0.33]
    (levels,) = dotted(recall)
    np.testing.assert_allclose(levels, np.array([50, 70, 90, 110, 130, 150]) / 212)
    assert words(figure).count("chance") == 1


@pytest.mark.parametrize("variant", ["as_written", "as_run"])
def test_recall_by_chance_is_that_of_points_drawn_at_random(monkeypatch, variant):
    rng = np.random.default_rng(0)
    data = SimpleNamespace(points=rng.normal(size=(90, 2)), labels=np.repeat(["a", "b", "c"], 30))
    experiment = load("connectome").experiment
    entry = SimpleNamespace(load=lambda: lambda: data)
    scope = experiment.run_cell.__func__.__globals__
    monkeypatch.setitem(scope, "DATASETS", {"drosophila_right": entry})
    params = experiment.params(dataset="drosophila_right", k=(20,))
    seeds = (1, 2, 3)
    found = experiment.run_cell(Task(params, "euclidean", {}, variant, 0, *seeds))
    chance = {row.metric: row.value for row in found}["recall_chance"]
    relevant = 30 if variant == "as_run" else 29
    drawn_at_random = [
        np.count_nonzero(rng.permutation(89)[:20] < 29) / relevant for _ in range(4000)
    ]
    assert chance == pytest.approx(np.mean(drawn_at_random), abs=0.01)
    assert chance == pytest.approx(20 / 89 * 29 / relevant)


def test_the_connectome_has_precision_against_recall():
    def change(frame):
        better = frame["value"].where(frame["metric"] != "recall", 0.6 + 0.002 * (frame["k"] - 50))
        return frame.assign(value=better)

    figure = drawn("connectome", change=change, repetitions=4, precision=0.5)
    assert [axes.get_title() for axes in figure.axes] == ["sample as written", "sample as run"]
    for axes in figure.axes:
        for line in lines(axes):
            np.testing.assert_allclose(line.get_xdata(), [0.6, 0.64, 0.68, 0.72, 0.76, 0.8])
            np.testing.assert_allclose(line.get_ydata(), 0.5)
    assert figure.axes[0].get_ylabel() == "geodesic precision"


def test_learned_distances_have_the_three_rows_of_the_paper():
    figure = drawn("smerf_distances", repetitions=4)
    rows = [axes.get_ylabel() for axes in figure.axes if axes.get_ylabel()]
    assert rows == ["mAP-10", "Spearman", "RMSE"]
    assert [axes.get_yscale() for axes in figure.axes] == ["linear"] * 6 + ["log"] * 3


@pytest.mark.parametrize(("profile", "k"), [("paper", 50), ("smoke", 10)])
def test_noise_says_at_which_k_precision_is(profile, k):
    figure = drawn("noise", profile=profile, repetitions=2)
    assert figure.axes[0].get_ylabel().endswith(f"precision at k = {k}")


@pytest.mark.parametrize(("figure", "truth"), [("figure", 0.7), ("exact", 0.2)])
def test_the_torus_is_compared_with_the_papers_truth_first(figure, truth):
    def change(frame):
        return frame.assign(value=frame["truth"].map({"dense": 0.7, "exact": 0.2}))

    for axes in drawn("torus", figure, repetitions=2, change=change).axes:
        assert {value for line in lines(axes) for value in line.get_ydata()} == {truth}


def test_time_has_a_logarithmic_axis_beside_a_share():
    figure = drawn("criteria", repetitions=4)
    scales = [axes.get_yscale() for axes in figure.axes]
    assert scales == ["linear"] * 4 + ["log"] * 4
    assert figure.axes[0].get_ylim()[1] < 1.1


def test_no_panel_of_the_aggregation_is_a_line_at_zero():
    def change(frame):
        zero = (frame["metric"] == "pooled_difference") | (
            (frame["metric"] == "averaged_difference") & (frame["method"] == "gf_all")
        )
        return frame.assign(value=frame["value"].where(~zero, 0.0))

    figure = drawn("aggregation", change=change)
    assert len(figure.axes) == 4
    for axes in figure.axes:
        assert max(line.get_ydata().max() for line in lines(axes)) > 0.1
        assert [list(level) for level in dotted(axes)] == [[0.0]]


def test_links_have_the_line_of_chance_and_a_style_per_variant():
    figure = drawn("smerf_links", repetitions=4, link_share=0.07)
    roc, precision = figure.axes[:3], figure.axes[3:]
    assert all(dotted(axes) == [0.5] for axes in roc)
    assert all(dotted(axes) == [0.07] for axes in precision)
    styles = {}
    for line in lines(roc[0]):
        styles.setdefault(line.get_label().split()[1], set()).add(str(line._dash_pattern))
    assert set(styles) == {"as_written", "as_run", "recommended"}
    assert len({pattern for patterns in styles.values() for pattern in patterns}) == 3
    assert {"as written", "as run", "recommended"} <= set(words(figure))


def test_panels_with_one_variant_are_solid():
    for axes in drawn("bars", repetitions=2).axes:
        assert {line.get_linestyle() for line in lines(axes)} == {"-"}


def test_the_variance_of_the_trees_has_the_noise_beside_it():
    (axes,) = drawn("smerf_variance").axes
    assert dotted(axes) == [0.01]
    assert "the noise's variance, 0.01" in words(axes.figure)


def test_the_local_errors_have_their_orders():
    plan = load("spiral_local")
    s = np.array([-0.03, -0.01, 0.003, 0.01, 0.03])
    orders = {"euclidean": 3.0, "sg_true": 4.0, "cg_true": 4.0}
    common = {
        "spacing": "even", "variant": "as_written", "repetition": 0, "status": "ok", "cell": ""
    }  # fmt: skip
    frame = pd.DataFrame(
        [
            {**common, "s": at, "method": method, "metric": "error", "value": abs(at) ** order}
            for method, order in orders.items()
            for at in s
        ]
        + [
            {**common, "s": math.nan, "method": method, "metric": "slope", "value": order}
            for method, order in orders.items()
        ]
    )
    context = Context(frame, frame.iloc[:0], plan.config, plan.config.figure)
    with style():
        right = plan.experiment.draw(context).axes[1]
    assert sorted(text.get_text() for text in right.texts) == ["3.0", "4.0", "4.0"]
    heights = sorted(right.transData.transform(text.get_position())[1] for text in right.texts)
    assert min(np.diff(heights)) > 7
    guides = [line for line in right.lines if line.get_marker() == "None"]
    found = [np.diff(np.log(g.get_ydata()))[0] / np.diff(np.log(g.get_xdata()))[0] for g in guides]
    np.testing.assert_allclose(found, [3, 4])


def test_the_examples_of_the_impulse_show_it():
    panels = drawn("impulse", "examples", "smoke", repetitions=1).axes
    flat, raised = panels[0].lines[-1].get_ydata(), panels[-1].lines[-1].get_ydata()
    assert np.abs(flat).max() < 0.15
    assert raised[20] == pytest.approx(1, abs=0.15)
    assert np.abs(raised[:20]).max() < 0.15
    assert panels[-1].lines[-1].get_linewidth() > panels[-1].lines[0].get_linewidth()


@pytest.mark.parametrize("figure", ["figure", "exact"])
def test_no_method_of_the_torus_is_cut_off(figure):
    def change(frame):
        errors = frame["metric"] == "relative_frobenius"
        return frame.assign(value=frame["value"].where(~errors, 20 * frame["value"]))

    for axes in drawn("torus", figure, repetitions=1, change=change).axes:
        low, high = axes.get_ylim()
        shown = np.concatenate([line.get_ydata() for line in lines(axes)])
        assert low <= shown.min()
        assert shown.max() <= high
        assert len(lines(axes)) == 8


def two_by_two():
    """Panels (one, x), (one, y), (two, x); nothing at (two, y)."""
    parts = [
        table([0.2, 0.3, 0.4, 0.5], data=data, kind=kind)
        for data, kind in (("one", "x"), ("one", "y"), ("two", "x"))
    ]
    return pd.concat(parts, ignore_index=True)


def test_a_panel_without_rows_is_not_drawn():
    figure = draw(two_by_two(), rows="data", columns="kind")
    assert len(figure.axes) == 3
    above = figure.axes[1]
    assert above.get_title() == "y"
    assert above.xaxis.get_tick_params()["labelbottom"]
    assert not figure.axes[0].xaxis.get_tick_params()["labelbottom"]


def test_a_panel_whose_cells_failed_says_so():
    failed = pd.DataFrame(
        [{"data": "two", "kind": "y", "method": "a", "metric": "", "status": "timeout"}] * 2
    )
    figure = draw(two_by_two(), failed=failed, rows="data", columns="kind")
    assert [text.get_text() for text in figure.axes[3].texts] == ["2 cells failed"]


def test_failed_cells_are_counted_in_the_panel_and_filter_that_they_belong_to():
    failed = pd.DataFrame(
        [
            {"data": data, "kind": "y", "n": n, "method": "a", "metric": "", "status": status}
            for data, n, status in [
                ("two", 1, "failed"),
                ("two", 1, "timeout"),
                ("two", 2, "failed"),
                ("two", 3, "missing"),
                ("one", 1, "failed"),
            ]
        ]
    )
    shown = {"rows": "data", "columns": "kind"}
    figure = draw(two_by_two(), failed=failed, where={"n": [1, 3]}, **shown)
    assert [text.get_text() for text in figure.axes[3].texts] == ["2 cells failed, 1 cells missing"]
    # a failure that does not say what kind it is of belongs to every kind
    unknown = failed.drop(columns="kind")
    figure = draw(two_by_two(), failed=unknown, where={"n": 2}, **shown)
    assert [text.get_text() for text in figure.axes[3].texts] == ["1 cells failed"]


def test_a_heat_map_prints_every_mean_and_chance():
    means = {("a", 1): 0.25, ("a", 2): 0.5, ("b", 1): 0.75}
    ours = pd.concat(
        [
            table([value - 0.1, value + 0.1], methods=[method], places=[place])
            for (method, place), value in means.items()
        ]
    )
    frame = pd.concat([ours, table([0.05], "chance", methods=["a", "b"], places=[1, 2])])
    figure = draw(frame, kind="heat", chance="chance", y=("precision",))
    (axes,) = figure.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["a", "b", "chance"]
    found = {text.get_position(): text.get_text() for text in axes.texts}
    assert found == {
        (0, 0): ".25", (1, 0): ".50", (0, 1): ".75", (0, 2): ".05", (1, 2): ".05"
    }  # fmt: skip
    np.testing.assert_allclose(axes.images[0].get_array().filled(np.nan)[:2, 0], [0.25, 0.75])
    assert axes.images[0].norm.vmax == 1


def test_the_panels_of_a_heat_map_have_the_same_rows():
    one = table([0.5], methods=["a", "b"], data="one")
    two = table([0.5], methods=["b"], data="two")
    figure = draw(pd.concat([one, two]), kind="heat", columns="data")
    first, second = figure.axes
    assert [tick.get_text() for tick in first.get_yticklabels()] == ["a", "b"]
    assert {text.get_position()[1] for text in second.texts} == {1}


def test_few_repetitions_make_no_box():
    frame = pd.concat([table([0.2, 0.3], methods=["a"]), table([0.2] * 4, methods=["b"])])
    with style():
        figure = draw_boxes(context_of(frame[frame["n"] == 1]), Boxes(y="precision"))
    (axes,) = figure.axes
    markers = [line.get_marker() for line in axes.lines]
    assert markers.count(".") == 2
    assert sum(len(line.get_xdata()) == 5 for line in axes.lines) == 1


DENSE = [
    ("noise", "figure"), ("connectome", "figure"), ("connectome", "by_k"), ("smerf_distances", "figure"),
    ("hyperparameters", "mtry"), ("banknote", "scores"), ("runtimes", "figure"), ("mnist", "figure"),
    ("spherelet_phase", "figure"), ("hyperparameters", "figure"), ("smerf_links", "figure"),
    ("smerf_knn", "figure"), ("smerf_variance", "figure"), ("own_tables", "figure"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "figure"), DENSE)
def test_no_words_overlap_or_leave_the_page(name, figure):
    found = drawn(name, figure, repetitions=2)
    canvas = FigureCanvasAgg(found)
    canvas.draw()
    renderer = canvas.get_renderer()
    page = found.bbox
    for axes in found.axes:
        for axis in (axes.xaxis, axes.yaxis):
            ticks = [t for t in axis.get_majorticklabels() if t.get_text() and t.get_visible()]
            boxes = [t.get_window_extent(renderer) for t in ticks]
            if not any(t.get_rotation() for t in ticks):
                assert not any(
                    a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :]
                ), [t.get_text() for t in ticks]
        text = [axes.title, axes.xaxis.label, axes.yaxis.label]
        for one in [t for t in text if t.get_text()]:
            box = one.get_window_extent(renderer)
            assert box.x0 >= 0, one
            assert box.x1 <= page.x1, one
            assert box.y1 <= page.y1 + 1, one
    panels = [axes.get_window_extent(renderer) for axes in found.axes]
    for box in (legend.get_window_extent(renderer) for legend in found.legends):
        assert box.x0 >= 0
        assert box.x1 <= page.x1
        assert box.y0 >= 0
        assert not any(box.overlaps(panel) for panel in panels)


def test_panels_stand_beside_each_other():
    figure = draw(two_by_two(), rows="data", columns="kind")
    boxes = [axes.get_position() for axes in figure.axes]
    assert len(boxes) == 3
    across, down = boxes[1].x0 - boxes[0].x1, boxes[0].y0 - boxes[2].y1
    wide, high = figure.get_size_inches()
    assert 0.05 < across * wide < 0.15
    assert down * high > 0


def test_the_panels_of_a_heat_map_stand_in_a_grid():
    names = ("first", "second", "third")
    frame = pd.concat([table([0.5], methods=["a", "b"], data=name) for name in names])
    figure = draw(frame, kind="heat", columns="data")
    boxes = [axes.get_position() for axes in figure.axes]
    assert len(boxes) == 3
    assert all(0 <= box.x0 < box.x1 <= 1 and 0 <= box.y0 < box.y1 <= 1 for box in boxes)
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
    gaps = [right.x0 - left.x0 for left, right in itertools.pairwise(boxes)]
    assert gaps[0] == pytest.approx(gaps[1])


def test_a_heat_map_of_variants_side_by_side_has_one_row_per_method():
    frame = pd.concat(
        [
            table([0.5], methods=["a", "b"]),
            table([0.4], methods=["a"]).assign(variant="as_written"),
        ]
    )
    figure = draw(frame, kind="heat", columns="variant")
    for axes in figure.axes:
        assert len(axes.get_yticks()) == 2
    assert [axes.get_title() for axes in figure.axes] == ["as written", "recommended"]


def test_a_heat_map_names_variants_that_share_a_panel():
    frame = pd.concat([table([0.5]), table([0.4]).assign(variant="as_written")])
    (axes,) = draw(frame, kind="heat").axes
    names = {tick.get_text() for tick in axes.get_yticklabels()}
    assert names == {"a (recommended)", "a (as written)"}


def test_default_lines_of_chance_are_each_metrics_own():
    parts = [
        table([level], metric)
        for metric, level in (
            ("precision", 0.9), ("recall", 0.8), ("chance", 0.3), ("recall_chance", 0.2)
        )
    ]  # fmt: skip
    frame = pd.concat(parts, ignore_index=True)
    with style():
        context = context_of(frame)
        options = curves.default(context)
        figure = curves.draw(context, options)
    assert options.y == ("precision", "recall")
    assert [list(map(list, dotted(axes))) for axes in figure.axes] == [[[0.3]], [[0.2]]]
    without = frame[frame["metric"] != "recall_chance"]
    assert curves.default(context_of(without)).chance_of("recall") is None


def test_a_published_value_is_seen_on_its_own_mean():
    ours = table([0.4, 0.5, 0.6, 0.5])
    figure = draw(ours, printed=table([0.5]))
    (axes,) = figure.axes
    rings = [one for one in axes.lines if one.get_markerfacecolor() == "none"]
    filled = [
        one for one in axes.lines if one.get_marker() not in {"None", ""} and one not in rings
    ]
    assert rings
    assert min(one.get_zorder() for one in rings) > max(one.get_zorder() for one in filled)
