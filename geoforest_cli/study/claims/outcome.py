"""How the claims of each paper fared: counts by verdict, primary findings in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from geoforest_cli.study.claims.decision import ALPHA
from geoforest_cli.study.claims.results import Answer, ClaimResult, Origin
from geoforest_cli.study.claims.storage import RunInfo, read_claims, read_run_info
from geoforest_cli.study.claims.verdicts import Verdict

__all__ = [
    "ORIGINS",
    "STATES",
    "ArtifactAnswer",
    "ErrorSummary",
    "Outcome",
    "error_summary",
    "finding",
    "name_of",
    "outcomes",
    "published_finding",
    "stored",
    "stored_answers",
]

STATES: tuple[Verdict, ...] = ("supported", "refuted", "tie", "undecided", "not judged")
ORIGINS: tuple[Origin, ...] = ("paper", "agreement", "ours")


@dataclass(frozen=True)
class Outcome:
    """The claims of one paper.

    Attributes
    ----------
    paper : str
    counts : dict
        Origin -> how many of its claims are in which state; origins without claims are left out.
    findings : list of str
        A sentence for each primary claim.
    """

    paper: str
    counts: dict[Origin, Counter[Verdict]] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)


def stored(results: Path, profile: str = "paper") -> Iterator[tuple[str, str, list[ClaimResult]]]:
    """Read the claims that runs have left.

    Parameters
    ----------
    results : Path
        A folder with one folder per config.
    profile : str
        Its size.

    Yields
    ------
    tuple
        The config's name, the paper's, and its claims.

    Raises
    ------
    UserError
        If a file cannot be read, is damaged, or is of an older geoforest.
    """
    for path in sorted(results.glob(f"*/{profile}/claims.json")):
        claims = read_claims(path.parent)
        yield path.parents[1].name, read_run_info(path.parent)["paper"], claims


class ArtifactAnswer(NamedTuple):
    """What a config asks of a figure or table, and its answer.

    Attributes
    ----------
    config, paper : str
        Their names; the paper is "ours" where there is none.
    what : str
        The figure or table, or the title of what goes beyond the papers.
    """

    config: str
    paper: str
    what: str
    answer: Answer

    @classmethod
    def of(cls, config: str, about: RunInfo) -> ArtifactAnswer | None:
        """Return the answer that a run has left; None where its config asks nothing."""
        answer = about.get("answer")
        if answer is None:
            return None
        return cls(
            config, about["paper"] or "ours", name_of(about["artifact"], about["title"]), answer
        )

    @property
    def sentence(self) -> str:
        """Artifact, question and answer on one line."""
        return f"{self.what}: {self.answer['question']} {self.answer['text']}"


def name_of(artifact: str, title: str) -> str:
    """Return what a sentence calls an artifact: the paper's name for it, or our title.

    Examples
    --------
    >>> name_of("Table 2", "Banknotes"), name_of("beyond the papers", "Noise of many kinds")
    ('Table 2', 'Noise of many kinds')
    """
    return title if not artifact or artifact.startswith("beyond") else artifact


def stored_answers(results: Path, profile: str = "paper") -> Iterator[ArtifactAnswer]:
    """Read the answers that runs have left, of those configs that ask something.

    Parameters
    ----------
    results, profile
        As for `stored`.
    """
    for path in sorted(results.glob(f"*/{profile}/claims.json")):
        if found := ArtifactAnswer.of(path.parents[1].name, read_run_info(path.parent)):
            yield found


def outcomes(found: Iterable[tuple[str, str, list[ClaimResult]]]) -> list[Outcome]:
    """Count the states of all claims, paper by paper.

    Parameters
    ----------
    found : iterable
        As `stored` yields it.

    Examples
    --------
    >>> claim = {"origin": "paper", "verdict": "tie", "primary": ""}
    >>> [one] = outcomes([("noise", "geodesic_forests", [claim, claim])])
    >>> one.counts["paper"]["tie"]
    2
    """
    papers: dict[str, Outcome] = {}
    for name, paper, claims in found:
        if not claims:
            continue
        key = paper or "ours"
        one = papers.setdefault(key, Outcome(key))
        for claim in claims:
            one.counts.setdefault(claim["origin"], Counter())[claim["verdict"]] += 1
            if claim["primary"]:
                one.findings.append(f"{finding(claim)} ({name}: {claim['id']})")
    for one in papers.values():
        ranked = sorted(one.counts.items(), key=lambda item: ORIGINS.index(item[0]))
        one.counts.clear()
        one.counts.update(ranked)
    return [papers[key] for key in sorted(papers)]


@dataclass(frozen=True)
class ErrorSummary:
    """How many wrong verdicts are to be expected among several claims.

    Attributes
    ----------
    judged, decided : int
        Claims with a verdict, and those of them that are supported or refuted.
    expected : float
        Bound on the expected number of wrong verdicts: the level times the claims judged.
    kept : int
        Decided claims that stay so where the false discovery rate is held at .05 (Benjamini and
        Hochberg 1995), each with twice the smaller p value of its two sides.
    """

    judged: int
    decided: int
    expected: float
    kept: int


def error_summary(claims: Iterable[Mapping[str, Any]]) -> ErrorSummary:
    """Sum up the errors that primary claims of the papers may have.

    Parameters
    ----------
    claims : iterable of mapping
        As ``claims.json`` holds them; those that are not a paper's primary ones do not count.

    Examples
    --------
    >>> clear = {"origin": "paper", "primary": "yes", "verdict": "supported", "p_support": 0.001,
    ...     "p_refute": 0.999}
    >>> error_summary([clear, clear | {"p_support": 0.024}, clear | {"verdict": "not judged"}])
    ErrorSummary(judged=2, decided=2, expected=0.05, kept=2)
    """
    from scipy import stats

    judged = [
        claim
        for claim in claims
        if claim["origin"] == "paper" and claim["primary"] and claim["verdict"] != "not judged"
    ]
    if not judged:
        return ErrorSummary(0, 0, 0.0, 0)
    decided = np.array([claim["verdict"] in {"supported", "refuted"} for claim in judged], bool)
    smaller = [min(claim["p_support"], claim["p_refute"]) for claim in judged]
    kept = stats.false_discovery_control(np.minimum(1, 2 * np.array(smaller))) <= 2 * ALPHA
    return ErrorSummary(
        len(judged), int(decided.sum()), len(judged) * ALPHA, int(np.sum(decided & kept))
    )


def finding(claim: Mapping[str, Any]) -> str:
    """Return a claim and its verdict as a sentence.

    Examples
    --------
    >>> finding({
    ...     "says": "SG has the smallest error.", "quote": "", "verdict": "refuted", "reason": "",
    ...     "preliminary": "refuted", "estimate": 0.12, "low": 0.1, "high": 0.14, "level": 0.95,
    ...     "print": None,
    ... })
    'SG has the smallest error: refuted, 0.12 (95 % interval 0.1 to 0.14)'
    """
    sentence = f"“{claim['quote']}”" if claim["quote"] else str(claim["says"]).rstrip(".")
    said = f"{sentence}: {claim['verdict']}"
    if claim["verdict"] == "not judged":
        hand = f"; the numbers at hand: {claim['preliminary']}" if claim["preliminary"] else ""
        return f"{said} ({claim['reason']}{hand})"
    if claim["estimate"] is not None:
        said += f", {claim['estimate']:.3g}"
        if claim["low"] is not None:
            level = f"{claim['level'] * 100:.4g} % interval"
            said += f" ({level} {claim['low']:.3g} to {claim['high']:.3g})"
    note = claim.get("note") if claim["verdict"] == "undecided" else ""
    return said + published_finding(claim) + (f". {note.rstrip('.')}" if note else "")


def published_finding(claim: Mapping[str, Any]) -> str:
    """Return what the paper's own numbers say to the claim, for the end of a sentence."""
    found = claim["print"]
    if not found or found["answer"] == "no numbers":
        return ""
    if found["points"] > 1:
        return f"; published numbers: at {found['held']} of {found['points']} points"
    return f"; published numbers: {found['answer']}"
