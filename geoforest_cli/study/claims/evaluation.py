"""Judging the claims of a config over its rows, and the sentences that they are parts of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from geoforest_cli.study.claims.contrasts import GridPoint, contrasts
from geoforest_cli.study.claims.model import Claim, Sentence
from geoforest_cli.study.claims.results import (
    ClaimResult,
    EvaluationContext,
    PointResult,
    SentenceResult,
    Verdicts,
)
from geoforest_cli.study.claims.verdicts import Decision, Rule, Verdict, decide, sentence_state
from geoforest_cli.study.frames import Rows, Table
from geoforest_cli.study.repetition import Split

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["evaluate"]

_COPIED = {"id", "sentence", "reading", "says", "expect", "check", "where", "quantifier", "tie"}


def evaluate(
    claims: Iterable[Mapping[str, Any]],
    sentences: Mapping[str, Mapping[str, Any]],
    frame: pd.DataFrame,
    context: EvaluationContext | None = None,
) -> Verdicts:
    """Judge every claim and every sentence.

    Parameters
    ----------
    claims, sentences
        As a config states them.
    frame : pandas.DataFrame
        All rows, those of failed cells too: a claim that failed or missing cells could turn is
        not judged.
    context : EvaluationContext, optional

    Raises
    ------
    pydantic.ValidationError
        For a claim that `validation.checker` would have refused.
    """
    context = context or EvaluationContext()
    rows = Rows(frame)
    parsed = [Claim.model_validate(dict(raw)) for raw in claims]
    results = [_judge(claim, Table(rows, claim.where, context.kinds), context) for claim in parsed]
    return Verdicts(
        caution=context.caution,
        sentences=tuple(
            _sentence(key, Sentence.model_validate(dict(raw)), results)
            for key, raw in sentences.items()
        ),
        claims=tuple(results),
    )


def _judge(claim: Claim, table: Table, context: EvaluationContext) -> ClaimResult:
    unit, split = claim.unit or context.unit, claim.split or context.split
    points = contrasts(claim, table)
    rule = _rule(claim, context)
    available = decide(points, rule)
    verdict, reason, decision = _verdict(claim, points, available, rule, context)
    states: dict[str, Verdict | None] = {"preliminary": available.state if available else None}
    if unit == "split" and split is not None and not claim.exact:
        overlapping = [replace(p, overlap=_overlap(split, p.at, table)) for p in points]
        states["population"] = _state(overlapping, rule)
    for name, factor in (("half", 0.5), ("twice", 2.0)):
        scaled = claim.scaled(factor, table.kind(claim.metric)) if claim.sentence else None
        states[name] = _state(points, _rule(scaled, context)) if scaled else None
    return ClaimResult(
        **claim.model_dump(mode="json", include=_COPIED),
        **states,
        **_numbers(decision),
        quantity=claim.quantity(),
        allowed=tuple(b if math.isfinite(b) else None for b in claim.region()[:2]),
        unit=unit,
        registration="registered" if claim.id in context.registered else "post hoc",
        verdict=verdict,
        reason=reason,
        test=decision.estimate.test if decision and decision.estimate else "",
        deciding=decision.at if decision else {},
        p_support=decision.p_support if decision else None,
        p_refute=decision.p_refute if decision else None,
        points=tuple(_point(point, rule) for point in points),
    )


def _rule(claim: Claim, context: EvaluationContext) -> Rule:
    return Rule(claim.region(), claim.quantifier, claim.tie, claim.exact, trials=context.trials)


def _state(points: Sequence[GridPoint], rule: Rule) -> Verdict | None:
    decision = decide(points, rule)
    return decision.state if decision else None


def _numbers(decision: Decision | None) -> dict[str, Any]:
    """Estimate of a decision, and its interval."""
    estimate = decision.estimate if decision else None
    if estimate is None:
        return {}
    low, high = estimate.interval() or (None, None)
    return {"estimate": estimate.mean, "low": low, "high": high, "n": estimate.n}


def _overlap(split: Split, at: Mapping[str, Any], table: Table) -> float:
    """Overlap of splits at a point; on an axis of the check, the largest."""
    column = split.column
    if column is None or column in at:
        return split.overlap(at)
    return max(split.overlap({column: value}) for value in table.values(column))


def _verdict(
    claim: Claim,
    points: Sequence[GridPoint],
    available: Decision | None,
    rule: Rule,
    context: EvaluationContext,
) -> tuple[Verdict, str, Decision | None]:
    """Verdict, the reason for none, and the decision whose numbers are shown."""
    if context.caution:
        return "not judged", context.caution, available
    names = dict.fromkeys(method.name for _, method in claim.methods())
    lacking = "; ".join(
        f"{name} was left out: {context.lacking[name]}" for name in names if name in context.lacking
    )
    missing = _missing(points)
    if available is None:
        no_number = "no repetition gave a number" if points else "there are no rows to judge"
        return "not judged", lacking or missing or no_number, None
    if not missing:
        return available.state, "", available
    strict = decide(points, rule, strict=True)
    if strict is not None and strict.state != "undecided":
        # whatever the missing cells would have given
        return strict.state, "", strict
    return "not judged", lacking or missing, available


def _missing(points: Sequence[GridPoint]) -> str:
    """Clause on failed and missing cells; empty where there are none."""
    lost = sum(point.missing > 0 for point in points)
    where = f" at {lost} of {len(points)} points" if len(points) > 1 else ""
    return f"cells failed or are missing{where}" if lost else ""


def _point(point: GridPoint, rule: Rule) -> PointResult:
    decision = decide([point], replace(rule, quantifier="all"))
    return PointResult(
        at={**point.at, **(decision.at if decision else {})},
        **_numbers(decision),
        verdict=decision.state if decision else "not judged",
        missing=point.missing,
    )


def _sentence(key: str, sentence: Sentence, claims: Sequence[ClaimResult]) -> SentenceResult:
    related = [claim for claim in claims if claim.sentence == key]
    parts = [claim for claim in related if not claim.reading]

    def of_parts(name: str) -> Verdict:
        """Return the state by a field of the parts, or by their verdicts where it is empty."""
        states: list[Verdict] = [getattr(part, name) or part.verdict for part in parts]
        return sentence_state(states, sentence.holds) if parts else "not judged"

    verdict, preliminary = of_parts("verdict"), of_parts("preliminary")
    reasons = dict.fromkeys(part.reason for part in parts if part.verdict == "not judged")
    registered = parts and all(part.registration == "registered" for part in parts)
    return SentenceResult(
        key=key,
        **sentence.model_dump(),
        verdict=verdict,
        reason="; ".join(filter(None, reasons)) if verdict == "not judged" else "",
        preliminary=None if preliminary == "not judged" else preliminary,
        registration="registered" if registered else "post hoc",
        hangs=verdict != "not judged" and {of_parts("half"), of_parts("twice")} != {verdict},
        parts=tuple(part.id for part in parts),
        readings=tuple(claim.id for claim in related if claim.reading),
    )
