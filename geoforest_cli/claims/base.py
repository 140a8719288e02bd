"""What all kinds of check share: the fields of a claim and its evaluation."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self, TypedDict

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from geoforest_cli.claims import printed
from geoforest_cli.claims.averaging import averaged
from geoforest_cli.claims.decision import ALPHA
from geoforest_cli.claims.printed import Print
from geoforest_cli.claims.repetition import overlap_at, sentence
from geoforest_cli.claims.table import PublishedValues, Table
from geoforest_cli.claims.verdicts import (
    Decision,
    GridPoint,
    Region,
    Rule,
    State,
    Verdict,
    decide,
)
from geoforest_cli.repetition import Split, Unit

__all__ = [
    "Ahead",
    "BetweenBounds",
    "Circumstances",
    "Claim",
    "Judged",
    "Method",
    "Model",
    "Number",
    "Origin",
    "Tolerance",
]

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Tolerance = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, gt=0, le=1)]
Scalar = str | int | float | bool
Origin = Literal["paper", "ours", "agreement"]
Place = tuple[str | int, ...]


class Model(BaseModel):
    """A part of a claim in a config: frozen, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Method(Model):
    """One method of the config in one of its variants."""

    name: str
    variant: str

    def __str__(self) -> str:
        return f"{self.name} {self.variant}"


@dataclass(frozen=True)
class Circumstances:
    """What a run knows about its rows and a claim does not.

    Attributes
    ----------
    caution : str
        Why the rows do not judge the paper, if so: a smaller profile, something changed.
    lacking : mapping
        Methods that were not run -> why.
    unit, split
        Of the config or the experiment; a claim's own come first.
    """

    caution: str = ""
    lacking: Mapping[str, str] = field(default_factory=dict)
    unit: Unit = "sample"
    split: Split | None = None


class Judged(TypedDict):
    """A claim with its verdict, as ``claims.json`` holds it.

    A claim that is not judged says why (`reason`) and which state its numbers give all the same
    (`preliminary`, None where there are none). Estimate, interval, its `level` and `n` are those
    of the contrast that decides (`deciding`); `points` has each point's own state. `supporting`
    and `refuting` count points that are clear by themselves; `repetitions` would decide what is
    undecided. `print` is the sentence held against the paper's own numbers.
    """

    id: str
    origin: Origin
    says: str
    quote: str
    section: str
    primary: str
    unit: Unit
    caution: str
    where: dict[str, Any]
    verdict: Verdict
    reason: str
    preliminary: State | None
    estimate: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    deciding: dict[str, Any]
    p_support: float | None
    p_refute: float | None
    check: str
    quantity: str
    allowed: list[float | None]
    quantifier: str | float
    tie: float
    expect: str
    supporting: int
    refuting: int
    repetitions: int | None
    print: Print | None
    points: list[dict[str, Any]]
    note: str


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
    averaged_over : list of str, optional
        Grid columns that are averaged over first, repetition by repetition; the quantifier counts
        the points that are left.
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
    averaged_over: tuple[str, ...] = ()
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
    def points(self, table: Table, published: PublishedValues) -> list[GridPoint]:
        """The contrasts at every point judged."""

    @abstractmethod
    def region(self) -> Region:
        """Where every contrast must lie."""

    @abstractmethod
    def quantity(self) -> str:
        """What the statistic is, in words."""

    @abstractmethod
    def methods(self) -> tuple[tuple[Place, Method], ...]:
        """The methods named, each with its place in the claim."""

    @abstractmethod
    def metrics(self) -> tuple[tuple[Place, str], ...]:
        """The metrics named, each with its place in the claim."""

    def axes(self) -> tuple[tuple[Place, str], ...]:
        """The grid columns named outside ``where``, each with its place in the claim."""
        return ()

    def remark(self, points: list[GridPoint]) -> str:
        """A sentence of the kind's own about the outcome."""
        del points
        return ""

    def rule(self) -> Rule:
        """How the claim is decided."""
        return Rule(self.region(), self.quantifier, exact=self.interval == "none")

    def evaluate(
        self, table: Table, published: PublishedValues, around: Circumstances | None = None
    ) -> Judged:
        """Judge the claim."""
        around = around or Circumstances()
        unit, split = self.unit or around.unit, self.split or around.split
        points = averaged(self.points(table, published), self.averaged_over)
        for point in points:
            point.overlap = overlap_at(unit, split, point.at, table)
        at_hand = decide(points, self.rule())
        verdict, reason, chosen = self._verdict(points, at_hand, around)
        alone = [decide([point], self._alone()) for point in points]
        states = [one.state if one else None for one in alone]
        where = {k: list(v) if isinstance(v, tuple) else v for k, v in self.where.items()}
        region = self.region()
        return {
            "id": self.id,
            "origin": self.origin,
            "says": self.says,
            "quote": self.quote,
            "section": self.section,
            "primary": self.primary,
            "unit": unit,
            "caution": around.caution,
            "where": where,
            "verdict": verdict,
            "reason": reason,
            "preliminary": at_hand.state if at_hand else None,
            "estimate": chosen.estimate if chosen else None,
            "low": chosen.low if chosen else None,
            "high": chosen.high if chosen else None,
            "level": chosen.level if chosen else 1 - 2 * ALPHA,
            "n": chosen.n if chosen else 0,
            "deciding": chosen.deciding if chosen else {},
            "p_support": chosen.p_support if chosen else None,
            "p_refute": chosen.p_refute if chosen else None,
            "check": self.check,
            "quantity": self.quantity(),
            "allowed": [_finite(region.low), _finite(region.high)],
            "quantifier": self.quantifier,
            "tie": self.rule().tie,
            "expect": self.expect,
            "supporting": states.count("supported"),
            "refuting": states.count("refuted"),
            "repetitions": chosen.repetitions if chosen else None,
            "print": self._print(table, published),
            "points": [_point(point, one) for point, one in zip(points, alone, strict=True)],
            "note": self._note(points, states, chosen, sentence(unit, points)),
        }

    def _alone(self) -> Rule:
        """The rule at a point by itself."""
        rule = self.rule()
        return Rule(rule.region, "all", rule.tie, rule.exact, rule.prediction)

    def _verdict(
        self, points: list[GridPoint], at_hand: Decision | None, around: Circumstances
    ) -> tuple[Verdict, str, Decision | None]:
        """The verdict, the reason for none, and the decision whose numbers are shown."""
        if around.caution:
            return "not judged", around.caution, at_hand
        names = dict.fromkeys(method.name for _, method in self.methods())
        lacking = "; ".join(
            f"{name} was left out: {around.lacking[name]}"
            for name in names
            if name in around.lacking
        )
        if at_hand is None:
            return "not judged", lacking or _nothing(points), None
        if not any(point.missing for point in points):
            return at_hand.state, "", at_hand
        strict = decide(points, self.rule(), strict=True)
        if strict is not None and strict.state != "undecided":
            # whatever the missing cells would have given
            return strict.state, "", strict
        return "not judged", lacking or _cells(points), at_hand

    def _print(self, table: Table, published: PublishedValues) -> Print | None:
        if self.origin != "paper":
            return None
        theirs = printed.PrintedTable(table, published)
        named = [
            (method.name, method.variant, metric)
            for _, method in self.methods()
            for _, metric in self.metrics()
        ]
        return printed.held_against(
            averaged(self.points(theirs, published), self.averaged_over),
            self.region(),
            self.quantifier,
            theirs.differences(named),
        )

    def _note(
        self,
        points: list[GridPoint],
        states: list[State | None],
        chosen: Decision | None,
        unit: str,
    ) -> str:
        parts = [self.remark(points)]
        if len(points) > 1:
            parts.append(f"Clear by themselves: {_counted(states)} of {len(points)} points.")
        if any(point.missing for point in points):
            parts.append(_cells(points).capitalize() + ".")
        if self.interval == "none":
            parts.append("No interval: the estimate alone decides.")
        elif chosen and chosen.n == 1:
            parts.append("A single repetition has no interval.")
        elif chosen and chosen.state == "undecided":
            parts.append(_decidable(chosen))
        if self.interval != "none":
            parts.append(unit)
        return " ".join(part for part in parts if part)


def _counted(states: list[State | None]) -> str:
    kinds: tuple[State, ...] = ("supported", "refuted", "tie")
    found = [f"{states.count(kind)} {kind}" for kind in kinds if states.count(kind)]
    return ", ".join(found) or "none"


def _decidable(chosen: Decision) -> str:
    if chosen.repetitions is None:
        return "No number of repetitions up to 100,000 would decide at this mean and spread."
    return (
        f"About {max(chosen.repetitions, chosen.n + 1)} repetitions would decide with power .8, "
        "if mean and spread stay as they are."
    )


def _cells(points: list[GridPoint]) -> str:
    lost = sum(point.missing > 0 for point in points)
    where = f" at {lost} of {len(points)} points" if len(points) > 1 else ""
    return f"cells failed or are missing{where}"


def _nothing(points: list[GridPoint]) -> str:
    if any(point.missing for point in points):
        return _cells(points)
    return "no repetition gave a number" if points else "there are no rows to judge"


def _point(point: GridPoint, one: Decision | None) -> dict[str, Any]:
    numbers = {
        "estimate": one.estimate if one else None,
        "low": one.low if one else None,
        "high": one.high if one else None,
        "n": one.n if one else 0,
    }
    at = {**point.at, **one.deciding} if one else point.at
    state = one.state if one else "not judged"
    return {
        "at": at,
        **numbers,
        "contrasts": len(point.contrasts),
        "missing": point.missing,
        "verdict": state,
    }


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


class Ahead(Claim):
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


class BetweenBounds(Claim):
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
