"""The legend below the panels: methods, then what lines and bands mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from geoforest_cli.core.figure_files import mark
from geoforest_cli.core.plot_style import CHANCE, GREY, Dashes
from geoforest_cli.study.figures.context import Context, lost_cells
from geoforest_cli.study.figures.options import VARIANT_WORDS

__all__ = ["PUBLISHED_DASHES", "Keys", "foot", "place"]

_LINE = 0.21  # inches
_HANDLE = 3.0  # of the size of a letter: long enough for two dashes
PUBLISHED_DASHES = (0, (2.5, 1.5))
_DARK = "#404040"
_HOLLOW = {"marker": "o", "markersize": 4, "markerfacecolor": "none", "markeredgewidth": 0.7}


@dataclass
class Keys:
    """What the panels show and the legend must explain.

    Attributes
    ----------
    methods : dict
        The methods that are drawn.
    variants : dict
        Variant -> its line style.
    joined : bool
        Whether lines join the points of a method.
    published, dots, bands, bars, geometric, arithmetic, beyond : bool
        Whether there are published values, single repetitions, intervals as bands and as bars,
        intervals of geometric means and of others, points outside the axis.
    constants : dict
        Words for the dotted lines of chance and of constant levels -> their style.
    """

    methods: dict[str, None] = field(default_factory=dict)
    variants: dict[str, Dashes] = field(default_factory=dict)
    joined: bool = True
    published: bool = False
    dots: bool = False
    bands: bool = False
    bars: bool = False
    geometric: bool = False
    arithmetic: bool = False
    beyond: bool = False
    constants: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, method: str, variant: str, dashes: Dashes = "-") -> None:
        """Note a line that was drawn."""
        self.methods[method] = None
        self.variants[variant] = dashes


def foot(context: Context, width: float, keys: Keys | None = None) -> float:
    """Inches needed below the panels: tick labels, axis label, lines of legend."""
    lines = _lines(context, width, keys or Keys(dict.fromkeys(context.methods)))
    return 0.5 + _LINE * len(lines) + (0.14 if len(context.failed) else 0.0)


def place(figure: Figure, context: Context, width: float, keys: Keys, x_label: str) -> None:
    """Put the axis label, the legend and a note on failed cells below the panels."""
    height = figure.get_figheight()
    middle = (0.58 + width - 0.1) / 2 / width
    y = foot(context, width, keys) - 0.36
    figure.text(middle, y / height, x_label, ha="center", va="center", fontsize=8)
    for number, line in enumerate(_lines(context, width, keys), 1):
        _row(figure, line, middle, (y - _LINE * number) / height)
    if len(context.failed):
        words = f"{lost_cells(context.failed)}: not shown"
        figure.text(0.995, 0.03 / height, words, ha="right", fontsize=6, color=GREY)


def _lines(context: Context, width: float, keys: Keys) -> list[Sequence[Artist]]:
    """The entries line by line: the methods, then what else needs to be explained."""
    methods = [_method(context, name, keys) for name in context.methods if name in keys.methods]
    return [*_wrapped(methods, width), *_wrapped(_meanings(keys), width)]


def _wrapped(handles: Sequence[Artist], width: float) -> list[Sequence[Artist]]:
    """Distribute legend entries over as few lines as hold them, evenly."""
    sizes = [0.58 + 0.062 * len(str(handle.get_label())) for handle in handles]
    room = width - 0.3
    for count in range(math.ceil(sum(sizes) / room) or 1, len(handles) + 1):
        size = math.ceil(len(handles) / count)
        starts = range(0, len(handles), size)
        if all(sum(sizes[i : i + size]) <= room for i in starts):
            return [handles[i : i + size] for i in starts]
    return [[handle] for handle in handles]


def _row(figure: Figure, handles: Sequence[Artist], x: float, y: float) -> None:
    box = figure.legend(
        handles=handles,
        loc="center",
        bbox_to_anchor=(x, y),
        ncols=len(handles),
        columnspacing=1.4,
        handlelength=_HANDLE,
        handletextpad=0.5,
        borderpad=0,
    )
    for given, shown in zip(
        [*handles, *handles], [*box.legend_handles, *box.get_texts()], strict=True
    ):
        if given.get_gid() and shown:
            shown.set_gid(given.get_gid())


def _method(context: Context, name: str, keys: Keys) -> Line2D:
    look = context.looks[name]
    entry = Line2D(
        [], [], color=look.color, marker=look.marker, linewidth=look.width if keys.joined else 0,
        markersize=4, markeredgewidth=0, label=context.label(name),
    )  # fmt: skip
    mark(entry, name, [f"hide or show {context.label(name)}"], key=True)
    return entry


def _meanings(keys: Keys) -> list[Artist]:
    handles: list[Artist] = []
    if any(dashes != "-" for dashes in keys.variants.values()):
        for variant, dashes in keys.variants.items():
            handles.append(_mark(VARIANT_WORDS.get(variant, variant), linestyle=dashes))
    if keys.published:
        width = 0.8 if keys.joined else 0
        handles.append(_mark("published", linestyle=PUBLISHED_DASHES, linewidth=width, **_HOLLOW))
    for words, shape in keys.constants.items():
        shown = {name: value for name, value in shape.items() if name != "zorder"}
        handles.append(Line2D([], [], label=words, **shown))
    interval = "95 % interval"
    if keys.geometric:
        interval += (
            " (log axis: of the geometric mean)" if keys.arithmetic else " of the geometric mean"
        )
    if keys.bands:
        handles.append(Patch(color=_DARK, alpha=0.2, linewidth=0, label=interval))
    elif keys.bars:
        bar = {"marker": "|", "markersize": 9, "markeredgewidth": 0.8}
        handles.append(_mark(interval, linestyle="none", **bar))
    if keys.beyond:
        triangle = {"marker": "^", "markersize": 4.5, "markerfacecolor": "white"}
        handles.append(_mark("beyond the axis", linestyle="none", **triangle))
    if keys.dots:
        dot = {"marker": ".", "markersize": 3.5, "markeredgewidth": 0}
        handles.append(_mark("single repetitions", linestyle="none", **dot))
    return handles


def _mark(label: str, **style: Any) -> Line2D:
    return Line2D([], [], color=_DARK, label=label, **style)


def constant(number: int) -> dict[str, Any]:
    """The style of a dotted line: that of chance, and different ones for further lines."""
    dots = [(0, (1, 1.6)), (0, (1, 4)), (0, (4, 2, 1, 2))]
    return {**CHANCE, "linestyle": dots[number % len(dots)]}
