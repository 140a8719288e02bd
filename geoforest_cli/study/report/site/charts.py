"""Charts to point at, where a run has a figure of lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.figures.context import NothingToDraw
from geoforest_cli.study.figures.numbers import json_text
from geoforest_cli.study.figures.options import Curves
from geoforest_cli.study.report.site.chart_data import ChartData
from geoforest_cli.study.report.site.chart_parts import plain_text
from geoforest_cli.study.report.site.runs import Run

__all__ = ["Chart", "chart", "figure_section"]

_PANEL, _MEAN, _LOW, _PUBLISHED = 0, 4, 5, 8  # places in a point


@dataclass(frozen=True)
class Chart:
    """A figure of lines as data.

    Attributes
    ----------
    data : dict
        What the script draws: see `ChartData`.
    csv : str
        Lines of ``summary.csv``: those of the points.
    averaged : list of str
        Grid columns that are selected here, and averaged over in the figure of the run.
    lacks_published : bool
        Whether published values are in the figure of the run alone.
    """

    data: Mapping[str, Any]
    csv: str
    averaged: Sequence[str]
    lacks_published: bool = False

    @property
    def dashes(self) -> dict[str, str]:
        """Dashes -> the variants drawn with them; empty where all are drawn alike."""
        found: dict[str, list[str]] = {}
        for variant in self.data["variants"]:
            found.setdefault(variant["dash"], []).append(variant["label"])
        return (
            {dash: " / ".join(labels) for dash, labels in found.items()} if len(found) > 1 else {}
        )

    @property
    def joined(self) -> bool:
        """Whether lines join points: not along names, unless dashes tell variants apart."""
        return bool(self.data["x"]["numeric"] or self.dashes)

    @property
    def notes(self) -> list[str]:
        """What readers have to know of means and axes."""
        found = []
        metrics = self.data["metrics"]
        if any(metric["log"] for metric in metrics):
            found.append("Means are arithmetic; the figure of the run has geometric ones.")
        if any(map(self._beyond, self.data["points"])):
            found.append("Values beyond an axis are drawn at its edge.")
        if self.averaged:
            words = ", ".join(self.averaged)
            found.append(f"The figure of the run averages over {words}; one is selected here.")
        if self.lacks_published:
            found.append("The figure of the run has the published values too.")
        return found

    def _beyond(self, point: Sequence[Any]) -> bool:
        metric = self.data["metrics"][self.data["panels"][point[_PANEL]]["metric"]]
        axes = (axis for axis in (metric["linear"], metric["logarithmic"]) if axis)
        return any(not axis["low"] <= point[_MEAN] <= axis["high"] for axis in axes)

    @property
    def selected(self) -> str:
        """What is selected at first, in words."""
        chosen = (one["options"][one["start"]] for one in self.data["choices"] if one["start"] >= 0)
        return ", ".join(chosen)

    @property
    def with_intervals(self) -> bool:
        """Whether a point has an interval."""
        return any(point[_LOW] is not None for point in self.data["points"])

    @property
    def with_published(self) -> bool:
        """Whether a point has a published value."""
        return any(point[_PUBLISHED] is not None for point in self.data["points"])

    @property
    def json(self) -> str:
        """The data as JSON that no script element ends in."""
        return json_text(self.data, separators=(",", ":")).replace("<", "\\u003c")


def figure_section(name: str, config: Config) -> Mapping[str, Any]:
    """Return what a config says of the figure of a name, ``figure_NAME`` for further ones."""
    return config.more_figures.get(name.removeprefix("figure_"), config.figure)


def chart(run: Run, name: str) -> Chart | None:
    """Return the chart of a figure.

    Parameters
    ----------
    run : Run
    name : str
        Of the figure, as in ``run.figures``.

    Returns
    -------
    Chart or None
        None where the figure has no lines (a heat map, boxes, ranks, a picture), or the summary
        has nothing of it.
    """
    if run.config is None or run.lines.empty:
        return None
    try:
        options = Curves.model_validate(figure_section(name, run.config))
        data = ChartData(run.lines, run.config, options)
    except (ValidationError, NothingToDraw):
        return None
    averaged = [plain_text(options.word(name)) for name in data.extra]
    return Chart(data.content(), data.csv(), averaged, data.lacks_published)
