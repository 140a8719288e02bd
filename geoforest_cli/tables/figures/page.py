"""The map of a table's rows as one interactive page that needs no network."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import resources
from typing import Any

import jinja2
import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_hex

from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.tables.figures.colors import COLOR_MAP, RowMap

__all__ = ["map_page"]

_SIDE = 10_000  # whole numbers for places: finer than any screen
_SHADES = 64
_PART = (0.1, 0.95)  # of the scale: its ends hardly show on a dark page or a light one


def map_page(rows: RowMap) -> str:
    """Return the HTML of a page that shows each row's name and value, zooms, and hides classes.

    Its one script and one style are its own: a content security policy forbids all others, and
    what the table says is only ever shown as text.
    """
    folder = resources.files("geoforest_cli.tables") / "templates"
    texts = {kind: (folder / f"map.{kind}").read_text("utf-8") for kind in ("html", "css", "js")}
    data = json.dumps(_content(rows), separators=(",", ":"))
    for sign in "<>&":  # no text can end the element it is in
        data = data.replace(sign, f"\\u{ord(sign):04x}")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(texts["html"]).render(
        title=rows.title, caption=rows.caption, legend=rows.colors.name, data=data,
        script=texts["js"], script_hash=_hash(texts["js"]),
        style=texts["css"], style_hash=_hash(texts["css"]),
    )  # fmt: skip


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _content(rows: RowMap) -> dict[str, Any]:
    colors, places = rows.colors, rows.places
    low, span = places.min(axis=0), max(float(np.ptp(places, axis=0).max()), 1e-12)
    x, y = np.rint(_SIDE * (places - low) / span).astype(int).T
    words, texts = np.unique(np.array(colors.texts, object), return_inverse=True)
    content: dict[str, Any] = {
        "x": x.tolist(),
        "y": (y.max() - y).tolist(),  # a page counts from its top
        "ids": [escape_control_characters(str(name), one_line=True) for name in rows.ids],
        "identifier": "row" if rows.ids.name is None else str(rows.ids.name),
        "name": colors.name,
        "entries": [entry._asdict() for entry in colors.entries],
        "codes": colors.codes.tolist(),
        "words": words.tolist(),
        "texts": texts.tolist(),
    }
    if colors.values is not None:
        bottom, top = colors.limits
        shares = (np.clip(colors.values, bottom, top) - bottom) / (top - bottom)
        shades = np.nan_to_num(np.rint(shares * (_SHADES - 1)), nan=_SHADES)
        content["codes"] = shades.astype(int).tolist()
        palette = mpl.colormaps[COLOR_MAP](np.linspace(*_PART, _SHADES))
        content["scale"] = {
            "low": f"{bottom:.4g}",
            "high": f"{top:.4g}",
            "colors": [to_hex(color) for color in palette],
        }
    return content
