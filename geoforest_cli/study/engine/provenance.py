"""Where results come from: enough to run them again, or to see why that differs."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from geoforest_cli.core.files import write_atomically
from geoforest_cli.core.processor import processor
from geoforest_cli.study import citations
from geoforest_cli.study.engine.estimate import durations
from geoforest_cli.study.engine.rows import Collected
from geoforest_cli.study.engine.store import Store
from geoforest_cli.study.plan.cells import Plan
from geoforest_cli.study.plan.identities import method_identities

__all__ = [
    "DIFF",
    "checkout",
    "collect",
    "last_run",
    "mixture",
    "origin",
    "swhid",
]

DIFF = "checkout.diff"
_GIT_SECONDS = 30
# a checkout may name programs for git to run: it is not trusted
_NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")


def origin(path: Path) -> dict[str, str]:
    """Return what is recorded of every cell that is run now: the commit it is run from."""
    state = checkout(path)
    if state is None:
        return {"commit": ""}
    return {"commit": f"{state['commit']}{' with changes' if state['dirty'] else ''}"}


def collect(plan: Plan, store: Store, table: Collected) -> dict[str, Any]:
    """Gather where the rows that are shown come from.

    Parameters
    ----------
    plan : Plan
        What was run.
    store : Store
    table : Collected
        Its rows and the records they were read from.

    Returns
    -------
    dict
        Fields of the run's record.
    """
    failed = [
        {"cell": entry.cell.key, "what": entry.describe(), "status": status, "why": error}
        for entry, status, error in table.failed
    ]
    seen = set(table.frame["cell"])
    failed += [
        {"cell": key, "what": job.describe(), "status": "missing", "why": ""}
        for key, job in plan.jobs.items()
        if key not in seen
    ]
    return {
        "config": {
            "name": plan.name,
            "text": plan.texts[plan.path],
            "overrides": plan.overrides,
            "seed": plan.config.seed,
            "extends": [{"name": path.name, "text": plan.texts[path]} for path in plan.parents],
        },
        "cells": {"total": len(plan.jobs), "failed": failed},
        "environment": _environment(store, table),
        "measures_time": plan.experiment.measured,
        "durations": durations(summary for summary, _, _ in table.shown),
        "data": {name: data.version for name, data in plan.data_sets().items()},
        "used": {name: entry.version for name, entry in sorted(plan.used.items())},
        "identities": method_identities(plan),
        "bibtex": citations.of_plan(plan),
    }


def last_run(plan: Plan, folder: Path, start: datetime, slots: int, ran: int) -> dict[str, Any]:
    """Describe the run that has ended; keep the changes of its checkout in ``checkout.diff``.

    What of the checkout is not committed is a file of its own, so that it can be left out where
    results are published.

    Parameters
    ----------
    plan : Plan
    folder : Path
        Of the run.
    start : datetime
        When the run began.
    slots, ran : int
        Cells at once, and cells that ran; the others were kept from earlier runs.
    """
    end = datetime.now(UTC)
    git = checkout(plan.path)
    diff: bytes = git.pop("diff") if git else b""
    if diff:
        write_atomically(folder / DIFF, diff)
    else:
        (folder / DIFF).unlink(missing_ok=True)
    return {
        "started": start.isoformat(timespec="seconds"),
        "ended": end.isoformat(timespec="seconds"),
        "wall_seconds": round((end - start).total_seconds(), 3),
        "cells": ran,
        "at_once": slots,
        "machine": _machine(),
        "packages": _packages(),
        "git": {**git, "diff": hashlib.sha256(diff).hexdigest() if diff else ""} if git else None,
    }


def mixture(store: Store, table: Collected) -> str:
    """Return the kinds of processor and the versions of numpy of the shown rows, where several."""
    by_origin = store.origins()
    origins = [by_origin.get(origin, {}) for origin in {origin for _, origin, _ in table.shown}]
    # each version of numpy spells the features of a processor in its own way
    spellings = {
        (origin.get("numpy"), origin["kernels"]) for origin in origins if origin.get("kernels")
    }
    differ = len(spellings) > len({version for version, _ in spellings})
    versions = sorted({origin["numpy"] for origin in origins if origin.get("numpy")})
    processors = {
        f"{origin['processor']} with {origin['kernels']}"
        if differ and origin.get("kernels")
        else origin["processor"]
        for origin in origins
        if origin.get("processor")
    }
    kinds = f"{len(processors)} kinds of processor ({', '.join(sorted(processors))})"
    numpy = f"numpy {', '.join(versions[:-1])} and {versions[-1]}" if versions else ""
    return ", ".join([kinds] * (len(processors) > 1) + [numpy] * (len(versions) > 1))


def _environment(store: Store, table: Collected) -> dict[str, Any]:
    """Return with what the shown rows were made: each origin, and the facts that differ."""
    by_origin = store.origins()
    groups: dict[str, list[str]] = {}
    for _, name, finished in table.shown:
        groups.setdefault(name, []).append(finished)
    origins: list[dict[str, Any]] = [
        {
            "records": len(dates),
            "first": min(dates),
            "last": max(dates),
            "seconds": round(sum(s.seconds for s, origin, _ in table.shown if origin == name), 3),
            **by_origin.get(name, {}),
        }
        for name, dates in groups.items()
    ]
    origins.sort(key=lambda origin: (origin["first"], -origin["records"]))
    facts = dict.fromkeys(fact for name in groups for fact in by_origin.get(name, {}))
    differ = [fact for fact in facts if len({origin.get(fact) for origin in origins}) > 1]
    return {"differ": differ, "origins": origins}


def checkout(path: Path) -> dict[str, Any] | None:
    """Describe the git checkout in which a file lies.

    Returns
    -------
    dict or None
        ``commit`` and ``swhid``, its identifier at Software Heritage; ``dirty``, ``diff`` of the
        tracked files against the commit, as bytes that ``git apply`` takes, and the names of
        ``untracked`` files; None without git, outside a checkout, and for a file that the
        checkout ignores (a package installed into an environment within it, say).
    """
    folder = path.resolve().parent
    if _git(folder, "rev-parse", "--is-inside-work-tree") != "true":
        return None
    if _git(folder, "check-ignore", str(path.resolve())):
        return None
    top = Path(_git(folder, "rev-parse", "--show-toplevel") or folder)
    plain = ("--binary", "--no-ext-diff", "--no-textconv")
    diff = _output(top, "diff", *plain, "HEAD") or b""
    untracked = (_git(top, "ls-files", "--others", "--exclude-standard") or "").splitlines()
    commit = _git(top, "rev-parse", "--verify", "HEAD")
    return {
        "commit": commit,
        "swhid": swhid(commit),
        "dirty": bool(diff or untracked),
        "diff": diff,
        "untracked": untracked,
    }


def swhid(commit: str | None) -> str | None:
    """Return the identifier under which Software Heritage knows a commit, if it can have one.

    Examples
    --------
    >>> swhid("f74051aad59a559061849b4623ef8686d1361206")
    'swh:1:rev:f74051aad59a559061849b4623ef8686d1361206'
    >>> swhid(64 * "0") is None  # of a repository of SHA-256
    True
    """
    return f"swh:1:rev:{commit}" if commit and re.fullmatch("[0-9a-f]{40}", commit) else None


def _git(folder: Path, *arguments: str) -> str | None:
    output = _output(folder, *arguments)
    return None if output is None else output.decode("utf-8", errors="replace").strip("\n")


def _output(folder: Path, *arguments: str) -> bytes | None:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words and a folder, no shell
            ["git", *_NO_PROGRAMS, "-C", str(folder), *arguments],  # noqa: S607 - the user's own
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def _machine() -> dict[str, Any]:
    return {
        "platform": platform.platform(),
        "cpu": processor(),
        "cores": os.cpu_count(),
        "memory": psutil.virtual_memory().total,
    }


def _packages() -> dict[str, str]:
    packages = dict(map(_name_and_version, importlib.metadata.distributions()))
    return dict(sorted(packages.items()))


def _name_and_version(package: importlib.metadata.Distribution) -> tuple[str, str]:
    """Return name and version; parsing all metadata takes twenty times as long."""
    text = package.read_text("METADATA") or package.read_text("PKG-INFO") or ""
    name, version = (
        re.search(rf"^{key}:[ \t]*(.*)$", text, re.MULTILINE) for key in ("Name", "Version")
    )
    if name is None or version is None:
        return package.name.lower(), package.version
    return name[1].strip().lower(), version[1].strip()
