"""Content of figures, read from their artists."""

import math

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.study.report.read_back import bands, bars, dots, draw, lines, table, words

mpl.use("Agg")


def test_two_repetitions_are_dots_without_a_band():
    (axes,) = draw(table([0.2, 0.9])).axes
    assert not bands(axes)
    assert not bars(axes)
    (points,) = dots(axes)
    assert sorted(points.get_ydata()) == [0.2] * 3 + [0.9] * 3
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
    keys = [key for box in reversed(axes.figure.legends) for key in box.legend_handles]
    assert all(key.get_linewidth() == 0 for key in keys[:2])


def test_a_method_with_fewer_repetitions_has_dots_there():
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


def test_intervals_on_a_logarithmic_axis_are_of_the_logarithms():
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


def test_a_value_without_a_logarithm_leaves_mean_and_dots():
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
