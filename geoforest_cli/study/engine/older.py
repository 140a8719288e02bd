"""Cells that a store has from another version of the code, a method or the data."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from geoforest_cli.study.engine.store import Store
from geoforest_cli.study.plan.cells import Job

__all__ = ["describe_older"]

# the parts of an identity that change with an edit or an update
_VERSIONS = frozenset({"experiment", "method_version", "used"})
_BESIDE = frozenset({"label"})  # stored with it


def describe_older(jobs: Iterable[Job], store: Store) -> str:
    """Return a sentence on the cells that the store has in another version only, or "".

    Parameters
    ----------
    jobs : iterable of Job
        Cells that the store does not have.
    store : Store
    """
    identities = list(store.identities())
    same = {_without(_BESIDE, identity) for identity in identities}
    stored = {_without(_BESIDE | _VERSIONS, identity) for identity in identities}
    # a cell of the same version lacks values of an inner parameter only
    older = sum(
        _without(_BESIDE | _VERSIONS, job.cell.identity) in stored
        and _without(_BESIDE, job.cell.identity) not in same
        for job in jobs
    )
    if not older:
        return ""
    return (
        f"{older} cell{'s' if older > 1 else ''} of another version of the experiment's code, a "
        "method or the data: kept in the store, not used; a run computes the cells again"
    )


def _without(names: Collection[str], identity: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in identity.items() if name not in names}
    return json.dumps(kept, sort_keys=True, default=str)
