"""The map of a table's rows as one interactive page that needs no network."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_hex

from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.core.files import write_atomically
from geoforest_cli.tables.map_figure import COLOR_MAP, RowMap

__all__ = ["map_page", "write_page"]

_SIDE = 10_000  # whole numbers for places: finer than any screen
_SHADES = 64
_PART = (0.1, 0.95)  # of the scale: its ends hardly show on a dark page or a light one


def map_page(rows: RowMap) -> str:
    """Return a page that shows each row's name and value, zooms, and hides classes.

    Its one script and one style are its own: a content security policy forbids all others, and
    what the table says is only ever shown as text.

    Parameters
    ----------
    rows : RowMap

    Returns
    -------
    str
        HTML.
    """
    folder = resources.files("geoforest_cli.tables") / "templates"
    texts = {kind: (folder / f"map.{kind}").read_text("utf-8") for kind in ("html", "css", "js")}
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(texts["html"]).render(
        title=rows.title,
        caption=rows.caption,
        script=texts["js"],
        style=texts["css"],
        script_hash=_hash(texts["js"]),
        style_hash=_hash(texts["css"]),
        data=_json(_content(rows)),
        legend=rows.colors.name,
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _json(content: dict[str, Any]) -> str:
    """Return JSON that cannot end the element it is in."""
    text = json.dumps(content, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _content(rows: RowMap) -> dict[str, Any]:
    colors, places = rows.colors, rows.layout.places
    low, span = places.min(axis=0), max(float(np.ptp(places, axis=0).max()), 1e-12)
    x, y = np.rint(_SIDE * (places - low) / span).astype(int).T
    content: dict[str, Any] = {
        "x": x.tolist(),
        "y": (y.max() - y).tolist(),  # a page counts from its top
        "ids": [escape_control_characters(str(name), one_line=True) for name in rows.ids],
        "identifier": "row" if rows.ids.name is None else str(rows.ids.name),
        "name": colors.name,
        "entries": [entry._asdict() for entry in colors.entries],
        "codes": colors.codes.tolist(),
        "words": sorted(set(colors.texts)),
    }
    number = {word: place for place, word in enumerate(content["words"])}
    content["texts"] = [number[word] for word in colors.texts]
    if colors.values is not None:
        bottom, top = colors.limits
        shares = (np.clip(colors.values, bottom, top) - bottom) / (top - bottom)
        shades = np.nan_to_num(np.rint(shares * (_SHADES - 1)), nan=_SHADES)
        content["codes"] = shades.astype(int).tolist()
        content["scale"] = {
            "low": f"{bottom:.4g}",
            "high": f"{top:.4g}",
            "colors": [
                to_hex(mpl.colormaps[COLOR_MAP](share)) for share in np.linspace(*_PART, _SHADES)
            ],
        }
    return content


def write_page(rows: RowMap, file: Path) -> None:
    """Write `map_page` to a file."""
    write_atomically(file, map_page(rows))
