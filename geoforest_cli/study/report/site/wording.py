"""Claims, numbers and papers in the words of the site."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from geoforest_cli.study.claims.results import Answer, ClaimResult, PointResult
from geoforest_cli.study.figures.options import prose

__all__ = ["DOIS", "PAPERS", "SYMBOLS", "answer", "paper_name", "rule"]

PAPERS: Mapping[str, str] = {
    "geodesic_forests": "Geodesic Forests",
    "morf": "Manifold Forests",
    "smerf": "SMERF",
    "spherelets": "Spherelets",
}
DOIS: Mapping[str, str] = {
    "geodesic_forests": "10.1145/3394486.3403094",
    "morf": "10.48550/arXiv.1909.11799",
    "smerf": "10.48550/arXiv.2007.13843",
    "spherelets": "10.48550/arXiv.1907.00296",
}
SYMBOLS: Mapping[str, str] = {
    "supported": "✓", "refuted": "✗", "tie": "=", "undecided": "?", "not judged": "–", "mixed": "±",
}  # fmt: skip
_QUANTIFIERS = {
    "all": "at every point",
    "most": "at most points",
    "mean": "on the mean over points",
}


def paper_name(paper: str) -> str:
    """Return the name of a paper.

    Examples
    --------
    >>> [paper_name(key) for key in ("morf", "mine", "")]
    ['Manifold Forests', 'mine', 'no paper']
    """
    return PAPERS.get(paper, paper or "no paper")


def answer(result: Answer) -> str:
    """Return an answer without the counts of sentences that end it.

    Examples
    --------
    >>> text = "No: 0.2. 3 sentences of the paper: 2 refuted, 1 supported (all post hoc)."
    >>> answer(Answer(question="Is it so?", text=text, verdict="mixed"))
    'No: 0.2.'
    """
    return re.sub(r" \d+ sentences? of the paper: [^.]*\.$", "", result.text)


def number(value: float | None) -> str:
    """Return a number with four digits."""
    return "–" if value is None else f"{value:.4g}"


def interval(result: ClaimResult | PointResult) -> str:
    """Return the 95 % interval of an estimate."""
    if result.low is None or result.high is None:
        return "–"
    return f"[{result.low:.4g}, {result.high:.4g}]"


def repetitions(claim: ClaimResult) -> str:
    """Return the number of repetitions with their unit."""
    plural = "queries" if claim.unit == "query" else f"{claim.unit}s"
    return f"{claim.n} {claim.unit if claim.n == 1 else plural}"


def point(at: Mapping[str, Any]) -> str:
    """Return a point of the grid in words.

    Examples
    --------
    >>> point({"noise_dims": 10000, "than": "flann as_run"})
    'noise columns 10,000, against flann as run'
    """
    names = {"than": "against"}
    return ", ".join(f"{names.get(k, prose(k))} {prose(v)}" for k, v in at.items())


def p_value(p: float | None) -> str:
    """Return a p value with two digits."""
    if p is None:
        return "–"
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def rule(claim: ClaimResult) -> str:
    """Return where an estimate must lie."""
    low, high = claim.allowed
    if low is not None and high is not None:
        bound = f"within {low:g} to {high:g}"
    elif low is not None:
        bound = f"{'above' if claim.check == 'greater' else 'at least'} {low:g}"
    else:
        bound = f"{'below' if claim.check == 'less' else 'at most'} {high:g}"
    share = claim.quantifier
    points = f"at {share:.0%} of the points" if isinstance(share, float) else _QUANTIFIERS[share]
    return f"{bound}, {points}"
