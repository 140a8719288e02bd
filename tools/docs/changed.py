"""``docs/expected.md``: sentences whose verdict the confirmatory run changed, or left undecided."""

from __future__ import annotations

import csv
import math
import textwrap
from pathlib import Path
from typing import NamedTuple

import yaml
from scipy.stats import norm

from geoforest_cli.study.claims.results import ClaimResult, SentenceResult
from geoforest_cli.study.claims.verdicts import ALPHA
from geoforest_cli.study.results.record import RECORD, read_record

__all__ = ["Change", "changes", "page", "repetitions_to_decide"]

_HERE = Path(__file__).parent
_MAX_LENGTH = 45
_OPPOSITES = {"supported", "refuted"}


class Change(NamedTuple):
    """Sentence with its verdict in the run before the confirmatory one, and in that."""

    config: str
    sentence: SentenceResult
    before: str

    @property
    def surprise(self) -> tuple[bool, str, str]:
        """Key to sort by: first the verdicts that have turned round."""
        turned = {self.before, self.sentence.verdict} == _OPPOSITES
        return not turned, self.config, self.sentence.key


def changes(reference: Path) -> tuple[list[Change], int]:
    """Return the sentences with another verdict than before, and the number of those run again."""
    with (_HERE / "before.csv").open(encoding="utf-8") as lines:
        before = {(row["config"], row["sentence"]): row["verdict"] for row in csv.DictReader(lines)}
    again = [
        Change(path.parent.name, sentence, before[path.parent.name, sentence.key])
        for path in sorted(reference.glob(f"*/{RECORD}"))
        for sentence in read_record(path.parent).judged.sentences
        if sentence.registration == "registered" and (path.parent.name, sentence.key) in before
    ]
    changed = [change for change in again if change.before != change.sentence.verdict]
    return sorted(changed, key=lambda change: change.surprise), len(again)


def page(reference: Path) -> str:
    """Return the page, in Markdown."""
    changed, again = changes(reference)
    given = yaml.safe_load((_HERE / "changes.yaml").read_text("utf-8"))
    reasons = {(item["config"], item["sentence"]): item["reason"] for item in given}
    lead = (
        f"{len(changed)} of the {again} sentences that the confirmatory run has judged changed "
        "their verdict. Its claims, repetitions and root seeds were fixed before its first cell; "
        "those of the run before it were not. Reversed verdicts come first."
    )
    lines = ["# What we expected and what came", "", textwrap.fill(lead, 100), ""]
    if changed:
        lines += ["| config | sentence | before | now | reason |", "|---|---|---|---|---|"]
    for config, sentence, before in changed:
        reason = " ".join(reasons[config, sentence.key].split())
        lines.append(
            f"| `{config}` | {_short(sentence)} | {before} | {sentence.verdict} | {reason} |"
        )
    return "\n".join([*lines, *([""] if changed else []), *_undecided(reference)]).rstrip() + "\n"


def _short(sentence: SentenceResult) -> str:
    return textwrap.shorten(sentence.text, _MAX_LENGTH, placeholder="…")


def repetitions_to_decide(claim: ClaimResult) -> float:
    """Return with how many repetitions the interval would end at the nearest bound of the claim.

    Its width falls with the root of their number, and the estimate is taken to stay; infinite
    where it is the bound itself. Where the interval has passed it, the claim's p, which is of all
    its contrasts, has yet to reach the level.
    """
    if claim.estimate is None or claim.low is None or claim.high is None:
        return math.inf
    estimate, half = claim.estimate, (claim.high - claim.low) / 2
    bounds = [bound for bound in claim.allowed if bound is not None]
    distance = min(abs(estimate - bound) for bound in bounds)
    if half < distance:
        smaller = min(claim.p_support or 1, claim.p_refute or 1)
        half, distance = norm.isf(ALPHA), max(0, norm.isf(smaller))
    return math.ceil(claim.n * (half / distance) ** 2) if distance else math.inf


def _undecided(reference: Path) -> list[str]:
    """Return the table of undecided sentences, each with what it would cost to decide it."""
    lines = [
        "## What would decide the rest",
        textwrap.fill(
            "For each undecided sentence: the contrast that decides it, the repetitions that were "
            "run, and those with which its 95 % interval would end at the claim's bound, or the "
            "claim's p (of several contrasts) would be .025, if the estimate stayed the same. "
            "Hours are those of one processor if the whole config had as many.",
            100,
        ),
        "",
        "| config | sentence | estimate [95 % interval] | repetitions | needed | hours |",
        "|---|---|---|---:|---:|---:|",
    ]
    for path in sorted(reference.glob(f"*/{RECORD}")):
        record = read_record(path.parent)
        claims = {claim.id: claim for claim in record.judged.claims}
        for sentence in record.judged.sentences:
            parts = [claims[name] for name in sentence.parts]
            undecided = [claim for claim in parts if claim.verdict == "undecided"]
            if sentence.verdict == "undecided" and undecided:
                claim = max(undecided, key=repetitions_to_decide)
                lines.append(_cost(record.name, record.seconds, sentence, claim))
    return lines


def _cost(config: str, seconds: float, sentence: SentenceResult, claim: ClaimResult) -> str:
    needed = repetitions_to_decide(claim)
    hours = f"{seconds / 3600 * needed / claim.n:.1f}" if math.isfinite(needed) else "no number"
    number = f"{needed:.0f}" if math.isfinite(needed) else "no number"
    interval = f"{claim.estimate:.3g} [{claim.low:.3g}, {claim.high:.3g}]"
    cells = f"`{config}`", _short(sentence), interval, str(claim.n), number, hours
    return f"| {' | '.join(cells)} |"
