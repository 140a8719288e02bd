"""The picture of groups of columns: the z of all pairs of kept columns, by group."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from geoforest_cli.core.escaping import without_middle
from geoforest_cli.core.plot_style import VERMILION
from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.screens import PairMatrix

__all__ = ["add_matrix", "matrix_height"]

_CELL, _LEAST, _MOST = 0.165, 1.3, 4.2  # inches: of a named column, of a side
_NAMED = 25  # columns: more have no room for their names
_LEFT, _FOOT, _HEAD = 1.9, 0.62, 0.55  # inches
_LEFT_UNNAMED = 0.9
_COLORS, _OWN = "Blues", "#D0D0D0"  # light to dark, so that no kind of sight mixes them up
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_LONG_NAME = 24


def matrix_height(ranking: ColumnRanking) -> float:
    """Return the height in inches that `add_matrix` needs; 0 where there are no pairs."""
    return 0.0 if _size(ranking) < 2 else _side(_size(ranking)) + _FOOT + _HEAD


def _size(ranking: ColumnRanking) -> int:
    return 0 if ranking.matrix is None else len(ranking.matrix.columns)


def _side(count: int) -> float:
    return float(np.clip(_CELL * count, _LEAST, _MOST))


def add_matrix(figure: Figure, ranking: ColumnRanking) -> None:
    """Draw the z of the pairs of kept columns at the foot of a figure.

    Rows and columns are in the order of the groups, each of which is framed. Up to 25 columns have
    names, of more only the groups have numbers.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Its lowest `matrix_height` inches are free.
    ranking : ColumnRanking
        With at least two kept columns.
    """
    matrix = ranking.matrix
    assert matrix is not None
    width, height = figure.get_size_inches()
    side = _side(len(matrix.columns))
    left = _LEFT if len(matrix.columns) <= _NAMED else _LEFT_UNNAMED
    axes = figure.add_axes((left / width, _FOOT / height, side / width, side / height))
    bar = figure.add_axes(
        ((left + side + 0.2) / width, _FOOT / height, 0.13 / width, side / height)
    )
    scores = np.where(np.eye(len(matrix.columns), dtype=bool), np.nan, np.maximum(matrix.scores, 1))
    top = max(2 * matrix.limit, float(matrix.scores.max()))
    image = axes.imshow(scores, cmap=_COLORS, norm=LogNorm(1.0, top), interpolation="nearest")
    axes.set_facecolor(_OWN)
    axes.grid(visible=False)
    _frame(axes, ranking.groups[matrix.columns])
    _name(axes, ranking, matrix)
    figure.colorbar(image, cax=bar)
    ticks = [tick for tick in _TICKS if tick <= top and abs(np.log(tick / matrix.limit)) > 0.3]
    bar.yaxis.set_major_locator(FixedLocator([*ticks, matrix.limit]))
    bar.yaxis.set_minor_locator(NullLocator())
    bar.yaxis.set_major_formatter(StrMethodFormatter("{x:.3g}"))
    bar.axhline(matrix.limit, color=VERMILION, linewidth=1.2)
    bar.set_xlabel("z")
    shown, kept = len(matrix.columns), int(ranking.kept.sum())
    which = f"the first {shown} of {kept}" if shown < kept else f"all {kept}"
    caption = (
        f"z of pairs of {which} kept columns, by group (framed);\n"
        f"from {matrix.limit:.3g} on (line) two columns depend on each other"
    )
    figure.text(
        left / width, (_FOOT + side + 0.12) / height, caption, ha="left", va="bottom", fontsize=7.5
    )


def _frame(axes: Axes, groups: npt.NDArray[np.int64]) -> None:
    """Frame the pairs of each group, and write its number below where there is room."""
    numbers, first, sizes = np.unique(groups, return_index=True, return_counts=True)
    places, last = [], -np.inf
    apart = 0.022 * len(groups)
    for number, start, size in zip(numbers, first, sizes, strict=True):
        axes.add_patch(
            Rectangle(
                (start - 0.5, start - 0.5), size, size,
                fill=False, edgecolor=VERMILION, linewidth=1.1, clip_on=False,
            )
        )  # fmt: skip
        middle = start + (size - 1) / 2
        if middle - last >= apart:
            places.append((middle, str(number)))
            last = middle
    axes.set_xticks([place for place, _ in places], [text for _, text in places])
    axes.set_xlabel("group")
    axes.tick_params(length=0)


def _name(axes: Axes, ranking: ColumnRanking, matrix: PairMatrix) -> None:
    if len(matrix.columns) > _NAMED:
        axes.set_yticks([])
        axes.set_ylabel("columns of the groups")
        return
    names = [without_middle(ranking.names[number], _LONG_NAME) for number in matrix.columns]
    axes.set_yticks(np.arange(len(names)), names, parse_math=False, fontsize=7)
