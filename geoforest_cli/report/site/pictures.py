"""Figures for the site: which file of each, its small picture, and what it shows in words."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from geoforest_cli.config.schema import Config
from geoforest_cli.report.options import compact
from geoforest_cli.report.site.runs import Run

__all__ = ["Picture", "pictures", "thumbnail"]

_LARGE = 150_000  # bytes of an SVG, beyond which its PNG is taken if that is smaller
_WIDTH = 320
_COLOURS = 64
_NAMED = 6


@dataclass(frozen=True)
class Picture:
    """A figure as the site shows it.

    Attributes
    ----------
    source : Path
        The file that is copied.
    name : str
        What it is called in the site.
    title, alt : str
        A caption, and what the figure shows for those who do not see it.
    """

    source: Path
    name: str
    title: str
    alt: str


def pictures(run: Run) -> list[Picture]:
    """Return the figures of a run, the main one first."""
    return [
        Picture(file, file.name, _title(name, run), _words(name, run))
        for name, path in run.figures.items()
        for file in (_lighter(path),)
    ]


def _lighter(path: Path) -> Path:
    """The SVG, or the PNG beside it where the SVG is large."""
    other = path.with_suffix(".png")
    if path.suffix == ".png" or not other.is_file():
        return path
    size = path.stat().st_size
    return other if size > _LARGE and other.stat().st_size < size else path


def thumbnail(path: Path) -> bytes | None:
    """Return a small PNG of a figure; None where there are no pixels to make it of."""
    pixels = path.with_suffix(".png")
    if not pixels.is_file():
        return None
    try:
        with Image.open(pixels) as image:
            plain = Image.new("RGB", image.size, "white")
            plain.paste(image, mask=image.getchannel("A") if "A" in image.getbands() else None)
    except (OSError, ValueError):
        return None
    height = max(1, round(plain.height * _WIDTH / plain.width))
    small = plain.resize((_WIDTH, height), Image.Resampling.LANCZOS).quantize(_COLOURS)
    buffer = io.BytesIO()
    small.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _title(name: str, run: Run) -> str:
    part = name.removeprefix("figure_").replace("_", " ")
    return run.title if name in {"figure", run.name} else f"{run.title}: {part}"


def _words(name: str, run: Run) -> str:
    """What a figure shows, from title, axes and methods of its config."""
    config = run.config
    said = [f"Figure: {_title(name, run)}."]
    if config is None:
        return said[0]
    section = name.removeprefix("figure_")
    options: Mapping[str, Any] = config.more_figures.get(section, config.figure)
    said += [_axes(options), _panels(options), _methods(options, config)]
    if config.published and options.get("published", True) and not run.caution:
        said.append("Published values are drawn dashed over ours.")
    return " ".join(part for part in said if part)


def _axes(options: Mapping[str, Any]) -> str:
    y = options.get("y_label") or _several(options.get("y", ()), options)
    x = options.get("x_label") or _several(options.get("x_metric") or options.get("x", ()), options)
    if y and x:
        return (
            f"{y} (vertical) against {x} (horizontal)."[:1].upper()
            + (f"{y} (vertical) against {x} (horizontal)."[1:])
        )
    return f"Shown: {y or x}." if y or x else ""


def _panels(options: Mapping[str, Any]) -> str:
    facets = [
        str(options[one]).replace("_", " ") for one in ("columns", "rows") if options.get(one)
    ]
    return f"One panel for each {' and '.join(facets)}." if facets else ""


def _methods(options: Mapping[str, Any], config: Config) -> str:
    chosen = (options.get("where") or {}).get("method")
    names = [chosen] if isinstance(chosen, str) else list(chosen or config.methods)
    labels = [config.methods[one].label or one for one in names if one in config.methods]
    if not labels:
        return ""
    more = len(labels) - _NAMED
    listed = ", ".join(labels[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"Methods: {listed}."


def _several(values: Any, options: Mapping[str, Any]) -> str:
    words = options.get("labels") or {}
    listed: Iterable[Any] = values if isinstance(values, list | tuple) else [values]
    return ", ".join(
        str(words.get(one, compact(one).replace("_", " "))) for one in map(str, listed)
    )
