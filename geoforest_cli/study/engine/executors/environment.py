"""Facts that two machines must share for a cell to yield the same rows on both.

The text of this module is sent to workers that may have other sources, or none, or another
version of Python, for which no pickle will do: it imports the standard library only.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["PACKAGES", "describe", "differences", "versions"]

PACKAGES = ("geoforest", "numpy", "scipy", "numba", "scikit-learn", "umap-learn", "pynndescent")
# geoforest's rooms that decide rows; a wheel and a checkout have the same modules there
_ROOMS = ("core", "estimators", "problems", "study/experiment.py", "study/plan", "study/engine")


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Return the versions of those packages that are installed.

    Examples
    --------
    >>> sorted(versions(("numpy", "no-such-package")))
    ['numpy']
    """
    installed = {}
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            installed[package] = importlib.metadata.version(package)
    return installed


def describe(packages: Sequence[str]) -> dict[str, str]:
    """Return what decides rows here: Python, packages, and the digest of geoforest's sources."""
    python = ".".join(platform.python_version_tuple()[:2])
    description = {"python": python, **versions(packages)}
    spec = importlib.util.find_spec("geoforest_cli")
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent
        digest = hashlib.sha256()
        for room in _ROOMS:
            path = folder / room
            for module in [path] if path.is_file() else sorted(path.rglob("*.py")):
                digest.update(module.relative_to(folder).as_posix().encode() + b"\0")
                digest.update(module.read_bytes() + b"\0")
        description["geoforest's sources"] = digest.hexdigest()[:16]
    return description


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """Return in words how another machine differs; nothing if it does not.

    Examples
    --------
    >>> differences({"numpy": "2.4.6", "scipy": "1.17"}, {"numpy": "2.5.0", "torch": "2.13"})
    'numpy 2.5.0 instead of 2.4.6, no scipy, torch 2.13 instead of none'
    >>> differences({"numpy": "2.4.6"}, {"numpy": "2.4.6"})
    ''
    """
    parts = []
    for name in dict.fromkeys((*ours, *theirs)):
        here, there = ours.get(name), theirs.get(name)
        if here != there:
            parts.append(f"{name} {there} instead of {here or 'none'}" if there else f"no {name}")
    return ", ".join(parts)
