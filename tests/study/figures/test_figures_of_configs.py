"""Figures of the configs as they come."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from geoforest_cli.core.plot_style import style
from geoforest_cli.study.experiment import Task
from geoforest_cli.study.figures.context import Context
from geoforest_cli.study.plan import load
from tests.study.report.read_back import (
    dotted,
    lines,
    words,
)  # fmt: skip
from tests.study.report.synthetic import drawn


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
