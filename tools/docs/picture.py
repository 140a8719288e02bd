"""The README's picture: the figure of a run, small enough to be committed."""

from __future__ import annotations

import io
from pathlib import Path

from geoforest_cli.core.errors import UserError

__all__ = ["shrunk"]

_WIDTH = 700


def shrunk(figure: Path) -> bytes:
    """Return a PNG of 700 pixels' width and 256 colours.

    Raises
    ------
    UserError
        If there is no such figure.
    """
    from PIL import Image

    if not figure.is_file():
        raise UserError(f"{figure} is not there: geoforest run {figure.parts[-3]} draws it")
    with Image.open(figure) as image:
        size = (_WIDTH, round(image.height * _WIDTH / image.width))
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    out = io.BytesIO()
    few = small.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(out, "PNG", optimize=True)
    return out.getvalue()
