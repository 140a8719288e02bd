"""Points that cells yield."""

import math

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.plot_style import style
from geoforest_cli.study.figures.context import NothingToDraw
from geoforest_cli.study.figures.options import Scatter
from geoforest_cli.study.figures.scatter import draw_scatter
from tests.study.report.read_back import context_of, words

TEN = np.c_[np.arange(10.0), np.arange(10.0) ** 2]


def rows(points=TEN, method="a", repetition=0, **columns):
    """One cell that yields points, in text order of their numbers; even ones are of one group."""
    common = {**columns, "method": method, "variant": "recommended", "repetition": repetition}
    marks = [
        {
            **common, "point": float(i), "group": ("odd", "even")[i % 2 == 0], "metric": metric,
            "value": value, "status": "ok", "cell": "",
        }
        for i in sorted(range(len(points)), key=str)
        for metric, value in zip("xy", points[i], strict=True)
    ]  # fmt: skip
    score = {**common, "point": math.nan, "group": None, "metric": "score", "value": 0.5,
             "status": "ok", "cell": ""}  # fmt: skip
    return pd.DataFrame([*marks, score])


def scatter(frame, failed=None, **options):
    with style():
        return draw_scatter(context_of(frame, failed), Scatter(**options))


def drawn(axes):
    return {line.get_label(): line.get_xydata() for line in axes.lines}


def test_every_point_is_at_its_place_in_its_group():
    (axes,) = scatter(rows()).axes
    groups = drawn(axes)
    np.testing.assert_allclose(groups["even"], TEN[::2])
    np.testing.assert_allclose(groups["odd"], TEN[1::2])


def test_points_of_a_line_are_joined_in_order_of_their_numbers():
    line = np.c_[np.arange(30.0), np.zeros(30)]
    (axes,) = scatter(rows(line), lines=("even",)).axes
    joined, single = sorted(axes.lines, key=lambda line: line.get_linestyle() == "None")
    assert (joined.get_marker(), single.get_linestyle()) == ("None", "None")
    assert list(joined.get_xdata()) == list(range(0, 30, 2))


def test_every_method_has_a_panel_and_the_same_axes():
    frame = pd.concat([rows(), rows(2 * TEN, method="b"), rows(3 * TEN, method="c")])
    figure = scatter(frame, columns="method")
    assert [axes.get_title() for axes in figure.axes] == ["a", "b", "c"]
    for times, axes in enumerate(figure.axes, 1):
        np.testing.assert_allclose(drawn(axes)["even"], times * TEN[::2])
        assert axes.get_xlim() == figure.axes[0].get_xlim()
        assert axes.get_aspect() == 1
    unequal = scatter(frame, columns="method", equal=False)
    assert len({axes.get_xlim() for axes in unequal.axes}) == 3


def test_a_grid_value_makes_a_panel_or_is_filtered():
    frame = pd.concat([rows(noise=0.1), rows(2 * TEN, noise=0.5)])
    figure = scatter(frame, columns="noise", labels={"0.5": "much noise"})
    assert [axes.get_title() for axes in figure.axes] == ["0.1", "much noise"]
    (axes,) = scatter(frame, where={"noise": 0.5}).axes
    np.testing.assert_allclose(drawn(axes)["odd"], 2 * TEN[1::2])


def test_groups_have_the_order_of_their_words_and_their_looks():
    figure = scatter(rows(), labels={"odd": "not even", "even": "even"})
    assert words(figure) == ["not even", "even"]
    looks = {(line.get_color(), line.get_marker()) for line in figure.axes[0].lines}
    assert len({color for color, _ in looks}) == len({marker for _, marker in looks}) == 2


def test_of_several_repetitions_the_first_is_drawn():
    frame = pd.concat([rows(2 * TEN, repetition=1), rows(repetition=0)])
    (axes,) = scatter(frame).axes
    np.testing.assert_allclose(drawn(axes)["even"], TEN[::2])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"columns": "methods"}, "did you mean 'method'"),
        ({"where": {"group": "none"}}, "there are no rows of x"),
    ],
)
def test_what_cannot_be_drawn_says_why(options, reason):
    with pytest.raises(NothingToDraw, match=reason):
        scatter(rows(), **options)
