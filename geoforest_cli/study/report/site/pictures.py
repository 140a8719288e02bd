"""Figures for the site: which file of each, its size, a small picture, what it shows in words."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.figures.options import compact, fill_in
from geoforest_cli.study.report.site.charts import figure_section
from geoforest_cli.study.report.site.runs import Run

__all__ = ["Picture", "pictures", "size_of", "thumbnail"]

_LARGE = 150_000  # bytes of an SVG; of larger ones the PNG is shown
_SMALL = (320, 250)  # twice as many pixels as are shown
_WHOLE = (1500, 4000)
_NAMED = 6
_VIEW = re.compile(rb'<svg[^>]*\bviewBox="[-.\d]+ [-.\d]+ ([.\d]+) ([.\d]+)"')


@dataclass(frozen=True)
class Picture:
    """A figure as the site shows it.

    Attributes
    ----------
    figure : str
        Its name in ``run.figures``.
    source : Path
        The file that the run has left.
    name : str
        What it is called in the site.
    content : Path or bytes
        The file that is copied, or the content of a smaller one.
    title, alt : str
        A caption, and what the figure shows for those who do not see it.
    size : (int, int) or None
        Width and height; None where the file does not say.
    """

    figure: str
    source: Path
    name: str
    content: Path | bytes
    title: str
    alt: str
    size: tuple[int, int] | None


def pictures(runs: Iterable[Run]) -> dict[Path, list[Picture]]:
    """Return the figures of runs by their pages, the main one first.

    Of an SVG that is large, the PNG beside it is shown, in fewer colours.
    """
    return {
        run.path: [_picture(name, path, run) for name, path in run.figures.items()] for run in runs
    }


def _picture(name: str, path: Path, run: Run) -> Picture:
    large = path.suffix == ".svg" and path.stat().st_size > _LARGE
    small = _smaller(path.with_suffix(".png"), _WHOLE, 256) if large else None
    content = path if small is None or len(small) > path.stat().st_size else small
    file = path.name if content is path else f"{path.stem}.png"
    size = size_of(content)
    return Picture(name, path, file, content, _title(name, run), _words(name, run), size)


def size_of(content: Path | bytes) -> tuple[int, int] | None:
    """Return width and height of a PNG or SVG; None where it does not say.

    Examples
    --------
    >>> size_of(b'<svg viewBox="0 0 30.4 20"></svg>')
    (30, 20)
    """
    data = content.read_bytes() if isinstance(content, Path) else content
    if view := _VIEW.search(data):
        return round(float(view[1])), round(float(view[2]))
    try:
        with Image.open(io.BytesIO(data)) as image:
            return image.size
    except (OSError, ValueError):
        return None


def thumbnail(path: Path) -> bytes | None:
    """Return a small PNG of a figure; None where there are no pixels to make it of."""
    return _smaller(path.with_suffix(".png"), _SMALL, 64)


def _smaller(path: Path, size: tuple[int, int], colours: int) -> bytes | None:
    """The picture of at most a size in few colours; None where there is none to be read."""
    try:
        with Image.open(path) as image:
            plain = Image.new("RGB", image.size, "white")
            plain.paste(image, mask=image.getchannel("A") if "A" in image.getbands() else None)
    except (OSError, ValueError):
        return None
    plain.thumbnail(size, Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    plain.quantize(colours).save(buffer, "PNG", optimize=True)
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
    options = figure_section(name, config)
    known = {**config.params, **config.grid_values}
    axes = fill_in(_axes(options), options.get("where") or {}, known)
    said += [axes, _panels(options), _methods(options, config)]
    if config.published and options.get("published", True) and not run.caution:
        said.append("Published values are drawn dashed over ours.")
    return " ".join(part for part in said if part)


def _axes(options: Mapping[str, Any]) -> str:
    y = options.get("y_label") or _several(options.get("y", ()), options)
    x = options.get("x_label") or _several(options.get("x_metric") or options.get("x", ()), options)
    if y and x:
        sentence = f"{y} (vertical) against {x} (horizontal)."
        return sentence[:1].upper() + sentence[1:]
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
