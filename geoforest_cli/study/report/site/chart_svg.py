"""A chart without its script: an SVG of what it shows first, in the colours of the page."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

__all__ = ["static_svg"]

_WIDTH, _HEIGHT = 280.0, 230.0  # of a panel
_LEFT, _RIGHT, _TOP, _BOTTOM = 42.0, 10.0, 46.0, 34.0
_LETTER, _LINE = 6.2, 13.0
_PANEL, _X, _METHOD, _VARIANT, _MEAN, _LOW, _HIGH, _N, _PUBLISHED, _PICKS = range(10)
_RING = "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"


def static_svg(data: Mapping[str, Any], words: str) -> Markup:
    """Return a chart as it is before anything was chosen.

    Parameters
    ----------
    data : mapping
        Of a `Chart`.
    words : str
        What it shows, for those who do not see it.

    Returns
    -------
    Markup
        An ``svg`` element. Its classes take their colours from the style sheet of the page.
    """
    shown = [number for number, _ in enumerate(data["panels"]) if _lines(data, number)]
    across = min(data["across"], len(shown))
    each = _HEIGHT + _LINE * (len(_axis_lines(data)) - 1)
    width, height = across * _WIDTH, math.ceil(len(shown) / across) * each
    panels = Markup("").join(
        Markup('<g transform="translate({:g} {:g})">{}</g>').format(
            place % across * _WIDTH, place // across * each, _panel(data, number)
        )
        for place, number in enumerate(shown)
    )
    return Markup(
        '<svg class="static" role="img" aria-label="{}" viewBox="0 0 {:g} {:g}" width="{:g}" '
        'height="{:g}">{}</svg>'
    ).format(words, width, height, width, height, panels)


def _lines(data: Mapping[str, Any], panel: int) -> dict[tuple[int, int], list[Any]]:
    """Points of a panel by method and variant, those that are drawn on top last."""
    found: dict[tuple[int, int], list[Any]] = {}
    for point in data["points"]:
        if point[_PANEL] == panel and _chosen(data, point[_PICKS:]):
            found.setdefault((point[_METHOD], point[_VARIANT]), []).append(point)
    methods = data["methods"]
    ranked = sorted(found.items(), key=lambda item: (methods[item[0][0]]["order"], -item[0][0]))
    return {key: sorted(points, key=lambda point: point[_X]) for key, points in ranked}


def _chosen(data: Mapping[str, Any], picks: Sequence[int | None]) -> bool:
    return all(
        pick is None or choice["start"] in (-1, pick)
        for pick, choice in zip(picks, data["choices"], strict=True)
    )


class _Scales:
    """Where values stand in a panel."""

    def __init__(self, data: Mapping[str, Any], metric: Mapping[str, Any]) -> None:
        self._x, self._log = data["x"], metric["log"]
        self.axis = metric["logarithmic" if self._log else "linear"]
        values = self._x["values"]
        self._along = [self._transformed(i, v) for i, v in enumerate(values)]

    def _transformed(self, number: int, value: float) -> float:
        if self._x["scale"] == "linear":
            return value
        if self._x["scale"] == "log" and min(self._x["values"]) >= 0:
            return math.log1p(value) if min(self._x["values"]) == 0 else math.log(value)
        return number

    def across(self, number: int) -> float:
        """The horizontal place of a value of the axis."""
        low, high = min(self._along), max(self._along)
        part = (self._along[number] - low) / (high - low) if high > low else 0.5
        return _LEFT + 8 + part * (_WIDTH - _LEFT - _RIGHT - 16)

    def down(self, value: float) -> float:
        """The vertical place of a number; beyond the limits, that of the limit."""
        low, high = float(self.axis["low"]), float(self.axis["high"])
        value = min(max(value, low), high)
        if self._log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return _HEIGHT - _BOTTOM - (value - low) / (high - low) * (_HEIGHT - _BOTTOM - _TOP)


def _panel(data: Mapping[str, Any], number: int) -> Markup:
    panel = data["panels"][number]
    metric = data["metrics"][panel["metric"]]
    at = _Scales(data, metric)
    parts = [
        Markup('<text class="name" x="{:g}" y="16">{}</text>').format(_LEFT, panel["title"]),
        Markup('<text x="{:g}" y="34">{}</text>').format(_LEFT, metric["label"]),
        *_frame(data, at),
    ]
    for constant, where, levels, *picks in data["levels"]:
        if where == number and _chosen(data, picks):
            d = _constant(at, levels)
            parts.append(Markup('<path class="constant constant-{}" d="{}"/>').format(constant, d))
    for (method, variant), points in _lines(data, number).items():
        look, dash = data["methods"][method], data["variants"][variant]["dash"]
        parts.append(
            Markup('<g class="hue-{}">{}</g>').format(look["hue"], _line(at, points, look, dash))
        )
    return Markup("").join(parts)


def _frame(data: Mapping[str, Any], at: _Scales) -> list[Markup]:
    parts = []
    for value, word in at.axis["ticks"]:
        y = at.down(value)
        parts.append(
            Markup(
                '<path class="grid" d="M{:g} {:.1f}H{:g}"/>'
                '<text x="{:g}" y="{:.1f}" text-anchor="end">{}</text>'
            ).format(_LEFT, y, _WIDTH - _RIGHT, _LEFT - 6, y + 4, word)
        )
    floor, last = _HEIGHT - _BOTTOM, math.inf
    parts.append(
        Markup('<path class="axis" d="M{:g} {:g}H{:g}"/>').format(_LEFT, floor, _WIDTH - _RIGHT)
    )
    for number, word in reversed(list(enumerate(data["x"]["words"]))):
        x, half = at.across(number), _LETTER * len(word) / 2
        if x + half + 4 <= last:
            last = x - half
            parts.append(
                Markup('<text x="{:.1f}" y="{:g}" text-anchor="middle">{}</text>').format(
                    x, floor + 15, word
                )
            )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    for number, line in enumerate(_axis_lines(data)):
        parts.append(
            Markup('<text x="{:g}" y="{:g}" text-anchor="middle">{}</text>').format(
                middle, floor + 30 + _LINE * number, line
            )
        )
    return parts


def _axis_lines(data: Mapping[str, Any]) -> list[str]:
    return textwrap.wrap(data["x"]["label"], int((_WIDTH - _LEFT) / _LETTER)) or [""]


def _constant(at: _Scales, levels: Sequence[Sequence[float]]) -> str:
    if len({level for _, level in levels}) == 1:
        return f"M{_LEFT:g} {at.down(levels[0][1]):.1f}H{_WIDTH - _RIGHT:g}"
    return _joined([(at.across(int(place)), at.down(level)) for place, level in levels])


def _line(at: _Scales, points: Sequence[Any], look: Mapping[str, Any], dash: str) -> Markup:
    """Line, intervals, marks and published values of a method in one variant."""
    ours = [(at.across(p[_X]), at.down(p[_MEAN])) for p in points]
    printed = [
        (at.across(p[_X]), at.down(p[_PUBLISHED])) for p in points if p[_PUBLISHED] is not None
    ]
    bars = "".join(
        f"M{at.across(p[_X]):.1f} {at.down(p[_LOW]):.1f}V{at.down(p[_HIGH]):.1f}"
        for p in points
        if p[_LOW] is not None
    )
    drawn = [
        ("printed", _joined(printed)),
        ("bars", bars),
        ("marks", "".join(f"M{x:.1f} {y:.1f}{look['mark']}" for x, y in ours)),
        ("rings", "".join(f"M{x:.1f} {y:.1f}{_RING}" for x, y in printed)),
    ]
    line = Markup('<path class="line" stroke-width="{:g}" stroke-dasharray="{}" d="{}"/>').format(
        look["width"], dash or "none", _joined(ours)
    )
    return line + Markup("").join(
        Markup('<path class="{}" d="{}"/>').format(name, escape(d)) for name, d in drawn if d
    )


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return "".join(
        f"{'L' if number else 'M'}{x:.1f} {y:.1f}" for number, (x, y) in enumerate(points)
    )
