"""Rows by hand, and what figures of them show, read from their artists."""

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba

from geoforest_cli.core.plot_style import CHANCE, style
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.figures import curves
from geoforest_cli.study.figures.context import Context
from geoforest_cli.study.figures.options import Curves


def table(values, metric="precision", methods=("a",), places=(1, 2, 3), **columns):
    """The same repetitions at every place: `values`, or a function of method and place."""
    return pd.DataFrame(
        [
            {
                "n": position, **columns, "method": method, "variant": "recommended",
                "repetition": r, "metric": metric, "value": value, "status": "ok", "cell": "",
            }
            for method in methods
            for position in places
            for r, value in enumerate(values(method, position) if callable(values) else values)
        ]
    )  # fmt: skip


def context_of(frame, failed=None, printed=None, **grid):
    config = Config.model_construct(methods={}, grid=grid, title="", published=())
    lost = pd.DataFrame() if failed is None else failed
    theirs = frame.iloc[:0] if printed is None else printed
    return Context(frame, theirs, config, failed=lost)


def draw(frame, failed=None, printed=None, grid=None, **options):
    with style():
        settings = Curves(**{"x": "n", "y": (frame["metric"].iloc[0],), "chance": None} | options)
        return curves.draw(context_of(frame, failed, printed, **(grid or {})), settings)


def bands(axes):
    return [artist for artist in axes.collections if isinstance(artist, PolyCollection)]


def bars(axes):
    return [artist for artist in axes.collections if isinstance(artist, LineCollection)]


def dots(axes):
    return [
        artist for artist in axes.lines
        if artist.get_linestyle() == "None" and artist.get_markerfacecolor() != "none"
    ]  # fmt: skip


def published(axes):
    return [artist for artist in axes.lines if artist.get_markerfacecolor() == "none"]


def lines(axes):
    return [
        artist for artist in axes.lines
        if artist.get_linestyle() != "None" and artist.get_marker() != "None" and artist.get_clip_on()
    ]  # fmt: skip


def levels(axes):
    """Levels of the grey lines without markers."""
    grey = to_rgba(CHANCE["color"])
    return [
        np.unique(np.round(artist.get_ydata(), 12))
        for artist in axes.lines
        if to_rgba(artist.get_color()) == grey and artist.get_marker() == "None"
    ]


def names(axes):
    """The words at the ends of lines."""
    return [text.get_text() for text in axes.texts]


def words(figure):
    return [text.get_text() for box in reversed(figure.legends) for text in box.get_texts()]
