"""Judging the claims of a config over its rows, and the sentences that they are parts of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.contrasts import GridPoint, contrasts
from geoforest_cli.study.claims.estimates import Estimate
from geoforest_cli.study.claims.model import Claim, Sentence
from geoforest_cli.study.claims.published_values import (
    PublishedAnswer,
    PublishedTable,
    check_published,
)
from geoforest_cli.study.claims.results import (
    ClaimResult,
    EvaluationContext,
    PointResult,
    SentenceResult,
    Verdicts,
)
from geoforest_cli.study.claims.verdicts import (
    Decision,
    Rule,
    State,
    Verdict,
    decide,
    sentence_state,
)
from geoforest_cli.study.frames import PublishedValues, Rows, Table
from geoforest_cli.study.repetition import Split, Unit

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["evaluate"]

_UNITS = {
    "seed": "The interval is that of the method's seeds on this one data set.",
    "query": "The interval is that of the queries of this one data set.",
    "split": "The interval is that of splits of this one table.",
}


def evaluate(
    claims: Iterable[Mapping[str, Any]],
    sentences: Mapping[str, Mapping[str, Any]],
    frame: pd.DataFrame,
    published: pd.DataFrame | None = None,
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
    published : pandas.DataFrame, optional
        Published values in the form of rows.
    context : EvaluationContext, optional

    Raises
    ------
    pydantic.ValidationError, geoforest_cli.core.errors.UserError
        For a claim that `validation.checker` would have refused.
    """
    context = context or EvaluationContext()
    values, rows = PublishedValues(published), Rows(frame)
    parsed = [Claim.model_validate(dict(raw)) for raw in claims]
    results = [
        _judge(claim, Table(rows, claim.where, values, context.kinds), context) for claim in parsed
    ]
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
    points = [
        replace(point, overlap=_overlap(unit, split, point.at, table))
        for point in contrasts(claim, table)
    ]
    rule = _rule(claim, context.trials)
    available = decide(points, rule)
    verdict, reason, decision = _verdict(claim, points, available, rule, context)
    estimate = decision.estimate if decision else None
    low, high = (estimate and estimate.interval()) or (None, None)

    def decide_with(factor: float) -> Decision | None:
        """With another threshold, where it is ours."""
        scaled = claim.scaled(factor, table.kind(claim.metric)) if claim.sentence else None
        return decide(points, _rule(scaled, context.trials)) if scaled else None

    return ClaimResult(
        **{name: getattr(claim, name) for name in ("id", "sentence", "reading", "says")},
        **{name: getattr(claim, name) for name in ("expect", "check", "quantifier", "tie")},
        quantity=claim.quantity(),
        where={k: list(v) if isinstance(v, tuple) else v for k, v in claim.where.items()},
        allowed=tuple(b if math.isfinite(b) else None for b in claim.region()[:2]),
        unit=unit,
        registration="registered" if claim.id in context.registered else "post hoc",
        verdict=verdict,
        reason=reason,
        preliminary=available.state if available else None,
        estimate=estimate.mean if estimate else None,
        low=low,
        high=high,
        n=estimate.n if estimate else 0,
        test=estimate.test if estimate else "",
        deciding=decision.at if decision else {},
        p_support=decision.p_support if decision else None,
        p_refute=decision.p_refute if decision else None,
        half=_state(decide_with(0.5)),
        twice=_state(decide_with(2.0)),
        population=_state(decide(points, replace(rule, population=True)))
        if unit == "split" and not claim.exact
        else None,
        published=_published(claim, table),
        points=tuple(_point(point, rule) for point in points),
        note=_note(claim, points, decision, unit),
    )


def _rule(claim: Claim, trials: int) -> Rule:
    return Rule(claim.region(), claim.quantifier, claim.tie, claim.exact, trials=trials)


def _state(decision: Decision | None) -> State | None:
    return decision.state if decision else None


def _overlap(unit: Unit, split: Split | None, at: Mapping[str, Any], table: Table) -> float:
    if unit != "split":
        return 0.0
    if split is None:
        raise UserError("the unit 'split' needs 'split', such as {test: 0.5}")
    if split.column is None or split.column in at:
        return split.overlap(at)
    # an axis of the check: the split that overlaps most
    return max(split.overlap({split.column: value}) for value in table.values(split.column))


def _verdict(
    claim: Claim,
    points: list[GridPoint],
    available: Decision | None,
    rule: Rule,
    context: EvaluationContext,
) -> tuple[Verdict, str, Decision | None]:
    """The verdict, the reason for none, and the decision whose numbers are shown."""
    if context.caution:
        return "not judged", context.caution, available
    names = dict.fromkeys(method.name for _, method in claim.methods())
    lacking = "; ".join(
        f"{name} was left out: {context.lacking[name]}" for name in names if name in context.lacking
    )
    if available is None:
        return "not judged", lacking or _nothing(points), None
    if not any(point.missing for point in points):
        return available.state, "", available
    strict = decide(points, rule, strict=True)
    if strict is not None and strict.state != "undecided":
        # whatever the missing cells would have given
        return strict.state, "", strict
    return "not judged", lacking or _missing(points), available


def _missing(points: Sequence[GridPoint]) -> str:
    lost = sum(point.missing > 0 for point in points)
    where = f" at {lost} of {len(points)} points" if len(points) > 1 else ""
    return f"cells failed or are missing{where}"


def _nothing(points: Sequence[GridPoint]) -> str:
    if any(point.missing for point in points):
        return _missing(points)
    return "no repetition gave a number" if points else "there are no rows to judge"


def _point(point: GridPoint, rule: Rule) -> PointResult:
    decision = decide([point], replace(rule, quantifier="all"))
    estimate: Estimate | None = decision.estimate if decision else None
    low, high = (estimate and estimate.interval()) or (None, None)
    return PointResult(
        at={**point.at, **(decision.at if decision else {})},
        estimate=estimate.mean if estimate else None,
        low=low,
        high=high,
        n=estimate.n if estimate else 0,
        verdict=decision.state if decision else "not judged",
        missing=point.missing,
    )


def _published(claim: Claim, table: Table) -> PublishedAnswer | None:
    if claim.sentence is None:
        return None
    published = PublishedTable(table)
    named = [(method.name, method.variant, claim.metric) for _, method in claim.methods()]
    points, differences = contrasts(claim, published), published.differences(named)
    return check_published(points, claim.region(), claim.quantifier, differences)


def _note(claim: Claim, points: list[GridPoint], decision: Decision | None, unit: Unit) -> str:
    """The basis of the verdict, in sentences."""
    estimate = decision.estimate if decision else None
    parts = []
    if any(point.missing for point in points):
        parts.append(f"{_missing(points).capitalize()}.")
    if claim.exact:
        parts.append("Exact: the value decides.")
    elif estimate and estimate.n == 1:
        parts.append("A single repetition has no interval.")
    elif estimate and estimate.interval() is None:
        parts.append(f"No variation in {estimate.n} repetitions: the value decides.")
    elif estimate and unit in _UNITS:
        parts.append(_UNITS[unit])
    return " ".join(parts)


def _sentence(key: str, sentence: Sentence, claims: Sequence[ClaimResult]) -> SentenceResult:
    mine = [claim for claim in claims if claim.sentence == key]
    parts = [claim for claim in mine if not claim.reading]
    verdict = _of_parts([part.verdict for part in parts], sentence)
    at_hand = _of_parts([part.preliminary or "not judged" for part in parts], sentence)
    reasons = dict.fromkeys(part.reason for part in parts if part.verdict == "not judged")
    others = {
        _of_parts([getattr(one, name) or one.verdict for one in parts], sentence)
        for name in ("half", "twice")
    }
    return SentenceResult(
        key=key,
        **sentence.model_dump(),
        verdict=verdict,
        reason="; ".join(filter(None, reasons)) if verdict == "not judged" else "",
        preliminary=None if at_hand == "not judged" else at_hand,
        registration="registered"
        if parts and all(part.registration == "registered" for part in parts)
        else "post hoc",
        hangs=verdict != "not judged" and others != {verdict},
        parts=tuple(part.id for part in parts),
        readings=tuple(claim.id for claim in mine if claim.reading),
    )


def _of_parts(verdicts: Sequence[Verdict], sentence: Sentence) -> Verdict:
    return sentence_state(verdicts, sentence.holds) if verdicts else "not judged"
