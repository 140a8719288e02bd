"""What charts are made of: marks, dashes, axes, numbers and words as a page needs them."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.ticker import MaxNLocator

from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.core.plot_style import Dashes
from geoforest_cli.study.figures.axes import log_ticks
from geoforest_cli.study.figures.options import Limits, Scale, compact

__all__ = ["MARKS", "dash_pattern", "plain_text", "rounded", "value_axis"]

_TICKS = 5
_DIGITS = 5  # significant ones
# matplotlib's markers as paths, around the point that a path has moved to
MARKS = {
    "o": "m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z",
    "s": "m-3-3h6v6h-6z",
    "^": "m0-4l3.7 7h-7.4z",
    "v": "m0 4l3.7-7h-7.4z",
    "<": "m-4 0l7-3.7v7.4z",
    ">": "m4 0l-7-3.7v7.4z",
    "D": "m0-4.2l4.2 4.2l-4.2 4.2l-4.2-4.2z",
    "d": "m0-4.4l2.7 4.4l-2.7 4.4l-2.7-4.4z",
    "X": "m-3.6-2.2l1.4-1.4l2.2 2.2l2.2-2.2l1.4 1.4l-2.2 2.2l2.2 2.2l-1.4 1.4l-2.2-2.2l-2.2 2.2"
    "l-1.4-1.4l2.2-2.2z",
    "P": "m-1.2-4h2.4v2.8h2.8v2.4h-2.8v2.8h-2.4v-2.8h-2.8v-2.4h2.8z",
    "p": "m0-4l3.8 2.76l-1.45 4.48h-4.7l-1.45-4.48z",
    "h": "m0-4l3.46 2v4l-3.46 2l-3.46-2v-4z",
    "8": "m-1.6-3.9h3.2l2.3 2.3v3.2l-2.3 2.3h-3.2l-2.3-2.3v-3.2z",
    "*": "m0-4.6l1.12 3.06l3.25.12l-2.56 2.01l.89 3.13l-2.7-1.82l-2.7 1.82l.89-3.13l-2.56-2.01"
    "l3.25-.12z",
}


def value_axis(limits: Limits | None, scale: Scale) -> dict[str, Any] | None:
    """Limits and ticks of a vertical axis."""
    if limits is None:
        return None
    low, high = limits
    if scale == "log":
        places = log_ticks(low, high)
    else:
        locator = MaxNLocator(_TICKS, steps=[1, 2, 2.5, 5, 10])
        places = [float(f"{v:.6g}") for v in locator.tick_values(low, high) if low <= v <= high]
    return {"low": low, "high": high, "ticks": [[place, compact(place)] for place in places]}


def dash_pattern(style: Dashes) -> str:
    """A line style of matplotlib as SVG has it."""
    return "" if isinstance(style, str) else " ".join(f"{1.3 * part:.1f}" for part in style[1])


def rounded(value: float | None) -> float | None:
    """Return a number with as many digits as can be seen; None where there is none."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.{_DIGITS}g}")


def plain_text(text: str) -> str:
    """Return text in one line, its control characters written out."""
    return escape_control_characters(" ".join(text.split()))
