"""Cells that a store has from another version of the code, a method or the data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from geoforest_cli.study.engine.store import Store
from geoforest_cli.study.plan.cells import Job

__all__ = ["describe_older"]

# the parts of an identity that change with an edit or an update, and the label stored beside it
_VERSIONS = frozenset({"experiment", "method_version", "used", "label"})


def describe_older(jobs: Iterable[Job], store: Store) -> str:
    """Return a sentence on the cells that the store has in another version only, or "".

    Parameters
    ----------
    jobs : iterable of Job
        Cells that the store does not have.
    store : Store
    """
    stored = {_without_versions(identity) for identity in store.identities()}
    older = sum(_without_versions(job.cell.identity) in stored for job in jobs)
    if not older:
        return ""
    return (
        f"{older} cell{'s' if older > 1 else ''} of another version of the experiment's code, a "
        "method or the data: kept in the store, not used; a run computes the cells again"
    )


def _without_versions(identity: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in identity.items() if name not in _VERSIONS}
    return json.dumps(kept, sort_keys=True, default=str)
