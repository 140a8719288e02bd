"""Where results come from: enough to run them again, or to see why that differs."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import psutil

from geoforest_cli.engine.executor import Cell, Outcome, Plan
from geoforest_cli.engine.rows import write_atomically
from geoforest_cli.engine.worker import PINS
from geoforest_cli.methods import METHODS

__all__ = ["SCHEMA", "Clock", "checkout", "collect", "write"]

SCHEMA = 1
_LONGEST_DIFF = 1_000_000
_GIT_SECONDS = 30


@dataclass(frozen=True)
class Clock:
    """The state of the clocks when a run began."""

    date: datetime
    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Self:
        """Read the clocks."""
        return cls(datetime.now(UTC), time.perf_counter(), sum(os.times()[:4]))


def collect(
    plan: Plan,
    failed: Sequence[tuple[Cell, Outcome]],
    start: Clock,
    jobs: int,
    ran: int,
) -> dict[str, Any]:
    """Gather the provenance of a run that has just ended.

    Parameters
    ----------
    plan : Plan
        What was run.
    failed : sequence of (Cell, Outcome)
        The cells that did not end well.
    start : Clock
        Read when the run began.
    jobs, ran : int
        Worker processes, and cells they ran; the others were kept from earlier runs.
    """
    end = Clock.now()
    return {
        "schema": SCHEMA,
        "config": _config(plan),
        "cells": {
            "total": len(plan.cells),
            "ran": ran,
            "failed": [
                {"cell": cell.key, "what": cell.describe(), "status": one.status, "why": one.error}
                for cell, one in failed
            ],
        },
        "started": start.date.isoformat(timespec="seconds"),
        "ended": end.date.isoformat(timespec="seconds"),
        "wall_seconds": round(end.wall - start.wall, 3),
        "cpu_seconds": round(end.cpu - start.cpu, 3),
        "jobs": jobs,
        "inner_threads": 1,
        "worker_environment": PINS,
        "machine": _machine(),
        "python": {
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
        },
        "packages": _packages(),
        "git": checkout(plan.path),
        "data": _data(plan),
        "bibtex": _bibtex(plan),
    }


def write(facts: dict[str, Any], folder: Path) -> None:
    """Write ``provenance.json``."""
    text = json.dumps(facts, indent=2, ensure_ascii=False, default=str)
    write_atomically(folder / "provenance.json", (text + "\n").encode())


def checkout(path: Path) -> dict[str, Any] | None:
    """Describe the git checkout in which a file lies.

    Returns
    -------
    dict or None
        ``commit``, ``dirty``, ``diff`` of the tracked files against the commit, and the names of
        ``untracked`` files; None without git, outside a checkout, and for a file that the
        checkout ignores (a package installed into an environment within it, say).
    """
    folder = path.resolve().parent
    if _git(folder, "rev-parse", "--is-inside-work-tree") != "true":
        return None
    if _git(folder, "check-ignore", str(path.resolve())):
        return None
    top = Path(_git(folder, "rev-parse", "--show-toplevel") or folder)
    diff = _git(top, "diff", "HEAD") or ""
    untracked = (_git(top, "ls-files", "--others", "--exclude-standard") or "").splitlines()
    return {
        "commit": _git(top, "rev-parse", "--verify", "HEAD"),
        "dirty": bool(diff or untracked),
        "diff": diff[:_LONGEST_DIFF],
        "diff_cut": len(diff) > _LONGEST_DIFF,
        "untracked": untracked,
    }


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words and a folder, no shell
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - the user's own git
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", errors="replace").strip("\n")


def _config(plan: Plan) -> dict[str, Any]:
    data = plan.path.read_bytes()
    return {
        "name": plan.name,
        "profile": plan.profile,
        "overrides": list(getattr(plan, "overrides", ())),
        "seed": plan.config.seed,
        "seeds": "of each cell: from sha256 of this seed and of what the cell is",
        "sha256": hashlib.sha256(data).hexdigest(),
        "text": data.decode("utf-8", errors="replace"),
    }


def _machine() -> dict[str, Any]:
    return {
        "platform": platform.platform(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory": psutil.virtual_memory().total,
    }


def _cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2] for line in text.splitlines() if line.startswith("model name")]
    return names[0].strip() if names else platform.machine()


def _packages() -> dict[str, str]:
    found = {one.name.lower(): one.version for one in importlib.metadata.distributions()}
    return dict(sorted(found.items()))


def _data(plan: Plan) -> list[str]:
    hashes = {str(getattr(cell, "data_version", "") or "") for cell in plan.cells}
    return sorted(hashes - {""})


def _bibtex(plan: Plan) -> list[str]:
    used = {cell.use for cell in plan.cells} & set(METHODS)
    return sorted({entry for use in used for entry in METHODS[use].cite})
