"""What judging a claim needs to know of its run, and what comes out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from geoforest_cli.problems.metrics.kinds import MetricKind
from geoforest_cli.study.claims.published_values import PublishedAnswer
from geoforest_cli.study.claims.verdicts import State, Verdict
from geoforest_cli.study.repetition import Split, Unit

__all__ = ["Answer", "ClaimResult", "Design", "EvaluationContext", "Looks", "Origin"]

Origin = Literal["paper", "ours", "agreement"]
Design: TypeAlias = tuple[int, ...] | None  # None: no looks were declared


@dataclass(frozen=True)
class EvaluationContext:
    """What a run knows about its rows and a claim does not.

    Attributes
    ----------
    caution : str
        Why the rows do not judge the paper, if so: a smaller profile, something changed.
    lacking : mapping
        Methods that were not run -> why.
    unit, split
        Of the config or the experiment; a claim's own come first.
    kinds : mapping
        Of the experiment's own metrics.
    design : tuple of int
        The numbers of repetitions at which claims are judged; the level is shared among them.
    look : int
        Which of them this is, counted from 0.
    earlier : mapping
        Claim -> numbers of repetitions at which the same cells were judged before, each with the
        looks that were declared then: None for none, () where that is not known.
    ended : collection of str
        Claims whose methods have no repetitions beyond this look, whatever the config declares.
    """

    caution: str = ""
    lacking: Mapping[str, str] = field(default_factory=dict)
    unit: Unit = "sample"
    split: Split | None = None
    kinds: Mapping[str, MetricKind] = field(default_factory=dict)
    design: tuple[int, ...] = ()
    look: int = 0
    earlier: Mapping[str, Collection[tuple[int, Design]]] = field(default_factory=dict)
    ended: Collection[str] = ()

    def looks(self, claim: str) -> Looks:
        """Return at which numbers of repetitions a claim was judged up to now."""
        taken = self.design[: self.look + 1]
        last = max(taken, default=0)
        earlier = self.earlier.get(claim, ())
        undeclared = {n for n, design in earlier if n < last and self._is_other(n, design)}
        return {
            "taken": list(taken),
            "declared": list(self.design),
            "undeclared": sorted(undeclared),
        }

    def _is_other(self, repetitions: int, design: Design) -> bool:
        """Whether a look was taken under another design than that of now."""
        if design == ():
            return repetitions not in self.design
        return design is None or design != self.design


class Answer(TypedDict):
    """A question and its answer, as ``report.json`` holds them.

    `verdict` is that of the claims that decide the answer, "mixed" where theirs differ.
    """

    question: str
    text: str
    verdict: Verdict | Literal["mixed"]


class Looks(TypedDict):
    """At which numbers of repetitions a claim was judged.

    `declared` are those of the config, `taken` those of them up to the verdict. `undeclared` are
    smaller numbers at which the same cells were judged before the config declared these looks, or
    while it declared none.
    """

    taken: list[int]
    declared: list[int]
    undeclared: list[int]


class ClaimResult(TypedDict):
    """A claim with its verdict, as ``claims.json`` holds it.

    A claim that is not judged says why (`reason`) and which state its numbers give all the same
    (`preliminary`, None where there are none). Estimate, interval, its `level` and `n` are those
    of the contrast that decides (`deciding`); `points` has each point's own state, and
    the level at which it is decided by itself (files of older versions lack it). `supporting`
    and `refuting` count points that are clear by themselves; `repetitions` would decide what is
    undecided. `print` is the sentence checked on the published values. `looks` are the numbers of
    repetitions at which the claim was judged; files of older versions lack them.
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
    print: PublishedAnswer | None
    points: list[dict[str, Any]]
    note: str
    looks: NotRequired[Looks]
