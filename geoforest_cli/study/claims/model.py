"""Sentences of a paper and the claims that test them, as a config states them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, field_validator, model_validator

from geoforest_cli.core import suggestions
from geoforest_cli.core.models import Model
from geoforest_cli.problems.metrics.kinds import MetricKind
from geoforest_cli.study.repetition import Split, Unit

__all__ = ["KINDS", "Claim", "ClaimMethod", "Kind", "Location", "Quantifier", "Region", "Sentence"]

Number = Annotated[float, Field(allow_inf_nan=False)]
Tolerance = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, lt=1)]
Scalar = str | int | float | bool
Values = Annotated[tuple[Number, ...], Field(min_length=1)]
Location = tuple[str | int, ...]
Quantifier = Literal["all", "most", "mean"] | Share


class Kind(NamedTuple):
    """Kind of check: what it says, and which fields it has beside those of every claim."""

    about: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


_LEVEL = ("value", "times_chance")
_LEAD = ("margin", "tie", "axis", "at", "against")
_BOUNDS = ("at_least", "at_most")
KINDS: Mapping[str, Kind] = {
    "at_least": Kind("a metric is at least a value, or a multiple of chance", (), _LEVEL),
    "at_most": Kind("a metric is at most a value, or a multiple of chance", (), _LEVEL),
    "greater": Kind("one method is above others by more than a margin", ("than",), _LEAD),
    "less": Kind("one method is below others by more than a margin", ("than",), _LEAD),
    "near": Kind("a metric is within a tolerance of a number", ("target", "tolerance")),
    "range": Kind("a metric varies by no more than a tolerance on an axis", ("axis", "tolerance")),
    "ratio": Kind("a metric of one method is so many times that of another", ("over",), _BOUNDS),
    "slope": Kind("a metric grows like a power of a grid parameter", ("axis",), (*_BOUNDS, "than")),
}
_THRESHOLDS = ("tolerance", "margin", "tie", *_LEVEL, *_BOUNDS)
_EQUALITY = {("at_least", 1), ("at_most", 1), ("times_chance", 1)}
_FIELDS_OF_KINDS = {f for kind in KINDS.values() for f in (*kind.required, *kind.optional)}


class ClaimMethod(Model):
    """One method of the config in one of its variants."""

    name: str
    variant: str

    def __str__(self) -> str:
        return f"{self.name} {self.variant}"


class Sentence(Model):
    """Sentence of the paper; claims with its key are its parts, or readings of it.

    Parameters
    ----------
    quote : str
        Word for word.
    paraphrase : str
        Instead of a quote, where the paper has a formula.
    section : str
        Where it stands.
    why : str
        Why the variants of its parts decide it.
    holds : {"all", "most"} or int
        How many of its parts must be supported.
    """

    quote: str = ""
    paraphrase: str = ""
    section: Annotated[str, Field(min_length=1)]
    why: str = ""
    holds: Literal["all", "most"] | Annotated[int, Field(gt=0)] = "all"

    @model_validator(mode="after")
    def _quote_or_paraphrase(self) -> Self:
        if bool(self.quote) == bool(self.paraphrase):
            raise ValueError("give either 'quote' or 'paraphrase'")
        return self


class Region(NamedTuple):
    """Values a claim allows.

    Attributes
    ----------
    low, high : float
        Bounds, infinite where there is none.
    open : bool
        Whether the bounds themselves are excluded ("greater than"): there the two sides tie.
    """

    low: float = -math.inf
    high: float = math.inf
    open: bool = False


class Claim(Model):
    """Check over rows: a contrast of metrics, and the region it must lie in.

    Parameters
    ----------
    id : str
        Short name, unique in the config.
    sentence : str, optional
        Key of the sentence that it is a part of; without one the claim is ours.
    reading : bool
        Another reading of the sentence, which is shown and does not decide it.
    says : str
        What is tested.
    expect : str
        What we expect; shown, never used for the verdict.
    check : str
        The kind: a key of `KINDS`.
    metric, method
        What is judged.
    than : tuple of Method
        ``greater``, ``less``, ``slope``: the methods that it is compared with.
    over : Method
        ``ratio``: the method in the denominator.
    axis : str
        ``range``, ``slope``: the grid column along which the metric varies; ``greater``, ``less``:
        that of `at` and `against`, the values between which the change of a lead is judged.
    value, times_chance, target, tolerance, margin, at_least, at_most
        The threshold.
    tie : float
        Within so much of the margin, either way, the two sides tie.
    threshold : {"ours", "paper"}
        Who set the threshold. One of ours is tried at half and at twice its value.
    where : mapping
        Grid column -> value or list of values; every remaining grid point is judged.
    quantifier : {"all", "most", "mean"} or float
        Over the points: all of them, more than half, their mean, or a share of them.
    unit, split
        What a repetition is; by default the config's, or the experiment's.
    exact : bool
        For deterministic methods on fixed data: the value decides.
    """

    id: Annotated[str, Field(min_length=1)]
    sentence: str | None = None
    reading: bool = False
    says: Annotated[str, Field(min_length=1)]
    expect: str = ""
    check: str
    metric: str
    method: ClaimMethod
    than: tuple[ClaimMethod, ...] = ()
    over: ClaimMethod | None = None
    axis: str | None = None
    at: Values | None = None
    against: Values | None = None
    value: Number | None = None
    times_chance: Annotated[float, Field(gt=0)] | None = None
    target: Number | None = None
    tolerance: Tolerance | None = None
    margin: Number = 0.0
    tie: Tolerance = 0.0
    at_least: Number | None = None
    at_most: Number | None = None
    threshold: Literal["ours", "paper"] = "ours"
    where: Mapping[str, Scalar | tuple[Scalar, ...]] = {}
    quantifier: Quantifier = "all"
    unit: Unit | None = None
    split: Split | None = None
    exact: bool = False

    @field_validator("check")
    @classmethod
    def _is_a_kind(cls, check: str) -> str:
        if check not in KINDS:
            raise ValueError(suggestions.unknown("check", check, list(KINDS)))
        return check

    @model_validator(mode="after")
    def _fields_of_its_kind(self) -> Self:
        kind = KINDS[self.check]
        for name in kind.required:
            if not (getattr(self, name) or getattr(self, name) == 0):
                raise ValueError(f"a check {self.check!r} needs {name!r}")
        allowed = {*kind.required, *kind.optional}
        for name in sorted(self.model_fields_set & _FIELDS_OF_KINDS - allowed):
            raise ValueError(f"a check {self.check!r} has no {name!r}")
        if self.check in {"at_least", "at_most"} and (self.value is None) == (
            self.times_chance is None
        ):
            raise ValueError("give either 'value' or 'times_chance'")
        unbounded = self.at_least is None and self.at_most is None
        if self.check in {"ratio", "slope"} and unbounded != bool(self.than):
            raise ValueError("give 'at_least', 'at_most' or both")
        if self.check in {"greater", "less"} and (
            len({self.axis is None, self.at is None, self.against is None}) > 1
        ):
            raise ValueError("'axis', 'at' and 'against' go together")
        if self.reading and self.sentence is None:
            raise ValueError("a reading needs the 'sentence' it reads")
        return self

    def region(self) -> Region:
        """Return the values that every contrast must have."""
        if self.check == "greater":
            return Region(low=self.margin, open=True)
        if self.check == "less":
            return Region(high=self.margin, open=True)
        if self.check in {"near", "range"}:
            centre, tolerance = self.target or 0.0, self.tolerance or 0.0
            return Region(centre - tolerance, centre + tolerance)
        if self.than:  # of exponents
            return Region(high=0.0, open=True)
        bounds = {"at_least": self.at_least, "at_most": self.at_most}
        if self.check in bounds:
            bounds[self.check] = self.value if self.times_chance is None else self.times_chance
        low, high = bounds.values()
        return Region(-math.inf if low is None else low, math.inf if high is None else high)

    def methods(self) -> list[tuple[Location, ClaimMethod]]:
        """Return the methods named, each with its location in the claim."""
        others = enumerate(self.than)
        over: list[tuple[Location, ClaimMethod]] = [(("over",), self.over)] if self.over else []
        return [(("method",), self.method), *over, *((("than", i), m) for i, m in others)]

    def scaled(self, factor: float, kind: MetricKind) -> Claim | None:
        """Return the claim with a threshold so many times as far; None where ours is none.

        A bound near the upper end of the metric's range is so many times as far from that end, a
        multiple of chance so many times as far above it.
        """
        values = {name: value for name in _THRESHOLDS if (value := getattr(self, name))}
        # a ratio of 1 is no threshold, it is equality
        numbers = {n: v for n, v in values.items() if (n, v) not in _EQUALITY}
        if self.threshold == "paper" or self.exact or not numbers:
            return None
        changed = {name: value * factor for name, value in numbers.items()}
        if math.isfinite(kind.high) and kind.low + kind.high < 2 * numbers.get("value", -math.inf):
            changed["value"] = kind.high - (kind.high - numbers["value"]) * factor
        if "times_chance" in numbers:
            changed["times_chance"] = 1.0 + (numbers["times_chance"] - 1.0) * factor
        return self.model_copy(update=changed)

    def quantity(self) -> str:
        """Return the contrast in words."""
        base = f"{self.metric} of {self.method}"
        each = "each of " if len(self.than) > 1 else ""
        minus = f" minus that of {each}{', '.join(map(str, self.than))}" if self.than else ""
        if self.at and self.against:
            low, high = (", ".join(f"{x:g}" for x in xs) for xs in (self.at, self.against))
            minus += f", at {self.axis} {low} minus that at {high}"
        quantities = {
            "range": f"difference in {base} between two values of {self.axis}",
            "ratio": f"{base} over that of {self.over}",
            "slope": f"exponent of the {base} in {self.axis}{minus}",
        }
        over = " over chance" if self.times_chance else ""
        return quantities.get(self.check, f"{base}{minus}{over}")
