"""Lines for the values of a grid column."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from geoforest_cli.study.figures.context import NothingToDraw
from geoforest_cli.study.figures.options import Curves
from tests.study.report.read_back import draw, lines, table, words

DEPTHS = (30, 4, 100)


def rows(metric="precision"):
    """Two methods; the value is that of the depth, plus one for the method that is not drawn."""

    def at(depth):
        def values(name, n):
            return [0.001 * depth + 0.01 * n + (name == "b")] * 4

        return table(values, metric, ["a", "b"]).assign(depth=depth)

    parts = [at(depth) for depth in DEPTHS]
    return pd.concat(parts, ignore_index=True)


def by_depth(frame, **options):
    chosen = {"lines": "depth", "where": {"method": "a"}, "scale": "linear"} | options
    return draw(frame, grid={"depth": (4, 30, 100)}, **chosen)


def test_every_value_is_a_line_in_the_order_of_the_grid():
    figure = by_depth(rows())
    (axes,) = figure.axes
    found = {line.get_label().split()[0]: line.get_ydata() for line in lines(axes)}
    assert set(found) == {"4", "30", "100"}
    for depth in DEPTHS:
        np.testing.assert_allclose(found[str(depth)], [0.001 * depth + 0.01 * n for n in (1, 2, 3)])
    assert words(figure)[:3] == ["depth = 4", "depth = 30", "depth = 100"]


def test_lines_grow_lighter_and_have_markers_of_their_own():
    (axes,) = by_depth(rows()).axes
    looks = {int(line.get_label().split()[0]): line for line in lines(axes)}
    light = [sum(to_rgba(looks[depth].get_color())[:3]) for depth in (4, 30, 100)]
    assert light == sorted(light)
    assert len({line.get_marker() for line in looks.values()}) == 3


def test_published_values_have_the_look_of_their_value():
    printed = table([0.5], methods=["a"]).assign(variant="as_run", source="paper: x", depth=30)
    chosen = {"lines": "depth", "where": {"method": "a"}, "grid": {"depth": (4, 30, 100)}}
    (axes,) = draw(rows(), printed=printed, **chosen).axes
    (hollow,) = (line for line in lines(axes) if line.get_markerfacecolor() == "none")
    (own,) = (line for line in lines(axes) if line.get_label() == "30 recommended")
    assert hollow.get_color() == own.get_color()
    assert list(hollow.get_ydata()) == [0.5] * 3


@pytest.mark.parametrize("where", [{}, {"method": ["a", "b"]}])
def test_lines_are_of_one_method(where):
    with pytest.raises(ValueError, match="lines: depth draws one method, and where says none"):
        Curves(x="n", y=("precision",), lines="depth", where=where)


def test_a_column_without_values_is_reported():
    with pytest.raises(NothingToDraw, match="no rows with a value of width"):
        draw(rows(), lines="width", where={"method": "a"})
