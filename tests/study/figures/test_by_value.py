"""Lines for the values of a grid column."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from geoforest_cli.study.figures.context import NothingToDraw
from geoforest_cli.study.figures.options import Curves
from tests.study.report.read_back import draw, lines, names, published, table

DEPTHS = (30, 4, 100)
GRID = {"depth": (4, 30, 100)}


def rows():
    """Two methods; the value is that of the depth, plus one for the method that is not drawn."""

    def at(depth):
        def values(name, n):
            return [0.001 * depth + 0.01 * n + (name == "b")] * 4

        return table(values, "precision", ["a", "b"]).assign(depth=depth)

    return pd.concat([at(depth) for depth in DEPTHS], ignore_index=True)


def test_every_value_is_a_line_in_order_from_dark_to_light():
    printed = table([0.5], methods=["a"]).assign(variant="as_run", source="paper: x", depth=30)
    figure = draw(rows(), printed=printed, grid=GRID, lines="depth", where={"method": "a"})
    (axes,) = figure.axes
    by_depth = {line.get_label().split(",")[0]: line for line in lines(axes)}
    assert sorted(names(axes)) == sorted(by_depth) == ["depth = 100", "depth = 30", "depth = 4"]
    for depth in DEPTHS:
        levels = [0.001 * depth + 0.01 * n for n in (1, 2, 3)]
        np.testing.assert_allclose(by_depth[f"depth = {depth}"].get_ydata(), levels)
    ordered = [by_depth[f"depth = {depth}"] for depth in GRID["depth"]]
    light = [sum(to_rgba(line.get_color())[:3]) for line in ordered]
    assert light == sorted(light)
    assert len({line.get_marker() for line in ordered}) == 3
    (hollow,) = published(axes)
    assert hollow.get_color() == by_depth["depth = 30"].get_color()


@pytest.mark.parametrize("where", [{}, {"method": ["a", "b"]}])
def test_lines_are_of_one_method(where):
    with pytest.raises(ValueError, match="lines: depth draws one method, and where says none"):
        Curves(x="n", y=("precision",), lines="depth", where=where)


def test_a_column_without_values_is_reported():
    with pytest.raises(NothingToDraw, match="no rows with a value of width"):
        draw(rows(), lines="width", where={"method": "a"})
