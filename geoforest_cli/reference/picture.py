"""A figure small enough for a repository."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

__all__ = ["Picture", "smallest"]

_COLOURS = 64  # curves, bands and letters need no more
_SCALES = (1.0, 0.75, 0.6, 0.5, 0.4, 0.3, 0.2)


@dataclass(frozen=True)
class Picture:
    """The bytes of a figure.

    Attributes
    ----------
    ending : {"svg", "png"}
    data : bytes
    scale : float
        Its width as a share of the figure's that was drawn.
    """

    ending: str
    data: bytes
    scale: float = 1.0


def smallest(stem: Path, limit: int) -> Picture | None:
    """Return a figure as SVG or as PNG of few colours, whichever is smaller.

    Parameters
    ----------
    stem : Path
        Its files without their endings; ``.svg`` and ``.png`` are read.
    limit : int
        The most bytes; where both are larger, the PNG is shrunk.

    Returns
    -------
    Picture or None
        None where there is neither file, or not even a fifth of the width fits.
    """
    svg, png = stem.with_suffix(".svg"), stem.with_suffix(".png")
    found = [Picture("svg", svg.read_bytes())] if svg.is_file() else []
    if png.is_file():
        with Image.open(png) as file:
            drawn = _on_white(file)
        found.append(Picture("png", _encoded(drawn, 1.0)))
        for scale in _SCALES[1:]:
            if min(len(one.data) for one in found) <= limit:
                break
            found.append(Picture("png", _encoded(drawn, scale), scale))
    fitting = [one for one in found if len(one.data) <= limit]
    return min(fitting, key=lambda one: (-one.scale, len(one.data)), default=None)


def _on_white(image: Image.Image) -> Image.Image:
    clear = image.convert("RGBA")
    white = Image.new("RGBA", clear.size, "white")
    return Image.alpha_composite(white, clear).convert("RGB")


def _encoded(image: Image.Image, scale: float) -> bytes:
    if scale < 1:
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        image = image.resize(size, Image.Resampling.LANCZOS)
    few = image.quantize(_COLOURS, dither=Image.Dither.NONE)
    data = io.BytesIO()
    few.save(data, "PNG", optimize=True)
    return data.getvalue()
