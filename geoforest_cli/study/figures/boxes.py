"""Boxplots over repetitions: one box per method."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import mark
from geoforest_cli.study.figures.context import Context, pick
from geoforest_cli.study.figures.options import Boxes, word
from geoforest_cli.study.figures.spread import MIN_REPETITIONS

__all__ = ["draw_boxes"]

_REPETITIONS_OF_SMALL_DOTS = 30  # repetitions whose dots are drawn small
_HEIGHT = 2.8  # inches


def draw_boxes(context: Context, options: Boxes) -> Figure:
    """Draw quartiles, whiskers to 1.5 times their range, and the single repetitions as dots.

    Fewer than four repetitions make no box.

    Parameters
    ----------
    context : Context
    options : Boxes

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    NothingToDraw
        If no row is left.
    """
    rows = context.metric_rows(options.y, options.where)
    panels = context.facet_values(options.columns, rows)
    figure = Figure(figsize=(options.width, _HEIGHT), layout="constrained")
    same = options.columns == "variant"
    axes: list[Any] = list(figure.subplots(1, len(panels), squeeze=False, sharey=same)[0])
    rng = np.random.default_rng(0)
    for panel, value in zip(axes, panels, strict=True):
        here = pick(rows, options.columns, value)
        present = [method for method in context.methods if (here["method"] == method).any()]
        for position, method in enumerate(present):
            values = here.loc[here["method"] == method, "value"].to_numpy(float)
            look = context.looks[method]
            line = {"color": look.color, "linewidth": 1.0}
            if len(values) >= MIN_REPETITIONS:
                panel.boxplot(
                    [values], positions=[position], widths=0.55, showfliers=False,
                    boxprops=line, whiskerprops=line, capprops=line,
                    medianprops={**line, "linewidth": 2.0},
                )  # fmt: skip
            shift = rng.uniform(-0.16, 0.16, len(values))
            many = len(values) > _REPETITIONS_OF_SMALL_DOTS
            (dots,) = panel.plot(
                position + shift, values, ".", color=look.color, zorder=1,
                alpha=0.35 if many else 0.8, markersize=3 if many else 7,
            )  # fmt: skip
            mark(dots, [f"{context.label(method)}: {value:.3g}" for value in values])
        labels = [context.label(method) for method in present]
        panel.set_xticks(
            range(len(labels)), labels, rotation=35, ha="right", rotation_mode="anchor"
        )
        panel.set_xlim(-0.6, len(labels) - 0.4)
        if value is not None:
            panel.set_title(word(value, options.labels))
    axes[0].set_ylabel(options.y_label or options.y.replace("_", " "))
    return figure
