"""Picture of the main finding: how precision falls among noise columns, from summaries of runs."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from geoforest_cli.core.plot_style import CHANCE, style

__all__ = ["CONFIGS", "SERIES", "SETTINGS", "Trace", "drawn", "values"]

CONFIGS = ("noise", "noise_screened")
SETTINGS = {
    "linear": "Line", "helix": "Helix", "sphere": "Sphere", "gaussian_mixture": "Three Gaussians",
}  # fmt: skip
_OF_PROGRAM = "variant == 'as_run' and metric == 'precision' and k == 50"
_COLUMNS = (0, 10, 100, 1000, 10_000)
_PUBLISHED = "published"


class Trace(NamedTuple):
    """A line of the picture: its words, where its values are, and how it is drawn."""

    words: str
    config: str
    method: str
    column: str
    look: dict[str, Any]


_DASHED = {"linestyle": (0, (4, 1.6))}
SERIES = (
    Trace("Geodesic Forest as published", "noise", "gf", _PUBLISHED,
           {"color": "#56B4E9", "marker": "o", **_DASHED}),
    Trace("the same, computed here", "noise", "gf", "mean", {"color": "#0072B2", "marker": "o"}),
    Trace("Geodesic Forest behind the screen", "noise_screened", "gf_screened", "mean",
           {"color": "#D55E00", "marker": "^"}),
    Trace("Euclidean distance", "noise_screened", "euclidean", "mean",
           {"color": "#000000", "marker": "s"}),
    Trace("Euclidean distance behind the screen", "noise_screened", "euclidean_screened", "mean",
           {"color": "#000000", "marker": "s", "markerfacecolor": "white", **_DASHED}),
)  # fmt: skip


def values(summaries: Mapping[str, pd.DataFrame], series: Trace, setting: str) -> pd.Series[Any]:
    """Return precision at 50 by the number of noise columns, of the authors' program's sample.

    Parameters
    ----------
    summaries : mapping
        Each of `CONFIGS` -> its summary.
    series : Trace
    setting : str
        One of `SETTINGS`.
    """
    lines = summaries[series.config].query(_OF_PROGRAM)
    lines = lines[(lines["method"] == series.method) & (lines["manifold"] == setting)]
    if "rescale" in lines:
        lines = lines[lines["rescale"] == "none"]
    heights = lines.set_index("noise_dims")[series.column].sort_index()
    return heights[heights.index.isin(_COLUMNS)]


def drawn(summaries: Mapping[str, pd.DataFrame], dpi: int = 110) -> bytes | None:
    """Return the picture as a PNG: a panel for each setting, a line for each series.

    None where a summary has not all of its values.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    heights = {
        setting: [values(summaries, series, setting) for series in SERIES] for setting in SETTINGS
    }
    if any(line.count() < len(_COLUMNS) for lines in heights.values() for line in lines):
        return None
    with style():
        figure = Figure(figsize=(8.6, 3.3), layout="constrained")
        panels = figure.subplots(1, len(SETTINGS), sharey=True)
        for axes, (setting, title) in zip(panels, SETTINGS.items(), strict=True):
            for series, line in zip(SERIES, heights[setting], strict=True):
                axes.plot(range(len(line)), line, label=series.words, **series.look)
            axes.axhline(0.05, label="chance", **CHANCE)
            axes.set(title=title, xlabel="noise columns", ylim=(0, 1.04))
            axes.set_xticks(range(len(_COLUMNS)))
            axes.set_xticklabels(["0", "10", "100", "1000", "10,000"], fontsize=7)
        panels[0].set_ylabel("true neighbours found\n(precision at 50)")
        lines, words = panels[0].get_legend_handles_labels()
        figure.legend(lines, words, loc="outside lower center", ncols=3, frameon=False)
        buffer = io.BytesIO()
        FigureCanvasAgg(figure)
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()
