"""Figures of the configs as they come."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.plot_style import style
from geoforest_cli.study.experiment import Task
from geoforest_cli.study.figures.context import Context
from geoforest_cli.study.plan import load
from tests.study.report.read_back import levels, lines, words
from tests.study.report.synthetic import drawn

pytestmark = pytest.mark.nightly


def test_every_metric_of_the_connectome_has_its_own_chance():
    def change(frame):
        by_k = frame["metric"] == "recall_chance"
        return frame.assign(value=frame["value"].where(~by_k, frame["k"] / 212))

    figure = drawn("connectome", change=change, repetitions=4, chance=0.33)
    precision, recall = figure.axes[:2]
    assert levels(precision) == [0.33]
    (by_k,) = levels(recall)
    np.testing.assert_allclose(by_k, np.array([50, 70, 90, 100, 110, 130, 150, 200]) / 212)
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
    rows = experiment.run_cell(Task(params, "euclidean", {}, variant, 0, *seeds))
    chance = {row.metric: row.value for row in rows}["recall_chance"]
    relevant = 30 if variant == "as_run" else 29
    drawn_at_random = [
        np.count_nonzero(rng.permutation(89)[:20] < 29) / relevant for _ in range(4000)
    ]
    assert chance == pytest.approx(np.mean(drawn_at_random), abs=0.01)
    assert chance == pytest.approx(20 / 89 * 29 / relevant)


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
        assert [list(level) for level in levels(axes)] == [[0.0]]


def test_links_have_the_line_of_chance_and_a_style_per_variant():
    figure = drawn("smerf_links", repetitions=4, link_share=0.07)
    roc, precision = figure.axes[:3], figure.axes[3:]
    assert all(levels(axes) == [0.5] for axes in roc)
    assert all(levels(axes) == [0.07] for axes in precision)
    styles = {}
    for line in lines(roc[0]):
        dashes = np.divide(line._dash_pattern[1] or (), line.get_linewidth())
        styles.setdefault(line.get_label().split(", ")[1], set()).add(str(dashes.round(6)))
    assert set(styles) == {"as_written", "as_run", "recommended"}
    assert len({pattern for patterns in styles.values() for pattern in patterns}) == 3
    assert {"as written", "as run", "recommended"} <= set(words(figure))


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
    slopes = [np.diff(np.log(g.get_ydata()))[0] / np.diff(np.log(g.get_xdata()))[0] for g in guides]
    np.testing.assert_allclose(slopes, [3, 4])


def test_the_examples_of_the_impulse_show_it():
    panels = drawn("impulse", "examples", "smoke", repetitions=1).axes
    flat, raised = panels[0].lines[-1].get_ydata(), panels[-1].lines[-1].get_ydata()
    assert np.abs(flat).max() < 0.15
    assert raised[20] == pytest.approx(1, abs=0.15)
    assert np.abs(raised[:20]).max() < 0.15
    assert panels[-1].lines[-1].get_linewidth() > panels[-1].lines[0].get_linewidth()
