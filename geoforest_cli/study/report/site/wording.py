"""Sentences, claims, numbers and provenance in the words of the site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from geoforest_cli.study.claims.outcome import STATES
from geoforest_cli.study.claims.results import ClaimResult, PointResult, SentenceResult, Verdicts
from geoforest_cli.study.claims.verdicts import Verdict

__all__ = [
    "PAPERS",
    "SITE",
    "SYMBOLS",
    "Claim",
    "Point",
    "Sentence",
    "anchor_of",
    "describe_claim",
    "describe_sentences",
    "duration",
    "paper_name",
]

SITE: Mapping[str, Any] = yaml.safe_load(
    Path(__file__).with_name("site.yaml").read_text(encoding="utf-8")
)
PAPERS: Mapping[str, str] = SITE["papers"]
SYMBOLS: Mapping[str, str] = {**dict(zip(STATES, "✓✗=?–", strict=True)), "mixed": "±"}


@dataclass(frozen=True)
class Point:
    """A point at which a claim was judged."""

    place: str
    estimate: str
    interval: str
    n: int
    verdict: str


@dataclass(frozen=True)
class Claim:
    """A judged claim in words.

    Attributes
    ----------
    raw : ClaimResult
        As ``record.json`` has it.
    anchor : str
        Its identifier in the page of its run.
    rule, place, p, threshold
        Sentences; empty where there is nothing to say.
    """

    raw: ClaimResult
    anchor: str
    estimate: str
    interval: str
    p: str
    rule: str
    place: str
    threshold: str
    points: list[Point]

    @property
    def verdict(self) -> Verdict:
        """The state."""
        return self.raw.verdict

    @property
    def repetitions(self) -> str:
        """How many there were, of what."""
        n, unit = self.raw.n, self.raw.unit
        several = "queries" if unit == "query" else f"{unit}s"
        return f"{n} {unit if n == 1 else several}"

    @property
    def statement(self) -> str:
        """What is tested, as a sentence that needs no other."""
        return self.raw.says[:1].upper() + self.raw.says[1:]


@dataclass(frozen=True)
class Sentence:
    """A sentence of the paper in words, with its parts and its readings.

    Attributes
    ----------
    raw : SentenceResult
        As ``record.json`` has it.
    anchor : str
        Its identifier in the page of its run.
    """

    raw: SentenceResult
    anchor: str
    parts: list[Claim]
    readings: list[Claim]

    @property
    def verdict(self) -> Verdict:
        """The state."""
        return self.raw.verdict

    @property
    def deciding(self) -> Claim | None:
        """The first part with the verdict of the sentence."""
        same = (part for part in self.parts if part.verdict == self.verdict)
        return next(same, self.parts[0] if self.parts else None)

    @property
    def marks(self) -> list[str]:
        """Marks beside the verdict: registration, and a threshold of ours that it hangs on."""
        hangs = ["hangs on a threshold of ours"] if self.raw.hangs else []
        return [self.raw.registration, *hangs]


def paper_name(paper: str) -> str:
    """Return what a paper is called.

    Examples
    --------
    >>> [paper_name(one) for one in ("morf", "mine", "")]
    ['Manifold Forests', 'mine', 'no paper']
    """
    return PAPERS.get(paper, paper or "no paper")


def anchor_of(name: str) -> str:
    """Return the identifier of a claim or sentence in the page of its run."""
    return f"claim-{name}"


def describe_sentences(judged: Verdicts) -> list[Sentence]:
    """Return the sentences of a config in words."""
    claims = {claim.id: describe_claim(claim) for claim in judged.claims}
    return [
        Sentence(
            raw=one,
            anchor=f"sentence-{one.key}",
            parts=[claims[name] for name in one.parts],
            readings=[claims[name] for name in one.readings],
        )
        for one in judged.sentences
    ]


def describe_claim(claim: ClaimResult) -> Claim:
    """Return a claim of a config in words."""
    several = len(claim.points) > 1
    return Claim(
        raw=claim,
        anchor=anchor_of(claim.id),
        estimate=_number(claim.estimate),
        interval=_interval(claim),
        p=_p(claim),
        rule=_rule(claim),
        place=_place(claim.deciding) if several else "",
        threshold=_threshold(claim),
        points=[_point(one) for one in claim.points] if several else [],
    )


def _threshold(claim: ClaimResult) -> str:
    """Verdicts with other thresholds, and of other tables, as sentences."""
    found = ""
    if claim.half or claim.twice:
        found = f"With half of our threshold: {claim.half}; with twice: {claim.twice}. "
    if claim.population:
        found += f"For draws from all such tables (Nadeau and Bengio): {claim.population}."
    return found.strip()


def _point(point: PointResult) -> Point:
    return Point(
        _place(point.at), _number(point.estimate), _interval(point), point.n, point.verdict
    )


def _place(at: Mapping[str, Any]) -> str:
    """A point in words.

    Examples
    --------
    >>> _place({"noise_dims": 10000, "than": "flann as_run"})
    'noise dims 10,000, against flann as run'
    """
    names = {"than": "against"}
    return ", ".join(f"{names.get(k, _words(k))} {_words(v)}" for k, v in at.items())


def _words(value: Any) -> str:
    return f"{value:,}" if type(value) is int else str(value).replace("_", " ")


def _p(claim: ClaimResult) -> str:
    known = {"for it": claim.p_support, "against it": claim.p_refute}
    return ", ".join(f"{_small(p)} {word}" for word, p in known.items() if p is not None)


def _small(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def _rule(claim: ClaimResult) -> str:
    low, high = claim.allowed
    which = {"all": "at every point", "most": "at most points", "mean": "on the mean over points"}
    if low is not None and high is not None:
        bound = f"within {low:g} to {high:g}"
    elif low is not None:
        bound = f"above {low:g}" if claim.check == "greater" else f"at least {low:g}"
    else:
        bound = f"below {high:g}" if claim.check == "less" else f"at most {high:g}"
    share = claim.quantifier
    if isinstance(share, float):
        return f"{bound}, at {share:.0%} of the points"
    return f"{bound}, {which[share]}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _interval(found: ClaimResult | PointResult) -> str:
    if found.low is None or found.high is None:
        return "–"
    return f"[{found.low:.4g}, {found.high:.4g}]"


def duration(seconds: float, *, form: Literal["short", "long"] = "short") -> str:
    """Return a time in the largest unit that says something.

    Examples
    --------
    >>> [duration(s) for s in (0.4, 42, 600, 9000, 400_000)]
    ['0.4 s', '42 s', '10 min', '2.5 h', '4.6 d']
    >>> duration(3600, form="long")
    '1 hour'
    """
    words = ("s", "min", "h", "d") if form == "short" else ("seconds", "minutes", "hours", "days")
    for size, unit in zip((86400, 3600, 60), words[:0:-1], strict=True):
        if seconds >= size:
            found = f"{seconds / size:.2g} {unit}"
            return found[:-1] if form == "long" and found.startswith("1 ") else found
    return f"{seconds:.2g} {words[0]}"
