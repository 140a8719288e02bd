"""The configs, experiments and docs that the package brings along."""

from __future__ import annotations

from pathlib import Path

__all__ = ["bundled"]

_PACKAGE = Path(__file__).resolve().parents[1]


def bundled(kind: str) -> Path:
    """Return the folder of the configs or experiments that geoforest brings along.

    In a checkout it lies beside the package, in an installed package within it.
    """
    within = _PACKAGE / f"_{kind}"
    return within if within.is_dir() else _PACKAGE.parent / kind
