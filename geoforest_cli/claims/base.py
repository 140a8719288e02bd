"""What all kinds of check share: the fields of a claim and its evaluation."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self, TypedDict

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from geoforest_cli.claims.intervals import Interval, Kind, interval
from geoforest_cli.claims.table import PublishedValues, Table
from geoforest_cli.claims.verdicts import Judge, Region, Verdict, combine

__all__ = ["BetweenBounds", "Claim", "Judged", "Method", "Model", "Number", "Sample", "Tolerance"]

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Tolerance = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, gt=0, le=1)]
Scalar = str | int | float | bool


class Model(BaseModel):
    """A part of a claim in a config: frozen, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Method(Model):
    """One method of the config in one of its variants."""

    name: str
    variant: str

    def __str__(self) -> str:
        return f"{self.name} {self.variant}"


@dataclass
class Sample:
    """The statistic of a check at one point.

    Attributes
    ----------
    point : dict
        Grid values, and what else tells the point apart (``than``).
    values : dict
        Repetition -> statistic.
    missing : int
        Failed or missing cells that should have contributed.
    """

    point: dict[str, Any]
    values: dict[int, float] = field(default_factory=dict)
    missing: int = 0


class Judged(TypedDict):
    """A claim with its verdict, as ``claims.json`` holds it.

    ``caution`` says why it does not judge the paper, if it does not; the numbers are those of the
    point that decides, `points` has each point's own.
    """

    id: str
    says: str
    caution: str
    where: dict[str, Any]
    verdict: Verdict
    estimate: float | None
    low: float | None
    high: float | None
    n: int
    check: str
    quantity: str
    allowed: list[float | None]
    quantifier: str | float
    interval: str
    level: float
    expect: str
    points: list[dict[str, Any]]
    note: str


class Claim(Model):
    """A sentence of a paper as a check over rows.

    Parameters
    ----------
    id : str
        Short name, unique in the config.
    says : str
        The paper's sentence, with its section.
    expect : str, optional
        What we expect; shown, never used for the verdict.
    check : str
        The kind of check.
    where : mapping
        Grid column -> value or list of values; every remaining grid point is judged.
    quantifier : {"all", "most", "mean"} or float
        Over the points: at all of them, at more than half, on their mean, or at a share of them.
    interval : {"paired_t", "bootstrap", "none"}
        See `intervals.interval`. One repetition has no interval and is inconclusive, unless
        "none" lets the estimate alone decide.
    level : float
        Coverage of the interval at each point.
    judge : {"interval", "mean"}
        See `verdicts.Region.verdict`.
    """

    id: Annotated[str, Field(min_length=1)]
    says: Annotated[str, Field(min_length=1)]
    expect: str = ""
    check: str
    where: Mapping[str, Scalar | tuple[Scalar, ...]] = {}
    quantifier: Literal["all", "most", "mean"] | Share = "all"
    interval: Kind = "paired_t"
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    judge: Judge = "interval"

    @field_validator("where", mode="before")
    @classmethod
    def _no_empty_filter(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and any(item in ([], ()) for item in value.values()):
            raise ValueError("a filter of 'where' must name at least one value")
        return value

    @abstractmethod
    def samples(self, table: Table, published: PublishedValues) -> list[Sample]:
        """The statistic at every point judged."""

    @abstractmethod
    def region(self) -> Region:
        """Where the statistic must lie."""

    @abstractmethod
    def quantity(self) -> str:
        """What the statistic is, in words."""

    @abstractmethod
    def methods(self) -> tuple[tuple[tuple[str | int, ...], Method], ...]:
        """The methods named, each with its place in the claim."""

    @abstractmethod
    def metrics(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """The metrics named, each with its place in the claim."""

    def axes(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """The grid columns named outside ``where``, each with its place in the claim."""
        return ()

    def tests(self, samples: list[Sample]) -> list[dict[str, float]]:
        """What a kind that tests many points at once adds to each: p, p_adjusted, level."""
        return [{} for _ in samples]

    def remark(self, samples: list[Sample]) -> str:
        """A sentence of the kind's own about the outcome."""
        del samples
        return ""

    def evaluate(self, table: Table, published: PublishedValues, caution: str = "") -> Judged:
        """Judge the claim; `caution` says why the rows do not judge the paper, if so."""
        samples = self.samples(table, published)
        region = self.region()
        tests = self.tests(samples)
        found = [
            interval(list(s.values.values()), self.interval, test.get("level", self.level))
            for s, test in zip(samples, tests, strict=True)
        ]
        verdicts = [
            self._verdict(region, i, s.missing) for i, s in zip(found, samples, strict=True)
        ]
        decisive, verdict = self._decide(region, samples, found, verdicts)
        where = {k: list(v) if isinstance(v, tuple) else v for k, v in self.where.items()}
        return {
            "id": self.id,
            "says": self.says,
            "caution": caution,
            "where": where,
            "verdict": verdict,
            "estimate": decisive.estimate,
            "low": decisive.low,
            "high": decisive.high,
            "n": decisive.n,
            "check": self.check,
            "quantity": self.quantity(),
            "allowed": [_finite(region.low), _finite(region.high)],
            "quantifier": self.quantifier,
            "interval": self.interval,
            "level": self.level,
            "expect": self.expect,
            "points": [
                {"at": s.point, **_numbers(i), **test, "missing": s.missing, "verdict": v}
                for s, i, v, test in zip(samples, found, verdicts, tests, strict=True)
            ],
            "note": self._note(samples, found, verdicts),
        }

    def _verdict(self, region: Region, found: Interval, missing: int) -> Verdict:
        return "inconclusive" if missing else region.verdict(found, self.judge)

    def _decide(
        self,
        region: Region,
        samples: list[Sample],
        found: list[Interval],
        verdicts: list[Verdict],
    ) -> tuple[Interval, Verdict]:
        """The interval that decides and the verdict over all points."""
        if not samples:
            return Interval(None, None, None, 0), "inconclusive"
        if self.quantifier == "mean":
            pooled = interval(_pooled(samples), self.interval, self.level)
            return pooled, self._verdict(region, pooled, sum(s.missing for s in samples))
        verdict = combine(verdicts, self.quantifier)
        order = sorted(range(len(found)), key=lambda i: region.slack(found[i]))
        if isinstance(self.quantifier, float):
            # from the worst on, the first point that must not be bad
            spared = int((1 - self.quantifier) * len(order) + 1e-9)
            return found[order[min(spared, len(order) - 1)]], verdict
        if self.quantifier == "most":
            return found[order[(len(order) - 1) // 2]], verdict
        agreeing = [i for i in order if verdicts[i] == verdict]
        return found[(agreeing or order)[0]], verdict

    def _note(self, samples: list[Sample], found: list[Interval], verdicts: list[Verdict]) -> str:
        parts = [self.remark(samples)]
        if not samples:
            parts.append("There are no rows to judge.")
        elif len(samples) > 1:
            held = verdicts.count("reproduced")
            parts.append(f"Holds at {held} of {len(samples)} points.")
        if missing := sum(s.missing for s in samples):
            parts.append(f"{missing} failed or missing cells make their points inconclusive.")
        if self.interval == "none":
            parts.append("No interval: the estimate alone decides.")
        elif any(i.n == 1 for i in found):
            parts.append("A single repetition has no interval.")
        return " ".join(part for part in parts if part)


def _pooled(samples: list[Sample]) -> list[float]:
    common = set.intersection(*(set(s.values) for s in samples))
    return [math.fsum(s.values[r] for s in samples) / len(samples) for r in sorted(common)]


def _numbers(found: Interval) -> dict[str, Any]:
    return {"estimate": found.estimate, "low": found.low, "high": found.high, "n": found.n}


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


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
