"""Where the marks of figures stand: means, intervals, levels, published values, boxes, cells."""

import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import stats

from geoforest_cli.core.plot_style import style
from geoforest_cli.study.figures.axes import _power, format_value_axis, limits_of
from geoforest_cli.study.figures.boxes import draw_boxes
from geoforest_cli.study.figures.context import NothingToDraw
from geoforest_cli.study.figures.options import Boxes
from tests.study.report.read_back import bands, context_of, draw, levels, lines, published, table

# four repetitions of a metric at three values of a column that is not drawn: mean is not median
REPETITIONS = np.array([[0.1, 0.2, 0.6], [0.2, 0.3, 0.7], [0.1, 0.1, 0.1], [0.3, 0.6, 0.6]])


def repeated(values=REPETITIONS, **columns):
    """Rows with the values of a column beside the axis."""
    parts = [table(list(column), other=j, **columns) for j, column in enumerate(values.T)]
    return pd.concat(parts, ignore_index=True)


def test_what_is_not_drawn_is_averaged_within_each_repetition():
    (axes,) = draw(repeated()).axes
    means = REPETITIONS.mean(axis=1)
    np.testing.assert_allclose(lines(axes)[0].get_ydata(), means.mean())
    low, high = stats.t.interval(0.95, 3, means.mean(), stats.sem(means))
    ends = bands(axes)[0].get_paths()[0].get_extents()
    assert (ends.y0, ends.y1) == pytest.approx((low, high))


@pytest.mark.parametrize("kind", ["lines", "heat"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_nothing_to_draw(kind, value):
    with pytest.raises(NothingToDraw, match="no finite value of precision"):
        draw(table([value] * 3), kind=kind)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_line_runs_along_an_axis_of_numbers_by_size(scale):
    levels = {7: 0.3, 17: 0.1, 97: 0.4}
    frame = table(lambda _, n: [levels[n]] * 4, places=(17, 97, 7))
    chance = frame.assign(metric="chance")
    figure = draw(pd.concat([frame, chance]), grid={"n": (17, 7)}, scale=scale, chance="chance")
    (axes,) = figure.axes
    for line in filter(Line2D.get_clip_on, axes.lines):
        np.testing.assert_allclose(line.get_xdata(), list(levels), rtol=0.1)
        assert list(line.get_ydata()) == pytest.approx(list(levels.values()))


def test_a_line_runs_along_categories_in_the_configs_order():
    levels = {17: 0.3, 7: 0.1, 97: 0.4}
    frame = table(lambda _, n: [levels[n]] * 4, places=(97, 7, 17))
    (axes,) = draw(frame, grid={"n": (17, 7)}, scale="category").axes
    (line,) = lines(axes)
    assert list(line.get_xdata()) == [0, 1, 2]
    assert list(line.get_ydata()) == pytest.approx(list(levels.values()))
    assert [text.get_text() for text in axes.get_xticklabels()] == ["17", "7", "97"]


def test_chance_stands_at_its_own_values_of_the_axis():
    ours = table([0.5])
    chance = table(lambda _, n: [{1: 0.1, 2: 0.2, 3: 0.4}[n]] * 2, "chance")
    figure = draw(pd.concat([ours, chance]), grid={"n": (3, 1, 2)}, chance="chance")
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["3", "1", "2"]
    (line,) = (artist for artist in axes.lines if artist.get_marker() == "None")
    levels = dict(zip(line.get_xdata(), line.get_ydata(), strict=True))
    assert [levels[x] for x in (0, 1, 2)] == pytest.approx([0.4, 0.1, 0.2])


def test_a_level_without_a_facet_value_is_in_every_panel():
    ours = [table([0.5], data=data) for data in ("one", "two")]
    chance = table([0.3], "chance", data=None)
    figure = draw(pd.concat([*ours, chance]), columns="data", chance="chance")
    assert [levels(axes) for axes in figure.axes] == [[0.3], [0.3]]


def printed(method, values):
    frame = table(lambda _, n: [values[n]], methods=[method], places=list(values))
    return frame.assign(variant="as_run", source="paper: table")


def test_the_recommended_variant_stands_with_samples_as_written():
    frame = pd.concat(
        [
            table([value]).assign(variant=variant)
            for variant, value in (("as_run", 0.1), ("as_written", 0.2), ("recommended", 0.3))
        ]
    )
    figure = draw(frame, columns="sample")
    shown = {
        axes.get_title(): sorted(line.get_ydata()[0] for line in lines(axes))
        for axes in figure.axes
    }
    assert shown == {"sample as written": [0.2, 0.3], "sample as run": [0.1]}


def test_boxes_are_quartiles_of_their_method():
    values = {"a": [0.1, 0.2, 0.3, 0.5, 0.9], "b": [0.6, 0.6, 0.7, 0.8, 0.8]}
    frame = table(lambda name, _: values[name], methods=["a", "b"], places=(1,))
    with style():
        (axes,) = draw_boxes(context_of(frame), Boxes(y="precision")).axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["a", "b"]
    boxes = {
        round(float(np.mean(line.get_xdata()[:4]))): (min(line.get_ydata()), max(line.get_ydata()))
        for line in axes.lines
        if len(line.get_xdata()) == 5 and line.get_marker() != "."
    }
    for position, group in enumerate(values.values()):
        assert boxes[position] == pytest.approx(tuple(np.quantile(group, [0.25, 0.75])))
        middles = [line for line in axes.lines if line.get_linewidth() == 2.0]
        assert list(middles[position].get_ydata()) == pytest.approx([np.median(group)] * 2)
        points = next(
            line for line in axes.lines
            if line.get_marker() == "." and round(np.mean(line.get_xdata())) == position
        )  # fmt: skip
        assert sorted(points.get_ydata()) == sorted(group)


def test_a_cell_of_a_heat_map_is_the_mean_over_repetitions():
    frame = repeated(np.array([[0.1, 0.3], [0.8, 0.8]]))
    frame = frame[~((frame["repetition"] == 1) & (frame["other"] == 1))]
    (axes,) = draw(frame, kind="heat").axes
    np.testing.assert_allclose(axes.images[0].get_array().filled(np.nan), [[0.5] * 3])
    assert {text.get_text() for text in axes.texts} == {".50"}


def test_published_values_at_places_without_rows_are_left_out():
    theirs = printed("a", {1: 0.4, 2: 0.5, 7: 0.6})
    (axes,) = draw(table([0.5]), printed=theirs).axes
    (hollow,) = published(axes)
    assert list(hollow.get_ydata()) == [0.4, 0.5]


@pytest.mark.parametrize(("values", "said"), [((50,), "50"), ((50, 100), "k")])
def test_a_label_names_the_only_value_of_a_parameter(values, said):
    frame = pd.concat([table([0.5], k=k) for k in values])
    figure = draw(frame, grid={"k": values}, y_label="precision at k = {k}", x_label="{k}{other}")
    assert figure.axes[0].get_ylabel() == f"precision at k = {said}"
    assert figure.axes[0].get_xlabel() == f"{said}{{other}}"
    labelled = draw(frame, grid={"k": values}, y_label="at {k}", where={"k": 50})
    assert labelled.axes[0].get_ylabel() == "at 50"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.001, "0.001"), (0.0005, r"$5\cdot10^{-4}$"), (1e-4, "$10^{-4}$"), (9999.0, "9999"),
        (10_000.0, "$10^{4}$"), (3e5, r"$3\cdot10^{5}$"), (1.0, "1"),
        (1.5e-9, r"$1.5\cdot10^{-9}$"),
    ],
)  # fmt: skip
def test_words_of_a_logarithmic_axis(value, said):
    assert _power(value) == said


def places(line, axes):
    """Inches of a line's points from the left."""
    return line.get_transform().transform(line.get_xydata())[:, 0] / axes.figure.dpi


def test_published_values_stand_at_the_line_of_their_method():
    frame = table(lambda name, _: [{"a": 0.5, "b": 0.6, "c": 0.7}[name]], methods=["a", "b", "c"])
    theirs = printed("b", {1: 0.61, 3: 0.59})
    (axes,) = draw(frame, printed=theirs).axes
    (hollow,) = published(axes)
    ours = {line.get_label()[0]: line for line in lines(axes)}
    assert list(hollow.get_ydata()) == [0.61, 0.59]
    np.testing.assert_allclose(places(hollow, axes), places(ours["b"], axes)[[0, 2]])
    assert to_rgba(hollow.get_color()) == to_rgba(ours["b"].get_color())
    (without,) = draw(frame, printed=theirs, published=False).axes
    assert not published(without)


@pytest.mark.parametrize("scale", ["category", "linear", "log"])
def test_lines_stand_beside_each_other_near_their_value(scale):
    methods = [f"m{i:02}" for i in range(12)]
    (axes,) = draw(table([0.5], methods=methods, places=(1, 10, 100)), scale=scale).axes
    by_name = {line.get_label(): places(line, axes)[1] for line in lines(axes)}
    ordered = [by_name[name] for name in sorted(by_name)]
    assert (np.diff(ordered) > 0.005).all()
    assert ordered[-1] - ordered[0] < 0.13


@pytest.mark.parametrize(
    ("extents", "scale", "ends", "limits"),
    [
        ([], "linear", (None, None), None),
        ([(math.nan, math.inf)], "linear", (None, None), None),
        ([(-1.0, 0.0)], "log", (None, None), None),
        ([(1.0, 3.0)], "linear", (None, None), (0.94, 3.1)),
        ([(2.0, 2.0)], "linear", (None, None), (1.94, 2.1)),
        ([(0.1, 0.8)], "linear", (0.0, 1.0), (-0.03, 1.05)),
        ([(0.0, 0.2)], "linear", (0.0, 1.0), (-0.006, 0.21)),
        ([(0.8, 0.9)], "linear", (0.0, 1.0), (0.797, 0.905)),
        ([(2.0, 10.0)], "linear", (0.0, None), (-0.3, 10.5)),
        ([(0.0, 2.0), (0.5, 1.0)], "log", (0.0, None), (0.5 / 1.12, 2 * 1.12)),
    ],
)
def test_an_axis_shows_all_of_a_metric_unless_a_quarter_is_empty(extents, scale, ends, limits):
    shown = limits_of(extents, scale, ends)
    assert shown == (None if limits is None else pytest.approx(limits))


@pytest.mark.parametrize(
    ("limits", "ticks"),
    [
        ((0.05, 0.7), [0.05, 0.1, 0.2, 0.5]),
        ((0.03, 3.1), [0.03, 0.1, 0.3, 1, 3]),
        ((3e-5, 7e3), [1e-4, 1e-2, 1, 100]),
    ],
)
def test_logarithmic_axes_have_round_ticks(limits, ticks):
    axes = Figure().subplots()
    format_value_axis(axes, "log", limits)
    shown = [tick for tick in axes.get_yticks() if limits[0] <= tick <= limits[1]]
    np.testing.assert_allclose(shown, ticks)
