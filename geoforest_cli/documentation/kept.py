"""What tables in the docs are made of: summaries of the reference."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd

from geoforest_cli.files import read_packed

__all__ = ["nothing_of", "summary"]


def summary(reference: Path, config: str) -> pd.DataFrame | None:
    """Return a config's summary, packed or not; None if it is not kept."""
    try:
        table = read_packed(reference / config / "summary.csv")
    except FileNotFoundError:
        return None
    return pd.read_csv(io.BytesIO(table))


def nothing_of(config: str) -> str:
    """Return what stands in the place of a table whose config is not kept."""
    return f"The outcome of `{config}` is not in `results/reference` yet.\n"
