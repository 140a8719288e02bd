"""What two machines must have in common for a cell to yield the same rows on both.

The text of this module is sent to workers that may have other sources, or none, or another
version of Python, for which no pickle will do: it imports the standard library only.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import platform
from collections.abc import Mapping
from pathlib import Path

__all__ = ["PACKAGES", "describe", "differences", "versions"]

PACKAGES = ("geoforest", "numpy", "scipy", "numba", "scikit-learn", "umap-learn", "pynndescent")
# geoforest is compared by its sources
_DECIDING = (*PACKAGES[1:], "pandas", "pyarrow", "pyflann-py3", "cvxpy", "torch", "treeple", "ydf")


def versions(packages: tuple[str, ...] = PACKAGES) -> dict[str, str]:
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


def describe() -> dict[str, str]:
    """Return what decides rows here: Python, packages, and the digest of geoforest's sources."""
    python = ".".join(platform.python_version_tuple()[:2])
    known = {"python": python, **versions(_DECIDING)}
    spec = importlib.util.find_spec("geoforest_cli")
    if spec is None or spec.origin is None:
        return known
    package = Path(spec.origin).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        # the bundled copies of experiments are only in wheels; experiments are sent with the cells
        if not path.relative_to(package).parts[0].startswith("_experiments"):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    return {**known, "geoforest's sources": digest.hexdigest()[:16]}


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
        if there is None:
            parts.append(f"no {name}")
        elif here != there:
            parts.append(f"{name} {there} instead of {here or 'none'}")
    return ", ".join(parts)
