"""One colour and marker per method in every figure, one line style per variant.

The colours are the eight of Okabe and Ito (2008), chosen to stay apart for colour-blind readers;
the markers tell the methods apart once more, also on paper without colour.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from geoforest_cli.core.yaml_loader import read

__all__ = [
    "CHANCE",
    "Look",
    "any_letters",
    "look",
    "looks",
    "style",
    "variant_dashes",
    "variant_styles",
]

Dashes = str | tuple[float, tuple[float, ...]]


@dataclass(frozen=True)
class Look:
    """How a method is drawn.

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
_SPARE_MARKERS = ("<", ">", "p", "h", "*", "d", "8")
_DASHES: dict[str, Dashes] = {
    "recommended": "-",
    "as_run": (0, (6, 1.6)),
    "as_written": (0, (5, 1.2, 1, 1.2)),
}
_SPARE_DASHES: tuple[Dashes, ...] = ((0, (3, 1, 1, 1, 1, 1)), (0, (7, 1.5)), (0, (1, 1)))
CHANCE: dict[str, Any] = {"color": GREY, "linestyle": (0, (1, 1.6)), "linewidth": 1.0, "zorder": 2}


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
        of its registry name, as long as no other method of the config has it.

    Examples
    --------
    >>> looks({"forest": "geodesic_forest"})["forest"].color
    '#D55E00'
    """
    taken = {_LOOKS[name].color for name in uses if name in _LOOKS}
    chosen_looks = {}
    for name, use in uses.items():
        chosen = look(name)
        if name not in _LOOKS and use in _LOOKS and _LOOKS[use].color not in taken:
            chosen = _LOOKS[use]
        elif name not in _LOOKS and chosen.color in taken:
            free = [color for color in _SPARE_COLORS if color not in taken]
            chosen = replace(chosen, color=free[0]) if free else chosen
        taken.add(chosen.color)
        chosen_looks[name] = chosen
    return chosen_looks


def variant_dashes(variant: str) -> Dashes:
    """The line style of a variant among others."""
    if variant in _DASHES:
        return _DASHES[variant]
    return _SPARE_DASHES[zlib.crc32(variant.encode()) % len(_SPARE_DASHES)]


def variant_styles(together: Iterable[Iterable[str]]) -> dict[str, Dashes]:
    """The line styles of a figure's variants: solid, but for those that must be told apart.

    Parameters
    ----------
    together : iterable of iterables of str
        The variants of each panel.

    Examples
    --------
    >>> variant_styles([{"as_run"}, {"as_written"}])
    {'as_run': '-', 'as_written': '-'}
    >>> variant_styles([{"as_run", "recommended"}])["recommended"]
    '-'
    >>> variant_styles([{"as_run", "recommended"}])["as_run"] == "-"
    False
    """
    panels = [set(panel) for panel in together]
    order = ("recommended", "as_run", "as_written")
    styles: dict[str, Dashes] = {}
    names = sorted(set().union(*panels), key=lambda v: (order.index(v) if v in order else 3, v))
    for name in names:
        beside = set().union(*(panel for panel in panels if name in panel)) - {name}
        first = not any(styles.get(other) == "-" for other in beside)
        styles[name] = "-" if first else variant_dashes(name)
    return styles


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
        mpl.rcParams.update(
            mpl.rc_params_from_file(_FOLDER / "geoforest.mplstyle", use_default_template=False)
        )
        mpl.rcParams["svg.hashsalt"] = salt
        yield


@contextmanager
def any_letters() -> Iterator[None]:
    """Draw boxes for letters that the font does not have, without a word."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        yield
