"""Where the marks of figures stand: means, intervals, levels, published values, boxes, cells."""

import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from scipy import stats

from geoforest_cli.core.plot_style import style
from geoforest_cli.study.figures.axes import Axis, _power, limits_of
from geoforest_cli.study.figures.boxes import draw_boxes
from geoforest_cli.study.figures.context import NothingToDraw
from geoforest_cli.study.figures.options import Boxes, Curves
from geoforest_cli.study.figures.spread import Spread
from tests.study.report.read_back import bands, context_of, dotted, draw, lines, table, words

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
    for line in axes.lines:
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
    (line,) = (one for one in axes.lines if one.get_marker() == "None")
    found = dict(zip(line.get_xdata(), line.get_ydata(), strict=True))
    assert [found[place] for place in (0, 1, 2)] == pytest.approx([0.4, 0.1, 0.2])


def test_a_level_without_a_facet_value_is_in_every_panel():
    ours = [table([0.5], data=data) for data in ("one", "two")]
    chance = table([0.3], "chance", data=None)
    figure = draw(pd.concat([*ours, chance]), columns="data", chance="chance")
    assert [dotted(axes) for axes in figure.axes] == [[0.3], [0.3]]


def printed(method, values):
    frame = table(lambda _, n: [values[n]], methods=[method], places=list(values))
    return frame.assign(variant="as_run", source="paper: table")


def test_published_values_stand_at_the_line_of_their_method():
    frame = table(lambda name, _: [{"a": 0.5, "b": 0.6, "c": 0.7}[name]], methods=["a", "b", "c"])
    theirs = printed("b", {1: 0.61, 3: 0.59})
    (axes,) = draw(frame, printed=theirs).axes
    own, hollow = {}, []
    for line in lines(axes):
        if line.get_markerfacecolor() == "none":
            hollow.append(line)
        else:
            own[line.get_label().split()[0]] = line
    [shown] = hollow
    assert list(shown.get_ydata()) == [0.61, 0.59]
    np.testing.assert_allclose(shown.get_xdata(), own["b"].get_xdata()[[0, 2]])
    assert not np.allclose(own["a"].get_xdata(), own["b"].get_xdata())
    assert to_rgba(shown.get_color()) == to_rgba(own["b"].get_color())
    (without,) = draw(frame, printed=theirs, published=False).axes
    assert len(lines(without)) == 3


def test_lines_on_a_logarithmic_axis_are_equally_far_apart_everywhere():
    frame = table([0.5], methods=["a", "b"], places=(0.01, 1, 1000))
    (axes,) = draw(frame, scale="log").axes
    first, second = (line.get_xdata() for line in lines(axes))
    ratios = np.array(first) / np.array(second)
    np.testing.assert_allclose(ratios, ratios[0])
    assert ratios[0] != 1
    centres = np.sqrt(np.array(first) * np.array(second))
    np.testing.assert_allclose(centres, [0.01, 1, 1000])


def test_the_recommended_variant_stands_with_the_samples_as_written():
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
    for place, found in enumerate(values.values()):
        assert boxes[place] == pytest.approx(tuple(np.quantile(found, [0.25, 0.75])))
        middles = [line for line in axes.lines if line.get_linewidth() == 2.0]
        assert list(middles[place].get_ydata()) == pytest.approx([np.median(found)] * 2)
        points = next(
            line for line in axes.lines
            if line.get_marker() == "." and round(np.mean(line.get_xdata())) == place
        )  # fmt: skip
        assert sorted(points.get_ydata()) == sorted(found)


def test_a_cell_of_a_heat_map_is_the_mean_over_repetitions_however_many_rows_they_have():
    frame = repeated(np.array([[0.1, 0.3], [0.8, 0.8]]))
    frame = frame[~((frame["repetition"] == 1) & (frame["other"] == 1))]
    (axes,) = draw(frame, kind="heat").axes
    np.testing.assert_allclose(axes.images[0].get_array().filled(np.nan), [[0.5] * 3])
    assert {text.get_text() for text in axes.texts} == {".50"}


@pytest.mark.parametrize("scale", ["category", "linear", "log"])
def test_lines_stand_in_their_order_from_left_to_right(scale):
    axis = Axis((1, 10), scale, 3.0, Curves(x="k", y=("share",)))
    places = [axis.position(10, slot, 3) for slot in range(3)]
    assert places == sorted(places)
    assert places[0] < places[1] < places[2]
    assert places[1] == pytest.approx(1 if scale == "category" else 10)


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("places", [(1, 100), (10, 50, 100, 200), (1, 2, 500)])
def test_on_an_axis_of_numbers_lines_stand_within_a_marker_of_their_value(scale, places):
    methods = [f"m{i}" for i in range(12)]
    (axes,) = draw(table([0.5], methods=methods, places=places), scale=scale).axes
    gap = min(np.diff(axes.transData.transform([(place, 0.5) for place in places])[:, 0]))
    for number, place in enumerate(places):
        true = axes.transData.transform((place, 0.5))[0]
        found = [axes.transData.transform((m.get_xdata()[number], 0.5))[0] for m in lines(axes)]
        assert max(abs(np.array(found) - true)) < min(0.04 * axes.figure.dpi, 0.11 * gap)


def test_published_values_at_places_without_rows_are_left_out():
    theirs = printed("a", {1: 0.4, 2: 0.5, 7: 0.6})
    (axes,) = draw(table([0.5]), printed=theirs).axes
    (hollow,) = (line for line in lines(axes) if line.get_markerfacecolor() == "none")
    assert list(hollow.get_ydata()) == [0.4, 0.5]


@pytest.mark.parametrize(("values", "said"), [((50,), "50"), ((50, 100), "k")])
def test_a_label_names_the_only_value_of_a_parameter(values, said):
    frame = pd.concat([table([0.5], k=k) for k in values])
    figure = draw(frame, grid={"k": values}, y_label="precision at k = {k}", x_label="{k}{other}")
    assert figure.axes[0].get_ylabel() == f"precision at k = {said}"
    assert figure.texts[0].get_text() == f"{said}{{other}}"
    chosen = draw(frame, grid={"k": values}, y_label="at {k}", where={"k": 50})
    assert chosen.axes[0].get_ylabel() == "at 50"


def test_points_beyond_the_axis_are_triangles_at_its_end():
    frame = table(lambda name, n: [{"a": 0.5, "b": 10.0**-n, "c": 100.0}[name]] * 4, "rmse", "abc")
    figure = draw(frame, y_scale="log", limits=(0.01, 1))
    (axes,) = figure.axes
    marks = [line for line in axes.lines if line.get_marker() in "v^" and not line.get_clip_on()]
    found = sorted((line.get_marker(), *line.get_ydata()) for line in marks)
    assert found == [("^", 1)] * 3 + [("v", 0.01)]
    assert "beyond the axis" in words(figure)
    inside = draw(frame[frame["method"] == "a"], y_scale="log", limits=(0.01, 1))
    assert "beyond the axis" not in words(inside)


@pytest.mark.parametrize(
    ("mean", "scale", "ends"),
    [
        (-0.5, "linear", (-0.7, -0.3)), (0.5, "linear", (0.3, 0.7)), (0.0, "linear", (-0.2, 0.2)),
        (-0.5, "log", (-0.5, -0.5)), (0.0, "log", (0.0, 0.0)),
        (0.5, "log", (0.5 * math.exp(-0.4), 0.5 * math.exp(0.4))),
    ],
)  # fmt: skip
def test_an_interval_around_a_known_mean(mean, scale, ends):
    """Differences may be negative; only a logarithm needs a mean above zero."""
    found = Spread.around(mean, 0.2, scale)
    assert (found.low, found.high) == pytest.approx(ends)
    assert found.centre == mean


@pytest.mark.parametrize("half", [0.0, -1.0, math.nan])
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_mean_without_an_interval_is_a_point(half, scale):
    assert Spread.around(0.5, half, scale, (0.0, 1.0)) == Spread(0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("mean", "ends"),
    [(0.9, (0.7, 1.0)), (0.1, (0.0, 0.3)), (1.5, (1.3, 1.5)), (-0.5, (-0.5, -0.3))],
)
def test_an_interval_ends_where_the_metric_does_or_at_its_own_point(mean, ends):
    found = Spread.around(mean, 0.2, limits=(0.0, 1.0))
    assert (found.low, found.high) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("extents", "scale", "ends", "limits"),
    [
        ([], "linear", (None, None), None),
        ([(math.nan, math.inf)], "linear", (None, None), None),
        ([(-1.0, 0.0)], "log", (None, None), None),
        ([(1.0, 3.0)], "linear", (None, None), (0.88, 3.12)),
        ([(2.0, 2.0)], "linear", (None, None), (1.88, 2.12)),
        ([(-2.0, -2.0)], "linear", (None, None), (-2.12, -1.88)),
        ([(0.0, 0.0)], "linear", (None, None), (-0.06, 0.06)),
        ([(0.0, 0.2)], "linear", (0.0, 1.0), (-0.02, 1.04)),
        ([(5.9, 10.0)], "linear", (0.0, None), (0.0, 10.6)),
        ([(6.0, 10.0)], "linear", (0.0, None), (5.76, 10.24)),
        ([(0.0, 2.0), (0.5, 1.0)], "log", (0.0, None), (0.5 / 1.12, 2 * 1.12)),
        ([(1.0, 10.0**4)], "log", (0.0, 1.0), (10**-0.2, 10**4.2)),
    ],
)
def test_limits_of_an_axis_by_hand(extents, scale, ends, limits):
    found = limits_of(extents, scale, ends)
    assert found == (None if limits is None else pytest.approx(limits))


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
