"""Figures as files of the same bytes every day."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.core.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["KINDS", "save", "save_as"]

KINDS = ("svg", "pdf", "png")
_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


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
    figure.savefig(buffer, format=kind, dpi=200, metadata=_METADATA[kind], **box)
    data = buffer.getvalue()
    # Matplotlib repeats each label in a comment, where XML allows no control characters
    write_atomically(file, escape_control_characters(data.decode()) if kind == "svg" else data)
