"""Contents of the front page: papers, their artifacts and the verdicts of their sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from geoforest_cli.study.agreement import Agreement, pooled
from geoforest_cli.study.claims.outcome import Outcome, outcomes
from geoforest_cli.study.report.site import wording
from geoforest_cli.study.report.site.runs import Run

__all__ = [
    "Paper",
    "beyond",
    "in_order",
    "main_runs",
    "papers",
    "rank",
    "smaller",
    "together",
]

_ORDER = ("Figure", "Table", "section")


@dataclass(frozen=True)
class Paper:
    """A paper with its artifacts.

    Attributes
    ----------
    agreement : Agreement, optional
        With its published values.
    outcome : Outcome
        Its sentences with their verdicts.
    artifacts : list of Run
        Its figures, tables and sections.
    """

    key: str
    name: str
    agreement: Agreement | None
    outcome: Outcome
    artifacts: list[Run]


def main_runs(runs: Sequence[Run]) -> list[Run]:
    """Return one run of each config: the published size where it is there."""
    found: dict[str, Run] = {}
    for run in runs:
        found.setdefault(run.name, run)
    return list(found.values())


def smaller(runs: Sequence[Run]) -> list[Run]:
    """Return the other runs."""
    chosen = main_runs(runs)
    return [run for run in runs if run not in chosen]


def papers(runs: Sequence[Run]) -> list[Paper]:
    """Return the papers of one run of each config, in the order of the project."""
    judged = outcomes((run.name, run.paper, run.judged) for run in runs)
    by_paper = {one.paper: one for one in judged}
    own = [run for run in runs if not _beyond(run)]
    known = sorted({run.paper for run in own}, key=rank)
    found = []
    for key in known:
        artifacts = sorted((run for run in own if run.paper == key), key=_place)
        found.append(
            Paper(
                key=key,
                name=wording.paper_name(key),
                agreement=together(artifacts),
                outcome=by_paper[key or "ours"],
                artifacts=artifacts,
            )
        )
    return found


def in_order(runs: Sequence[Run]) -> list[Run]:
    """Return the artifacts paper by paper in its order, then what goes beyond the papers."""
    own = sorted((run for run in runs if not _beyond(run)), key=_in_its_paper)
    return [*own, *beyond(runs)]


def _in_its_paper(run: Run) -> tuple[tuple[int, str], tuple[int, int, bool, str, str]]:
    return rank(run.paper), _place(run)


def beyond(runs: Sequence[Run]) -> list[Run]:
    """Return what goes beyond the papers: our comparisons, screens, own tables, speed."""
    return sorted((run for run in runs if _beyond(run)), key=lambda run: run.title.lower())


def _beyond(run: Run) -> bool:
    return not run.paper or "beyond" in run.artifact


def rank(paper: str) -> tuple[int, str]:
    """Return the place of a paper among the papers."""
    known = list(wording.PAPERS)
    return (known.index(paper) if paper in known else len(known), paper)


def _place(run: Run) -> tuple[int, int, bool, str, str]:
    kind = next((i for i, word in enumerate(_ORDER) if run.artifact.startswith(word)), len(_ORDER))
    number = re.search(r"\d+", run.artifact)
    below = "(bottom)" in run.artifact
    return (kind, int(number[0]) if number else 0, below, run.artifact, run.name)


def together(runs: Sequence[Run]) -> Agreement | None:
    """Return the agreement of several runs with the published values, all values together."""
    return pooled({run.name: run.lines for run in runs if not run.caution})
