"""Sentences of each paper with their verdicts, over all configs that test parts of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from geoforest_cli.study.claims.results import Answer, SentenceResult, Verdicts
from geoforest_cli.study.claims.verdicts import Verdict, sentence_state

__all__ = ["STATES", "ArtifactAnswer", "Finding", "PaperOutcome", "name_of", "outcomes"]

STATES: tuple[Verdict, ...] = ("supported", "refuted", "tie", "undecided", "not judged")


@dataclass(frozen=True)
class Finding:
    """Sentence of a paper with its verdict.

    Attributes
    ----------
    configs : list of str
        Those that test a part of it.
    text, section : str
    verdict : str
        Supported when it is so in all of these configs, refuted when it is in one.
    registered, hangs : bool
        See `results.SentenceResult`.
    """

    configs: list[str]
    text: str
    section: str
    verdict: Verdict
    registered: bool
    hangs: bool

    @classmethod
    def of(cls, parts: list[tuple[str, SentenceResult]]) -> Finding:
        """Return the finding on one sentence from the results of its configs."""
        configs, results = zip(*parts, strict=True)
        return cls(
            configs=list(configs),
            text=results[0].text,
            section=results[0].section,
            verdict=sentence_state([result.verdict for result in results], "all"),
            registered=all(result.registration == "registered" for result in results),
            hangs=any(result.hangs for result in results),
        )

    @property
    def line(self) -> str:
        """Verdict and sentence on one line."""
        marks = [] if self.registered else ["post hoc"]
        marks += ["hangs on a threshold of ours"] if self.hangs else []
        marked = f" ({', '.join(marks)})" if marks else ""
        text = self.text if len(self.text) <= 100 else f"{self.text[:97].rstrip()}…"
        return f"{self.verdict}{marked}: {text} [{', '.join(self.configs)}]"


@dataclass(frozen=True)
class PaperOutcome:
    """Sentences of one paper, and our own claims beside it.

    Attributes
    ----------
    paper : str
        "ours" for configs without a paper.
    findings : list of Finding
        One for each sentence.
    ours : Counter
        Our own claims by verdict.
    """

    paper: str
    findings: list[Finding] = field(default_factory=list)
    ours: Counter[Verdict] = field(default_factory=Counter)

    @property
    def counts(self) -> Counter[Verdict]:
        """Sentences by verdict."""
        return Counter(finding.verdict for finding in self.findings)


def outcomes(judged: Iterable[tuple[str, str, Verdicts]]) -> list[PaperOutcome]:
    """Return the outcome of each paper, in the order of their names.

    Parameters
    ----------
    judged : iterable
        Names of configs, their papers, their verdicts.
    """
    sentences: dict[str, dict[str, list[tuple[str, SentenceResult]]]] = {}
    ours: dict[str, Counter[Verdict]] = {}
    for config, paper, verdicts in judged:
        results = sentences.setdefault(paper or "ours", {})
        for sentence in verdicts.sentences:
            results.setdefault(sentence.key, []).append((config, sentence))
        counts = ours.setdefault(paper or "ours", Counter())
        counts.update(claim.verdict for claim in verdicts.claims if claim.sentence is None)
    return [
        PaperOutcome(paper, [Finding.of(parts) for parts in sentences[paper].values()], ours[paper])
        for paper in sorted(sentences)
    ]


class ArtifactAnswer(NamedTuple):
    """Question of a config about a figure or table, and its answer.

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

    @property
    def sentence(self) -> str:
        """Artifact, question and answer on one line."""
        return f"{self.what}: {self.answer.question} {self.answer.text}"


def name_of(artifact: str, title: str) -> str:
    """Return what a sentence calls an artifact: the paper's name for it, or our title.

    Examples
    --------
    >>> name_of("Table 2", "Banknotes"), name_of("beyond the papers", "Noise of many kinds")
    ('Table 2', 'Noise of many kinds')
    """
    return title if not artifact or artifact.startswith("beyond") else artifact
