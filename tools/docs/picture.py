"""The README's picture: how precision falls among noise columns, from the rows of the reference."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.plot_style import CHANCE, style

__all__ = ["SERIES", "Series", "drawn", "values"]

SETTINGS = {
    "linear": "Line",
    "helix": "Helix",
    "sphere": "Sphere",
    "gaussian_mixture": "Three Gaussians",
}
_COLUMNS = ("0", "10", "100", "1000", "10,000")
_PUBLISHED = "published"


class Series(NamedTuple):
    """A line of the picture: its words, where its values are, and how it is drawn."""

    words: str
    config: str
    method: str
    column: str
    look: dict[str, Any]


_DASHED = {"linestyle": (0, (4, 1.6))}
SERIES = (
    Series("Geodesic Forest as published", "noise", "gf", _PUBLISHED,
           {"color": "#56B4E9", "marker": "o", **_DASHED}),
    Series("the same, computed here", "noise", "gf", "mean", {"color": "#0072B2", "marker": "o"}),
    Series("Geodesic Forest behind the screen", "noise_screened", "gf_screened", "mean",
           {"color": "#D55E00", "marker": "^"}),
    Series("Euclidean distance", "noise_screened", "euclidean", "mean",
           {"color": "#000000", "marker": "s"}),
    Series("Euclidean distance behind the screen", "noise_screened", "euclidean_screened", "mean",
           {"color": "#000000", "marker": "s", "markerfacecolor": "white", **_DASHED}),
)  # fmt: skip


def values(reference: Path, series: Series, setting: str) -> pd.Series[Any]:
    """Return precision at 50 by the number of noise columns, of the authors' program's sample.

    Raises
    ------
    UserError
        If the reference has no such outcome.
    """
    path = reference / series.config / "summary.csv"
    if not path.is_file():
        raise UserError(f"{path} is not there: run {series.config}, then geoforest reference write")
    lines = pd.read_csv(path)
    selection = lines[
        (lines["method"] == series.method)
        & (lines["variant"] == "as_run")
        & (lines["metric"] == "precision")
        & (lines["manifold"] == setting)
        & (lines["k"] == 50)
    ]
    if "rescale" in selection:
        selection = selection[selection["rescale"] == "none"]
    selection = selection[selection["noise_dims"].isin([int(n.replace(",", "")) for n in _COLUMNS])]
    return selection.set_index("noise_dims")[series.column].sort_index()


def drawn(reference: Path) -> bytes:
    """Return the picture as a PNG: a panel for each setting, a line for each series."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with style():
        figure = Figure(figsize=(8.6, 3.3), layout="constrained")
        panels = figure.subplots(1, len(SETTINGS), sharey=True)
        for axes, (setting, title) in zip(panels, SETTINGS.items(), strict=True):
            for series in SERIES:
                heights = values(reference, series, setting)
                axes.plot(range(len(heights)), heights, label=series.words, **series.look)
            axes.axhline(0.05, label="chance", **CHANCE)
            axes.set(title=title, xlabel="noise columns", ylim=(0, 1.04))
            axes.set_xticks(range(len(_COLUMNS)))
            axes.set_xticklabels(_COLUMNS, fontsize=7)
        panels[0].set_ylabel("true neighbours found\n(precision at 50)")
        lines, words = panels[0].get_legend_handles_labels()
        figure.legend(lines, words, loc="outside lower center", ncols=3, frameon=False)
        buffer = io.BytesIO()
        FigureCanvasAgg(figure)
        figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()
