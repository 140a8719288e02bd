"""Facts of a run that judging a claim needs, and what comes out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from geoforest_cli.problems.metrics.kinds import MetricKind
from geoforest_cli.study.claims.verdicts import State, Verdict
from geoforest_cli.study.repetition import Split, Unit

__all__ = [
    "Answer",
    "ClaimResult",
    "EvaluationContext",
    "PointResult",
    "SentenceResult",
    "Verdicts",
]

Registration = Literal["registered", "post hoc"]


@dataclass(frozen=True)
class EvaluationContext:
    """Facts that a run knows about its rows and a claim does not.

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
    trials : int
        Of a count, in each repetition.
    registered : collection of str
        Claims that test what they were to test before the first cell of this seed was run.
    """

    caution: str = ""
    lacking: Mapping[str, str] = field(default_factory=dict)
    unit: Unit = "sample"
    split: Split | None = None
    kinds: Mapping[str, MetricKind] = field(default_factory=dict)
    trials: int = 1
    registered: Collection[str] = ()


class RecordPart(BaseModel):
    """Part of ``record.json``."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Judged(RecordPart):
    """Verdict, and the estimate that it rests on with its 95 % interval."""

    verdict: Verdict
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0


class PointResult(Judged):
    """Point at which a claim was judged, and its own state."""

    at: dict[str, Any]
    missing: int = 0


class ClaimResult(Judged):
    """Claim with its verdict.

    Attributes
    ----------
    verdict, reason, preliminary
        A claim that is not judged says why, and which state its numbers give all the same.
    estimate, low, high, n, test, deciding
        Of the contrast that decides, with its 95 % interval.
    half, twice : str or None
        The verdict with half and with twice a threshold that is ours.
    population : str or None
        The verdict where splits of one table stand for draws from all tables.
    registration : str
        Whether what it tests was fixed before the data of its run were drawn.
    """

    id: str
    sentence: str | None
    reading: bool
    says: str
    expect: str
    check: str
    quantity: str
    where: dict[str, Any]
    quantifier: str | float
    allowed: tuple[float | None, float | None]
    tie: float
    unit: Unit
    registration: Registration
    reason: str = ""
    preliminary: State | None = None
    test: str = ""
    deciding: dict[str, Any] = {}
    p_support: float | None = None
    p_refute: float | None = None
    half: State | None = None
    twice: State | None = None
    population: State | None = None
    published: Any = Field(default=None, exclude=True)  # of former versions, as `note`
    points: tuple[PointResult, ...] = ()
    note: str = Field(default="", exclude=True)


class SentenceResult(RecordPart):
    """Sentence of the paper with its verdict, from those of its parts.

    Attributes
    ----------
    key : str
        Its name in the config.
    reason, preliminary
        A sentence that is not judged says why, and which state its numbers give all the same.
    parts, readings : tuple of str
        Claims that decide it, and those that show on what it depends.
    hangs : bool
        Whether the verdict is another one with half or twice a threshold that is ours.
    """

    key: str
    quote: str
    paraphrase: str
    section: str
    why: str
    holds: str | int
    verdict: Verdict
    reason: str
    preliminary: Verdict | None = None
    registration: Registration
    hangs: bool
    parts: tuple[str, ...]
    readings: tuple[str, ...]

    @property
    def text(self) -> str:
        """Sentence, in quotation marks where it is one."""
        return f"“{self.quote}”" if self.quote else self.paraphrase


class Verdicts(RecordPart):
    """Sentences and claims of a run."""

    version: Literal[2] = 2
    caution: str = ""
    sentences: tuple[SentenceResult, ...] = ()
    claims: tuple[ClaimResult, ...] = ()

    def claim(self, name: str) -> ClaimResult | None:
        """Return the claim of an id."""
        return next((claim for claim in self.claims if claim.id == name), None)

    def sentence(self, key: str) -> SentenceResult | None:
        """Return the sentence of a key."""
        return next((sentence for sentence in self.sentences if sentence.key == key), None)


class Answer(BaseModel):
    """Question and its answer, as ``record.json`` holds them.

    `verdict` is that of all sentences of the artifact, "mixed" where theirs differ.
    """

    question: str
    text: str
    verdict: Verdict | Literal["mixed"]
