"""Figures for the site: the drawing within the page or a file of pixels, and its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoforest_cli.core.figure_files import MAX_DRAWING
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.figures.options import compact, fill_in
from geoforest_cli.study.report.site.drawing import inline
from geoforest_cli.study.report.site.runs import Run, damage_named

__all__ = ["Picture", "figure_section", "pictures"]


@dataclass(frozen=True)
class Picture:
    """A figure as the site shows it.

    Attributes
    ----------
    file : Path
        The image of it: pixels, or the drawing where there are none.
    title, alt : str
        A caption, and what the figure shows for those who do not see it.
    drawing : str
        The SVG as part of the page; empty where the file is shown as an image.
    """

    file: Path
    title: str
    alt: str
    drawing: str


def pictures(run: Run) -> list[Picture]:
    """Return the figures of a run, the main one first."""
    return [_picture(name, path, run) for name, path in run.figures.items()]


def figure_section(name: str, config: Config) -> Mapping[str, Any]:
    """Return what a config says of the figure of a name, ``figure_NAME`` for further ones."""
    return config.more_figures.get(name.removeprefix("figure_"), config.figure)


def _picture(name: str, path: Path, run: Run) -> Picture:
    part = name.removeprefix("figure_").replace("_", " ")
    title = run.title if name in {"figure", run.name} else f"{run.title}: {part}"
    alt = f"Figure: {title}. {_axes(name, run.config) if run.config else ''}".strip()
    with damage_named(path):
        data = path.read_bytes() if path.suffix != ".png" else b""
        drawing = inline(data, f"{path.stem}-", alt) if 0 < len(data) <= MAX_DRAWING else ""
    pixels = path.with_suffix(".png")
    return Picture(pixels if pixels.is_file() else path, title, alt, drawing)


def _axes(name: str, config: Config) -> str:
    """The axes of a figure in a sentence."""
    options = figure_section(name, config)
    words = options.get("labels") or {}
    told = {
        axis: options.get(f"{axis}_label") or _listed(options.get(axis, ()), words) for axis in "xy"
    }
    sentence = f"{told['y']} (vertical) against {told['x']} (horizontal)."
    if not all(told.values()):
        sentence = f"Shown: {told['x'] or told['y']}." if any(told.values()) else ""
    known = {**config.params, **config.grid_values}
    sentence = fill_in(sentence, options.get("where") or {}, known)
    return sentence[:1].upper() + sentence[1:]


def _listed(values: Any, words: Mapping[str, str]) -> str:
    names: Iterable[Any] = values if isinstance(values, list | tuple) else [values]
    return ", ".join(words.get(name, compact(name).replace("_", " ")) for name in map(str, names))
