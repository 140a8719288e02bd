"""The SVG of a figure as part of a page: no styles of its own, and colours that follow the page."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from geoforest_cli.core.figure_files import SVG

__all__ = ["inline"]

_REFERENCE = re.compile(r"(?<=#)(?=[\w.-]+\)?$)")
_LINK = "{http://www.w3.org/1999/xlink}href"


def inline(data: bytes, prefix: str, words: str) -> str:
    """Return a drawing of Matplotlib as an element of a page.

    The policy of the pages forbids styles within them, so those of the drawing become attributes.

    Parameters
    ----------
    data : bytes
        The file.
    prefix : str
        What its identifiers begin with, so that a page can hold several drawings.
    words : str
        What it shows, for those who do not see it.

    Raises
    ------
    ValueError
        If it is no SVG.
    """
    root = _parsed(data)
    root.attrib = {"viewBox": root.get("viewBox", "0 0 1 1"), "role": "group", "aria-label": words}
    for element in list(root.iter()):
        _embed(element, prefix)
    return _text(root)


def _embed(element: Element, prefix: str) -> None:
    """Turn styles into attributes, and put a prefix before identifiers."""
    for child in element.findall(f"{SVG}style"):
        element.remove(child)
    for part in element.attrib.pop("style", "").split(";"):
        name, _, value = part.partition(":")
        if value:
            element.set(name.strip(), value.strip())
    if "id" in element.attrib:
        element.set("id", prefix + element.attrib["id"])
    for name in (_LINK, "clip-path"):
        if name in element.attrib:
            element.set(name, _REFERENCE.sub(prefix, element.attrib[name]))


def _parsed(text: str | bytes) -> ET.Element:
    """Return the root of an SVG file.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        root = ET.fromstring(text)  # noqa: S314 - expat expands no external entities
    except ET.ParseError as error:
        raise ValueError(f"it is no SVG: {error}") from None
    if root.tag != f"{SVG}svg":
        raise ValueError("it is no SVG")
    return root


def _text(root: ET.Element) -> str:
    """Return an SVG as text."""
    ET.register_namespace("", SVG[1:-1])
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return ET.tostring(root, "unicode") + "\n"
