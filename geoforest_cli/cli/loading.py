"""Loading a config with everything that can be checked before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from geoforest_cli import claims, config
from geoforest_cli.config import Plan
from geoforest_cli.report import published

__all__ = ["load"]


def load(name: str | Path, profile: str = "paper", overrides: Sequence[str] = ()) -> Plan:
    """Read a config; its claims and published sections are validated too."""
    return config.load(name, profile, overrides, checkers=(claims.checker, published.checker))
