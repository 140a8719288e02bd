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
from typing import Any, cast

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


BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#7F7F7F"

_LOOKS = {
    "gf": Look(VERMILION, "o", 2.0, 6),
    "geodesic_forest": Look(VERMILION, "o", 2.0, 6),
    "urf": Look(ORANGE, "v", 1.4, 5),
    "gf_fast_bic": Look(VERMILION, "o", 1.8, 6),
    "urf_fast_bic": Look(ORANGE, "v", 1.2, 5),
    "gf_mclust": Look(BLUE, "^", 1.8, 4),
    "urf_mclust": Look(SKY, "<", 1.2, 4),
    "gf_two_means": Look(BLACK, "s", 1.8, 3),
    "urf_two_means": Look(GREY, "p", 1.2, 3),
    "structured_gf": Look("#332288", "h", 2.0, 7),
    "gf_delta": Look("#999933", "d", 1.6, 5),
    "morf": Look(VERMILION, "o", 2.0, 6),
    "sporf": Look(ORANGE, "v", 1.4, 5),
    "rf": Look(PURPLE, "X", 1.2, 4),
    "logistic": Look(BLACK, "s"),
    "linear_svm": Look(GREY, "p"),
    "rbf_svm": Look(BLUE, "^"),
    "knn": Look(GREEN, "D"),
    "mlp": Look(SKY, "P"),
    "boosting": Look("#999933", "d"),
    "cnn": Look("#332288", "*", 1.4, 5),
    "fast_bic": Look(VERMILION, "o", 1.8, 6),
    "two_means": Look(BLACK, "s"),
    "delta_bic": Look("#999933", "d"),
    "mclust_bic": Look(BLUE, "^"),
    "sg_true": Look(ORANGE, "v"),
    "cg_true": Look("#332288", "p"),
    "k_means": Look(GREY, "p"),
    "gf_all": Look(VERMILION, "o", 1.6, 5),
    "gf_in_bag": Look(BLUE, "^"),
    "gf_oob": Look(BLACK, "s"),
    "smerf": Look(VERMILION, "o", 2.0, 6),
    "mahalanobis": Look(BLUE, "^"),
    "bilinear": Look(GREEN, "D"),
    "epm": Look(BLUE, "^", 1.4),
    "narm": Look(GREEN, "D", 1.4),
    "eg": Look(BLUE, "^"),
    "cg": Look(GREEN, "D"),
    "sg": Look(VERMILION, "o", 2.0, 6),
    "sg_centred": Look(SKY, "P"),
    "sg_floor": Look(ORANGE, "v", 1.4, 5),
    "sg_evidence": Look(PURPLE, "X", 1.4, 5),
    "sg_average": Look("#999933", "d"),
    "euclidean": Look(BLACK, "s"),
    "euclidean_standardised": Look(GREY, "p"),
    "euclidean_smoothed": Look("#882255", "P"),
    "isomap": Look(BLUE, "^"),
    "isomap_smoothed": Look(SKY, "<"),
    "umap": Look(GREEN, "D"),
    "umap_smoothed": Look("#999933", "d"),
    "flann": Look(SKY, "P"),
    "random_forest": Look(PURPLE, "X"),
}
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
    found = {}
    for name, use in uses.items():
        chosen = look(name)
        if name not in _LOOKS and use in _LOOKS and _LOOKS[use].color not in taken:
            chosen = _LOOKS[use]
        elif name not in _LOOKS and chosen.color in taken:
            free = [color for color in _SPARE_COLORS if color not in taken]
            chosen = replace(chosen, color=free[0]) if free else chosen
        taken.add(chosen.color)
        found[name] = chosen
    return found


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
    found: dict[str, Dashes] = {}
    names = sorted(set().union(*panels), key=lambda v: (order.index(v) if v in order else 3, v))
    for name in names:
        beside = set().union(*(panel for panel in panels if name in panel)) - {name}
        first = not any(found.get(other) == "-" for other in beside)
        found[name] = "-" if first else variant_dashes(name)
    return found


@contextmanager
def style(salt: str = "geoforest") -> Iterator[None]:
    """Matplotlib's settings for the figures of the papers.

    Parameters
    ----------
    salt : str
        Seed of the identifiers in SVG files; fixed, so that equal figures are equal bytes.
    """
    import matplotlib as mpl

    settings: dict[str, Any] = {
        "axes.axisbelow": True,
        "axes.edgecolor": "#404040",
        "axes.grid": True,
        "axes.labelsize": 8,
        "axes.linewidth": 0.7,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 9,
        "figure.dpi": 100,
        "font.family": "DejaVu Sans",
        "font.size": 8,
        "grid.color": "#E6E6E6",
        "grid.linewidth": 0.6,
        "legend.fontsize": 7.5,
        "legend.frameon": False,
        "lines.linewidth": 1.1,
        "lines.markersize": 3.6,
        "pdf.fonttype": 42,
        "savefig.dpi": 200,
        "svg.fonttype": "path",
        "svg.hashsalt": salt,
        "xtick.labelsize": 7,
        "xtick.major.size": 2.5,
        "ytick.labelsize": 7,
        "ytick.major.size": 2.5,
    }
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(cast("Any", settings))
        yield


@contextmanager
def any_letters() -> Iterator[None]:
    """Draw boxes for letters that the font does not have, without a word."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        yield
