"""Looks: the numbers of repetitions at which a claim is judged, declared before any is taken.

Repeating until a claim is decided makes wrong verdicts more frequent: each look at the numbers is a
further chance to be wrong. A config therefore declares its looks, and each is judged at an equal
share of the level: .025 / K a side for K looks. Whatever the looks have in common, and whatever
the check, no claim is then decided wrongly in more than .025 a side (Bonferroni). Pocock's constant
for four looks, .0088 instead of .00625, holds for one test of a normal mean only.

A claim keeps the verdict of the first look that decides it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from geoforest_cli.core.identity import digest
from geoforest_cli.study.claims.base import Claim
from geoforest_cli.study.claims.evaluation import evaluate
from geoforest_cli.study.claims.results import ClaimResult, EvaluationContext
from geoforest_cli.study.claims.validation import parse
from geoforest_cli.study.frames import plain, several

if TYPE_CHECKING:
    import pandas as pd

    from geoforest_cli.study.plan.cells import Plan, PlanEntry

__all__ = ["NextLook", "cells_digest", "entries_of", "judge", "next_look"]


class NextLook(NamedTuple):
    """A number of repetitions, and the entries that are new at it."""

    repetitions: int
    entries: list[PlanEntry]


def judge(
    plan: Plan,
    frame: pd.DataFrame,
    published: pd.DataFrame | None = None,
    context: EvaluationContext | None = None,
) -> list[ClaimResult]:
    """Judge every claim of a config, look after look until one decides it.

    Parameters
    ----------
    plan : Plan
        With the entries of all looks that were taken.
    frame : pandas.DataFrame
        Its rows.
    published : pandas.DataFrame, optional
        Published values in the form of rows.
    context : EvaluationContext, optional

    Returns
    -------
    list of dict
        In the order of the config.
    """
    design, context = plan.design, context or EvaluationContext()
    claims = plan.config.claims
    judged: dict[int, ClaimResult] = {}
    undecided = list(range(len(claims)))
    for number in range(len(design)):
        if number:
            undecided = [
                i
                for i in undecided
                if judged[i]["verdict"] == "undecided"
                and _has_look(parse(claims[i]), plan.entries, design[number - 1])
            ]
        if not undecided:
            break
        rows = frame if len(design) == 1 else frame[frame["repetition"] < design[number]]
        ended = {
            claims[i]["id"]
            for i in undecided
            if design[number] < design[-1]
            and not _has_look(parse(claims[i]), [*plan.entries, *plan.further], design[number])
        }
        at_look = replace(context, design=design, look=number, ended=ended)
        found = evaluate([claims[i] for i in undecided], rows, published, at_look)
        judged |= dict(zip(undecided, found, strict=True))
    return [judged[i] for i in range(len(claims))]


def next_look(plan: Plan, judged: Sequence[ClaimResult]) -> NextLook | None:
    """Return the next look of the claims that are undecided, and the cells that it needs.

    Parameters
    ----------
    plan : Plan
    judged : sequence of dict
        Its claims; those that were judged at most repetitions tell which look was taken last.

    Returns
    -------
    NextLook or None
        None where no look is left that an undecided claim could take.
    """
    before = max((n for result in judged for n in _taken(result)[-1:]), default=0)
    left = [look for look in plan.design if look > before]
    if not before or not left:
        return None
    look = left[0]
    further = [entry for entry in plan.further if before <= entry.repetition < look]
    wanted: dict[int, PlanEntry] = {}
    for raw, result in zip(plan.config.claims, judged, strict=True):
        claim = parse(raw)
        if result["verdict"] == "undecided" and _has_look(claim, further, before):
            wanted |= {id(entry): entry for entry in entries_of(claim, further)}
    return NextLook(look, list(wanted.values())) if wanted else None


def _taken(result: ClaimResult) -> list[int]:
    return result["looks"]["taken"] if "looks" in result else []


def entries_of(claim: Claim, entries: Iterable[PlanEntry]) -> list[PlanEntry]:
    """Return the entries whose rows a claim reads."""
    methods = {(method.name, method.variant) for _, method in claim.methods()}
    allowed = {name: set(map(plain, several(values))) for name, values in claim.where.items()}

    def reads(entry: PlanEntry) -> bool:
        outer = (name for name in allowed if name in entry.point)
        return (entry.method, entry.variant) in methods and all(
            plain(entry.point[name]) in allowed[name] for name in outer
        )

    return [entry for entry in entries if reads(entry)]


def _has_look(claim: Claim, entries: Iterable[PlanEntry], before: int) -> bool:
    """Whether every method of a claim has repetitions beyond those of the look before."""
    found = entries_of(claim, entries)
    beyond = {(entry.method, entry.variant) for entry in found if entry.repetition >= before}
    return bool(beyond) and all((m.name, m.variant) in beyond for _, m in claim.methods())


def cells_digest(claim: Claim, plan: Plan) -> str:
    """Return a digest of the samples and methods of a claim, whatever their repetitions."""
    first = [entry.cell.key for entry in entries_of(claim, plan.entries) if not entry.repetition]
    return digest(sorted(set(first)))[:16]
