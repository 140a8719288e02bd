"""Claims, numbers and provenance in the words of the site."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from geoforest_cli.study.claims.outcome import STATES
from geoforest_cli.study.claims.readings import is_late
from geoforest_cli.study.claims.results import ClaimResult, Origin
from geoforest_cli.study.claims.verdicts import Verdict

__all__ = [
    "ORIGIN_WORDS",
    "PAPERS",
    "READINGS",
    "SITE",
    "SYMBOLS",
    "Claim",
    "Point",
    "anchor_of",
    "deciding",
    "describe_claim",
    "duration",
    "failure",
    "folded",
    "paper_name",
]

SITE: Mapping[str, Any] = yaml.safe_load(
    Path(__file__).with_name("site.yaml").read_text(encoding="utf-8")
)
PAPERS: Mapping[str, str] = SITE["papers"]
READINGS: Mapping[str, str] = SITE["readings"]
ORIGIN_WORDS: Mapping[Origin, str] = SITE["origins"]
SYMBOLS: Mapping[str, str] = {**dict(zip(STATES, "✓✗=?–", strict=True)), "mixed": "±"}
_PREFIX = re.compile(r"^(?:Tested as|Ours): ")
_FIRST_WORD = re.compile(r"(?:a|[a-z]{2,})(?=[ ,:])")
_PRINT = {"supported": "bear it out", "refuted": "contradict it"}


@dataclass(frozen=True)
class Point:
    """A point at which a claim was judged; the level is empty where an old file has none."""

    place: str
    estimate: str
    interval: str
    level: str
    n: int
    verdict: str


@dataclass(frozen=True)
class Claim:
    """A judged claim in words.

    Attributes
    ----------
    config : str
        The name of its config.
    raw : ClaimResult
        As ``claims.json`` has it.
    anchor : str
        Its identifier in the page of its run.
    rule, place, p, print
        Sentences; empty where there is nothing to say.
    """

    config: str
    raw: ClaimResult
    anchor: str
    kind: str
    estimate: str
    interval: str
    p: str
    rule: str
    place: str
    print: str
    points: list[Point]

    @property
    def verdict(self) -> Verdict:
        """The state."""
        return self.raw["verdict"]

    @property
    def level(self) -> str:
        """The level of its interval, in per cent."""
        return f"{self.raw['level'] * 100:.4g} %"

    @property
    def repetitions(self) -> str:
        """How many there were, of what."""
        n, unit = self.raw["n"], self.raw["unit"]
        several = "queries" if unit == "query" else f"{unit}s"
        return f"{n} {unit if n == 1 else several}"

    @property
    def unknown_levels(self) -> bool:
        """Whether the levels of its points are not known: files of older versions lack them."""
        return any(not one.level for one in self.points)

    @property
    def statement(self) -> str:
        """What is tested, as a sentence that needs no other."""
        said = _PREFIX.sub("", self.raw["says"])
        return said[:1].upper() + said[1:] if _FIRST_WORD.match(said) else said

    @property
    def readings(self) -> list[str]:
        """Which kinds of reading it is: keys of ``READINGS``."""
        found = []
        if self.raw["origin"] == "paper":
            found.append("decides" if self.raw["primary"] else "other")
        return [*found, *(["late"] if is_late(self.config, self.raw["id"]) else [])]


def paper_name(paper: str) -> str:
    """Return what a paper is called.

    Examples
    --------
    >>> [paper_name(one) for one in ("morf", "mine", "")]
    ['Manifold Forests', 'mine', 'no paper']
    """
    return PAPERS.get(paper, paper or "no paper")


def anchor_of(name: str) -> str:
    """Return the identifier of a claim in the page of its run."""
    return f"claim-{name}"


def describe_claim(claim: ClaimResult, config: str) -> Claim:
    """Return a claim of a config in words."""
    several = len(claim["points"]) > 1
    return Claim(
        config=config,
        raw=claim,
        anchor=anchor_of(claim["id"]),
        kind=ORIGIN_WORDS[claim["origin"]],
        estimate=_number(claim["estimate"]),
        interval=_interval(claim),
        p=_p(claim),
        rule=_rule(claim),
        place=_place(claim["deciding"]) if several else "",
        print=_print(claim["print"]),
        points=[_point(one) for one in claim["points"]] if several else [],
    )


def deciding(claims: Sequence[Claim], answering: Sequence[Claim] = ()) -> list[Claim]:
    """Return the claims that a page shows first: those that decide a paper's sentence.

    Where there are none: the paper's other ones, else our own, else all. Those that the answer
    rests on come before the others.
    """
    for kind in ("decides", "other"):
        if found := [one for one in claims if kind in one.readings]:
            break
    else:
        found = [one for one in claims if one.raw["origin"] == "ours"] or list(claims)
    return sorted(found, key=lambda one: one not in answering)


def folded(claims: Sequence[Claim], first: Sequence[Claim]) -> list[tuple[str, list[Claim]]]:
    """Return the other claims by what they are, each kind with its heading."""
    rest = [one for one in claims if one not in first]
    kinds: dict[str, list[Claim]] = {kind: [] for kind in SITE["folded"]}
    for one in rest:
        kinds["other" if one.raw["origin"] == "paper" else one.raw["origin"]].append(one)
    return [(SITE["folded"][kind], found) for kind, found in kinds.items() if found]


def _point(found: Mapping[str, Any]) -> Point:
    return Point(
        _place(found["at"]),
        _number(found["estimate"]),
        _interval(found),
        f"{level * 100:.4g} %" if (level := found.get("level")) else "",
        found["n"],
        found["verdict"],
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
    known = {"for it": claim["p_support"], "against it": claim["p_refute"]}
    return ", ".join(f"{_small(p)} {word}" for word, p in known.items() if p is not None)


def _small(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def _print(found: Mapping[str, Any] | None) -> str:
    """What the paper's own numbers say, as a sentence."""
    if found is None:
        return ""
    if found["answer"] == "no numbers":
        return "There are no published numbers for it."
    said = _PRINT.get(found["answer"]) or "bear it out in part"
    held = f" (at {found['held']} of {found['points']} points)" if found["points"] > 1 else ""
    sentence = f"The paper's own numbers {said}{held}."
    if found["largest"] is None:
        return sentence
    largest, median = _number(found["largest"]), _number(found["median"])
    return f"{sentence} |ours - published|: largest {largest}, median {median}."


def _rule(claim: ClaimResult) -> str:
    low, high = claim["allowed"]
    which = {"all": "at every point", "most": "at most points", "mean": "on the mean over points"}
    if low is not None and high is not None:
        bound = f"within {low:g} to {high:g}"
    elif low is not None:
        bound = f"above {low:g}" if claim["check"] == "greater" else f"at least {low:g}"
    else:
        bound = f"below {high:g}" if claim["check"] == "less" else f"at most {high:g}"
    share = claim["quantifier"]
    if isinstance(share, float):
        return f"{bound}, at {share:.0%} of the points"
    return f"{bound}, {which[share]}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _interval(found: Mapping[str, Any]) -> str:
    if found["low"] is None or found["high"] is None:
        return "–"
    return f"[{found['low']:.4g}, {found['high']:.4g}]"


def failure(cell: Mapping[str, Any]) -> str:
    """Return a cell of ``report.json`` that failed or is missing, in words."""
    named = ("method", "variant", "repetition", "status", "cell")
    point = ", ".join(f"{k} {v}" for k, v in cell.items() if k not in named)
    what = f"{cell['method']} {cell['variant']}, repetition {cell['repetition']}"
    return f"{cell['status']}: {what}{', ' if point else ''}{point} ({cell['cell']})"


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
