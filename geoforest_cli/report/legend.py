"""The legend below the panels: methods, then what lines and bands mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from geoforest_cli.report.context import Context
from geoforest_cli.report.style import CHANCE, GREY, variant_dashes

__all__ = ["PUBLISHED_DASHES", "Keys", "foot", "place"]

_LINE = 0.21  # inches
_Item = TypeVar("_Item")
PUBLISHED_DASHES = (0, (2.5, 1.5))
_WORDS = {"as_run": "as run", "as_written": "as written"}


@dataclass
class Keys:
    """What the panels show and the legend must explain."""

    methods: dict[str, None] = field(default_factory=dict)
    variants: dict[str, None] = field(default_factory=dict)
    published: bool = False
    chance: str = ""
    band: bool = False

    def add(self, method: str, variant: str) -> None:
        """Note a line that was drawn."""
        self.methods[method] = None
        self.variants[variant] = None


def foot(context: Context, width: float) -> float:
    """Inches needed below the panels: tick labels, axis label, lines of legend."""
    labels = [context.label(name) for name in context.methods]
    meanings = 1 if width > 5 else 2
    return 0.5 + _LINE * (len(_wrapped(labels, width, len)) + meanings)


def place(figure: Figure, context: Context, width: float, keys: Keys, x_label: str) -> None:
    """Put the axis label, the legend and a note on failed cells below the panels."""
    height = figure.get_figheight()
    middle = (0.58 + width - 0.1) / 2 / width
    methods = [_method(context, name) for name in context.methods if name in keys.methods]
    meanings = _wrapped(_meanings(keys), width, _length)
    lines: list[Sequence[Artist]] = [*_wrapped(methods, width, _length), *meanings]
    y = foot(context, width) - 0.32
    figure.text(middle, y / height, x_label, ha="center", va="center", fontsize=8)
    for number, line in enumerate(lines, 1):
        _row(figure, line, middle, (y - _LINE * number) / height)
    if len(context.failed):
        missing = int((context.failed["status"] == "missing").sum())
        counts = {"failed": len(context.failed) - missing, "missing": missing}
        told = ", ".join(f"{count} cells {word}" for word, count in counts.items() if count)
        figure.text(0.995, 0.012, f"{told}: not shown", ha="right", fontsize=6, color=GREY)


def _length(handle: Artist) -> int:
    return len(str(handle.get_label()))


def _wrapped(
    items: Sequence[_Item], width: float, length: Callable[[_Item], int]
) -> list[list[_Item]]:
    """Distribute legend entries over as many lines as they need, evenly."""
    if not items:
        return []
    room = sum(0.52 + 0.065 * length(item) for item in items) / (width - 0.4)
    count = min(max(1, math.ceil(room)), len(items))
    size = math.ceil(len(items) / count)
    return [list(items[i : i + size]) for i in range(0, len(items), size)]


def _row(figure: Figure, handles: Sequence[Artist], x: float, y: float) -> None:
    if not handles:
        return
    box = figure.legend(
        handles=handles,
        loc="center",
        bbox_to_anchor=(x, y),
        ncols=len(handles),
        columnspacing=1.4,
        handlelength=2.2,
        handletextpad=0.5,
        borderpad=0,
    )
    figure.add_artist(box)


def _method(context: Context, name: str) -> Line2D:
    look = context.looks[name]
    return Line2D(
        [], [], color=look.color, marker=look.marker, linewidth=look.width,
        markersize=4, markeredgewidth=0, label=context.label(name),
    )  # fmt: skip


def _meanings(keys: Keys) -> list[Artist]:
    found: list[Artist] = []
    variants = list(keys.variants)
    if len(variants) > 1:
        for dashes in dict.fromkeys(map(variant_dashes, variants)):
            names = [_WORDS.get(v, v) for v in variants if variant_dashes(v) == dashes]
            label = " / ".join(names)
            shape = cast("Any", dashes)
            found.append(Line2D([], [], color="#404040", linestyle=shape, label=label))
    if keys.published:
        found.append(
            Line2D(
                [],
                [],
                color="#404040",
                linestyle=PUBLISHED_DASHES,
                linewidth=0.8,
                marker="o",
                markersize=4,
                markerfacecolor="none",
                markeredgewidth=0.7,
                label="published",
            )
        )
    if keys.chance:
        shown = {k: v for k, v in CHANCE.items() if k != "zorder"}
        found.append(Line2D([], [], label=keys.chance, **shown))
    if keys.band:
        found.append(Patch(color="#404040", alpha=0.2, linewidth=0, label="95 % interval"))
    return found
