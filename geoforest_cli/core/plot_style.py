"""One colour and marker per method in every figure, one line style per variant.

The colours are the eight of Okabe and Ito (2008), chosen to stay apart for colour-blind readers;
the markers tell the methods apart once more, also on paper without colour.
"""

from __future__ import annotations

import itertools
import warnings
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from geoforest_cli.core.yaml_loader import read

__all__ = [
    "CHANCE", "Look", "any_letters", "graded", "look", "looks", "style", "variant_styles",
]  # fmt: skip

Dashes = str | tuple[float, tuple[float, ...]]


@dataclass(frozen=True)
class Look:
    """Color and marker of a method.

    Attributes
    ----------
    color, marker : str
    width : float
        Line width in points.
    order : int
        Drawing order; higher is on top.
    """

    color: str
    marker: str
    width: float = 1.1
    order: int = 3


SKY, BLUE, VERMILION, GREY = "#56B4E9", "#0072B2", "#D55E00", "#7F7F7F"

_FOLDER = Path(__file__).parent
_LOOKS = {name: Look(**given) for name, given in read(_FOLDER / "looks.yaml").data.items()}
_SPARE_COLORS = ("#8C564B", "#332288", "#999933", "#AA4499", "#44AA99", "#882255")
_SPARE_MARKERS = ("<", ">", "p", "X", "*", "d", "P")
_DASHES: dict[str, Dashes] = {
    "recommended": "-", "as_run": (0, (7, 2)), "as_written": (0, (4, 1.3, 1, 1.3)),
}  # fmt: skip
_GRADES = ("o", "^", "s", "v", "D", "<", "P", ">", "X", "p", "*", "d", "h", "8")
_SPARE_DASHES: tuple[Dashes, ...] = ((0, (3, 1, 1, 1, 1, 1)), (0, (7, 1.5)), (0, (1, 1)))
CHANCE: dict[str, Any] = {"color": GREY, "linestyle": "-", "linewidth": 0.8, "zorder": 2}


def look(method: str) -> Look:
    """The look of one method, the same in every figure.

    Methods of the papers have a fixed one; any other gets one by a hash of its name.
    """
    if method in _LOOKS:
        return _LOOKS[method]
    code = zlib.crc32(method.encode())
    color = _SPARE_COLORS[code % len(_SPARE_COLORS)]
    marker = _SPARE_MARKERS[code // len(_SPARE_COLORS) % len(_SPARE_MARKERS)]
    return Look(color, marker)


def looks(uses: dict[str, str]) -> dict[str, Look]:
    """The looks of a config's methods.

    Parameters
    ----------
    uses : dict
        Name in the config -> name in the registry. A name without a look of its own takes that
        of its registry name, as long as no other method of the config has it; else it gets a
        colour and a marker that no other method of the config has, while there are any.

    Examples
    --------
    >>> looks({"forest": "geodesic_forest"})["forest"].color
    '#D55E00'
    >>> len({one.marker for one in looks(dict.fromkeys("abcdefg", "")).values()})
    7
    """
    look_of = {name: look(name) for name in uses}
    fixed = [name for name in uses if name in _LOOKS]
    colors, markers = (
        {look_of[name].color for name in fixed},
        {look_of[name].marker for name in fixed},
    )
    for name, use in uses.items():
        if name in fixed:
            continue
        if use in _LOOKS and _LOOKS[use].color not in colors:
            look_of[name] = _LOOKS[use]
        else:
            color, marker = look_of[name].color, look_of[name].marker
            color = next((c for c in (color, *_SPARE_COLORS) if c not in colors), color)
            marker = next((m for m in (marker, *_SPARE_MARKERS) if m not in markers), marker)
            look_of[name] = replace(look_of[name], color=color, marker=marker)
        colors.add(look_of[name].color)
        markers.add(look_of[name].marker)
    return look_of


def graded(count: int) -> list[Look]:
    """Looks of lines that differ in a number, from dark to light; at most 14 markers.

    Examples
    --------
    >>> [one.marker for one in graded(3)]
    ['o', '^', 's']
    """
    import matplotlib as mpl

    shades = mpl.colormaps["viridis"]([0.88 * i / max(count - 1, 1) for i in range(count)])
    markers = itertools.cycle(_GRADES)
    return [Look(mpl.colors.to_hex(shade), next(markers)) for shade in shades]


def variant_styles(panels: Iterable[Iterable[str]], *, titled: bool) -> dict[str, Dashes]:
    """The line styles of a figure's variants: one for each, and solid where there is only one.

    Parameters
    ----------
    panels : iterable of iterables of str
        The variants of each panel.
    titled : bool
        Whether the titles of the panels say which variant they show: then lines are solid, as
        long as no panel shows two.

    Examples
    --------
    >>> variant_styles([{"as_run"}, {"as_written"}], titled=True)
    {'as_run': '-', 'as_written': '-'}
    >>> styles = variant_styles([{"as_run"}, {"as_written", "recommended"}], titled=True)
    >>> styles["recommended"], len({str(one) for one in styles.values()})
    ('-', 3)
    """
    shown = [set(panel) for panel in panels]
    every = set().union(*shown)
    names = [*(name for name in _DASHES if name in every), *sorted(every - set(_DASHES))]
    solid = len(names) < 2 or (titled and all(len(panel) < 2 for panel in shown))
    dashes = {name: _SPARE_DASHES[zlib.crc32(name.encode()) % 3] for name in names} | _DASHES
    return {name: "-" if solid else dashes[name] for name in names}


@contextmanager
def style(salt: str = "geoforest") -> Iterator[None]:
    """Matplotlib's settings for the figures of the papers.

    Parameters
    ----------
    salt : str
        Seed of the identifiers in SVG files; fixed, so that equal figures are equal bytes.
    """
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rc_file(_FOLDER / "geoforest.mplstyle", use_default_template=False)
        mpl.rcParams["svg.hashsalt"] = salt
        yield


@contextmanager
def any_letters() -> Iterator[None]:
    """Draw boxes for letters that the font does not have, without a word."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        yield
