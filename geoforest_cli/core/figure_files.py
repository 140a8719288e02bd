"""Figures as files of the same bytes every day."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.core.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

__all__ = ["KINDS", "MAX_DRAWING", "SVG", "mark", "save", "save_as"]

KINDS = ("svg", "pdf", "png")
MAX_DRAWING = 400_000  # bytes of an SVG that a page may hold
SVG = "{http://www.w3.org/2000/svg}"
_NO_METADATA = {
    "svg": ("Creator", "Date", "Format", "Type"), "pdf": ("CreationDate",), "png": ("Software",),
}  # fmt: skip
_MARKED = '{"titles":'  # how the identifier of a marked artist begins
_shown = escape_control_characters  # XML allows no others
_DIGITS = re.compile(r"(\.\d\d)\d+")
_PLACES = ("d", "x", "y", "width", "height", "transform")  # attributes that hold coordinates


def save(figure: Figure, stem: Path, kinds: Sequence[str] = KINDS, *, whole: bool = False) -> None:
    """Write a figure as SVG, PDF and PNG (200 dpi), without anything that changes by the day.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    stem : Path
        The files' path without an ending.
    kinds : sequence of str
        Some of "svg", "pdf" and "png".
    whole : bool
        Make the page as large as what is drawn, beyond the figure's edges too.
    """
    box: dict[str, Any] = {"bbox_inches": "tight", "pad_inches": 0.03} if whole else {}
    for kind in kinds:
        save_as(figure, stem.parent / f"{stem.name}.{kind}", **box)


def save_as(figure: Figure, file: Path, **box: Any) -> None:
    """Write a figure as what the ending of a file says; see `save`."""
    kind = file.suffix[1:].lower()
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=200, metadata=dict.fromkeys(_NO_METADATA[kind]), **box)
    data = buffer.getvalue()
    write_atomically(file, _described(data.decode()) if kind == "svg" else data)


def mark(artist: Artist, titles: Sequence[str]) -> None:
    """Say what an artist means: a text for each of its points, or one for all of it.

    SVG files have it as titles, which browsers show on hovering.
    """
    artist.set_gid(json.dumps({"titles": list(titles)}))


def _described(text: str) -> str:
    """An SVG of Matplotlib with shorter coordinates, and with the titles of marked artists."""
    root = ET.fromstring(_shown(text))  # noqa: S314 - it is Matplotlib's
    for group in root.iter():
        for name in _PLACES:
            if name in group.attrib:
                group.set(name, _DIGITS.sub(r"\1", group.attrib[name]))
        if group.get("id", "").startswith(_MARKED):
            titles = json.loads(group.attrib.pop("id"))["titles"]
            points = list(group.iter(f"{SVG}use"))
            marks = points if len(points) == len(titles) else [group]
            for element, title in zip(marks, titles, strict=False):
                element.set("role", "img")
                ET.SubElement(element, f"{SVG}title").text = _shown(title)
    ET.register_namespace("", SVG[1:-1])
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return ET.tostring(root, "unicode") + "\n"
