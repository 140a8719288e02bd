"""What all kinds of check share: the fields of a claim and its evaluation."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from geoforest_cli.study.claims import notes
from geoforest_cli.study.claims.points import GridPoint, Region
from geoforest_cli.study.claims.published_values import (
    PublishedAnswer,
    PublishedTable,
    check_published,
)
from geoforest_cli.study.claims.repetition import interval_note, overlap_at
from geoforest_cli.study.claims.results import ClaimResult, EvaluationContext, Origin
from geoforest_cli.study.claims.verdicts import NO_DECISION, Decision, Rule, State, Verdict, decide
from geoforest_cli.study.frames import Table
from geoforest_cli.study.repetition import Split, Unit

__all__ = [
    "BoundsClaim",
    "Claim",
    "GridColumn",
    "Location",
    "MarginClaim",
    "Method",
    "Methods",
    "Metric",
    "Number",
    "Tolerance",
]

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Tolerance = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, gt=0, le=1)]
Scalar = str | int | float | bool
Location = tuple[str | int, ...]
# strings that mean something in the config: they are checked before anything runs
Metric = Annotated[str, "metric"]
GridColumn = Annotated[str, "grid column"]


class Model(BaseModel):
    """A part of a claim in a config: frozen, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Method(Model):
    """One method of the config in one of its variants."""

    name: str
    variant: str

    def __str__(self) -> str:
        return f"{self.name} {self.variant}"


Methods = Annotated[tuple[Method, ...], Field(min_length=1)]


class Claim(Model):
    """A sentence as a check over rows.

    Parameters
    ----------
    id : str
        Short name, unique in the config.
    origin : {"paper", "ours", "agreement"}
        Whether the paper says it, we do, or it compares our numbers with print.
    says : str
        How we take the sentence.
    quote, section : str, optional
        The sentence word for word, and where it stands.
    primary : str, optional
        Makes the claim the one that decides its sentence, and says why this variant does.
    expect : str, optional
        What we expect; shown, never used for the verdict.
    check : str
        The kind of check.
    where : mapping
        Grid column -> value or list of values; every remaining grid point is judged.
    quantifier : {"all", "most", "mean"} or float
        Over the points: at all of them, at more than half, on their mean, or at a share of them.
        A point counts where the claim holds against every rival.
    unit : {"sample", "split", "seed", "query"}, optional
        What a repetition is, see `repetition.Unit`; by default the config's, or the experiment's.
    split : Split, optional
        The share of a table that each split tests or trains on.
    interval : {"t", "none"}
        "none" for deterministic methods on fixed data: the estimate decides.
    """

    id: Annotated[str, Field(min_length=1)]
    origin: Origin
    says: Annotated[str, Field(min_length=1)]
    quote: str = ""
    section: str = ""
    primary: str = ""
    expect: str = ""
    check: str
    where: Mapping[str, Scalar | tuple[Scalar, ...]] = {}
    quantifier: Literal["all", "most", "mean"] | Share = "all"
    unit: Unit | None = None
    split: Split | None = None
    interval: Literal["t", "none"] = "t"

    @field_validator("where", mode="before")
    @classmethod
    def _no_empty_filter(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and any(item in ([], ()) for item in value.values()):
            raise ValueError("a filter of 'where' must name at least one value")
        return value

    @model_validator(mode="after")
    def _quote_with_its_place(self) -> Self:
        if self.quote and not self.section:
            raise ValueError("a 'quote' needs the 'section' it stands in")
        return self

    @abstractmethod
    def points(self, table: Table) -> list[GridPoint]:
        """The contrasts at every point judged, from the rows or from published values."""

    @abstractmethod
    def region(self) -> Region:
        """Where every contrast must lie."""

    def bounds(self) -> list[float | None]:
        """The ends of the region, None where there is none."""
        region = self.region()
        return [_finite(region.low), _finite(region.high)]

    @abstractmethod
    def quantity(self) -> str:
        """What the statistic is, in words."""

    def methods(self) -> list[tuple[Location, Method]]:
        """The methods named, each with its place in the claim."""
        found: list[tuple[Location, Method]] = []
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, Method):
                found.append(((name,), value))
            elif isinstance(value, tuple):
                several = ((i, item) for i, item in enumerate(value) if isinstance(item, Method))
                found += [((name, i), item) for i, item in several]
        return found

    def metrics(self) -> list[tuple[Location, str]]:
        """The metrics named, each with its place in the claim."""
        return self._fields_marked("metric")

    def axes(self) -> list[tuple[Location, str]]:
        """The grid columns named outside ``where``, each with its place in the claim."""
        return self._fields_marked("grid column")

    def _fields_marked(self, role: str) -> list[tuple[Location, str]]:
        fields = type(self).model_fields.items()
        return [((name,), getattr(self, name)) for name, one in fields if role in one.metadata]

    def remark(self, points: list[GridPoint]) -> str:
        """A sentence of the kind's own about the outcome."""
        del points
        return ""

    def rule(self) -> Rule:
        """How the claim is decided."""
        return Rule(self.region(), self.quantifier, exact=self.interval == "none")

    def evaluate(self, table: Table, context: EvaluationContext | None = None) -> ClaimResult:
        """Judge the claim."""
        context = context or EvaluationContext()
        unit, split = self.unit or context.unit, self.split or context.split
        points = self.points(table)
        for point in points:
            point.overlap = overlap_at(unit, split, point.at, table)
        rule = replace(self.rule(), looks=max(1, len(context.design)))
        available = decide(points, rule)
        verdict, reason, chosen = self._verdict(points, available, rule, context)
        decision = chosen or NO_DECISION
        single = [decide([point], replace(rule, quantifier="all")) for point in points]
        looks = context.looks(self.id)
        states = [one.state if one else None for one in single]
        where = {k: list(v) if isinstance(v, tuple) else v for k, v in self.where.items()}
        return {
            "id": self.id,
            "origin": self.origin,
            "says": self.says,
            "quote": self.quote,
            "section": self.section,
            "primary": self.primary,
            "unit": unit,
            "caution": context.caution,
            "where": where,
            "verdict": verdict,
            "reason": reason,
            "preliminary": available.state if available else None,
            "estimate": decision.estimate,
            "low": decision.low,
            "high": decision.high,
            "level": decision.level,
            "n": decision.n,
            "deciding": decision.deciding,
            "p_support": decision.p_support,
            "p_refute": decision.p_refute,
            "check": self.check,
            "quantity": self.quantity(),
            "allowed": self.bounds(),
            "quantifier": self.quantifier,
            "tie": rule.tie,
            "expect": self.expect,
            "supporting": states.count("supported"),
            "refuting": states.count("refuted"),
            "repetitions": decision.repetitions,
            "print": self._published_answer(table),
            "points": [_point_result(*pair) for pair in zip(points, single, strict=True)],
            "note": self._note(
                points,
                states,
                chosen,
                interval_note(unit, points),
                notes.looks_sentence(chosen, looks, ended=self.id in context.ended),
            ),
            "looks": looks,
        }

    def _verdict(
        self,
        points: list[GridPoint],
        available: Decision | None,
        rule: Rule,
        context: EvaluationContext,
    ) -> tuple[Verdict, str, Decision | None]:
        """The verdict, the reason for none, and the decision whose numbers are shown."""
        if context.caution:
            return "not judged", context.caution, available
        names = dict.fromkeys(method.name for _, method in self.methods())
        lacking = "; ".join(
            f"{name} was left out: {context.lacking[name]}"
            for name in names
            if name in context.lacking
        )
        if available is None:
            return "not judged", lacking or notes.nothing_to_judge(points), None
        if not any(point.missing for point in points):
            return available.state, "", available
        strict = decide(points, rule, strict=True)
        if strict is not None and strict.state != "undecided":
            # whatever the missing cells would have given
            return strict.state, "", strict
        return "not judged", lacking or notes.missing_cells(points), available

    def _published_answer(self, table: Table) -> PublishedAnswer | None:
        if self.origin != "paper":
            return None
        published = PublishedTable(table)
        named = [
            (method.name, method.variant, metric)
            for _, method in self.methods()
            for _, metric in self.metrics()
        ]
        points, differences = self.points(published), published.differences(named)
        return check_published(points, self.region(), self.quantifier, differences)

    def _note(
        self,
        points: list[GridPoint],
        states: list[State | None],
        chosen: Decision | None,
        unit: str,
        looks: str,
    ) -> str:
        exact = self.interval == "none"
        missing = any(point.missing for point in points)
        parts = [
            self.remark(points),
            notes.states_sentence(states),
            f"{notes.missing_cells(points).capitalize()}." if missing else "",
            notes.interval_sentence(chosen, exact=exact),
            looks,
            "" if exact else unit,
        ]
        return " ".join(part for part in parts if part)


def _point_result(point: GridPoint, decision: Decision | None) -> dict[str, Any]:
    shown = decision or NO_DECISION
    return {
        "at": {**point.at, **shown.deciding},
        "estimate": shown.estimate,
        "low": shown.low,
        "high": shown.high,
        "level": shown.level,
        "n": shown.n,
        "contrasts": len(point.contrasts),
        "missing": point.missing,
        "verdict": decision.state if decision else "not judged",
    }


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


class MarginClaim(Claim):
    """A check that one side is ahead of others by more than a margin.

    Parameters
    ----------
    margin : float
        The difference that must be exceeded.
    tie : float
        Margin of equivalence: within so much of `margin` the two sides tie. 0 calls only exact
        ties so.
    """

    margin: Number = 0.0
    tie: Tolerance = 0.0

    def rule(self) -> Rule:
        """An open bound, at which the two sides tie."""
        exact = self.interval == "none"
        return Rule(self.region(), self.quantifier, self.tie, exact)


class BoundsClaim(Claim):
    """A check whose statistic must lie between bounds.

    Parameters
    ----------
    at_least, at_most : float, optional
        Bounds of the statistic; at least one of them.
    """

    at_least: Number | None = None
    at_most: Number | None = None

    @model_validator(mode="after")
    def _some_bound(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("give 'at_least', 'at_most' or both")
        return self

    def region(self) -> Region:
        """Between the bounds."""
        low = -math.inf if self.at_least is None else self.at_least
        high = math.inf if self.at_most is None else self.at_most
        return Region(low, high)
