"""The table of outcomes in the README, from the reference."""

from __future__ import annotations

import textwrap
from collections import Counter
from pathlib import Path

from geoforest_cli.study.agreement import pooled
from geoforest_cli.study.claims.outcome import STATES, outcomes
from geoforest_cli.study.claims.verdicts import Verdict
from geoforest_cli.study.config.loading import known_configs, open_config
from geoforest_cli.study.report.site.wording import PAPERS
from geoforest_cli.study.results.record import RECORD, read_record
from tools.docs.blocks import judged_before, summary

__all__ = ["NO_OUTCOME", "block"]

_MAX_LISTED = 3

NO_OUTCOME = (
    "The outcome of a complete run is not in `results/reference` yet: `make reproduce-all`\n"
    "computes it, `geoforest claims` counts it.\n"
)


def block(reference: Path) -> str:
    """Return the table of a folder with one folder per config, or a sentence if there is none."""
    folders = sorted(path.parent for path in reference.glob(f"*/{RECORD}"))
    if not folders:
        return NO_OUTCOME
    paper_of = {path.name: _paper(path.name) for path in folders}
    papers = outcomes(
        (path.name, paper_of[path.name], read_record(path).judged) for path in folders
    )
    tables = {name: table for name in paper_of if (table := summary(reference, name)) is not None}
    together = pooled(tables)
    lines = ["| paper | agreement with its numbers | its sentences |", "|---|---|---|"]
    for outcome in sorted(papers, key=lambda outcome: (outcome.paper not in PAPERS, outcome.paper)):
        if outcome.findings:
            paper = PAPERS.get(outcome.paper, outcome.paper)
            fit = pooled({name: t for name, t in tables.items() if paper_of[name] == outcome.paper})
            agreement = fit.figures if fit else "none printed"
            lines.append(f"| {paper} | {agreement} | {_in_words(outcome.counts)} |")
    lead = f"Outcome of {_of_all(folders)} at the published size, as in `{reference.as_posix()}`:"
    late = sum(not finding.registered for outcome in papers for finding in outcome.findings)
    number = sum(len(outcome.findings) for outcome in papers)
    if late:
        lines += ["", _of_late(late, number)]
    if before := judged_before(reference):
        lines += ["", _of_earlier(before)]
    said = [textwrap.fill(f"{together.figures}.", 100), ""] if together else []
    return "\n".join([lead, "", *said, *lines, ""])


def _in_words(counts: Counter[Verdict]) -> str:
    fared = ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])
    return f"{counts.total()}: {fared}"


def _of_late(late: int, number: int) -> str:
    said = (
        f"{'All' if late == number else late} of the {number} sentences are post hoc: what is "
        "tested of them was fixed after the data of these runs had been drawn."
    )
    return textwrap.fill(said, 100, break_on_hyphens=False)


def _of_earlier(names: list[str]) -> str:
    listed = ", ".join(f"`{name}`" for name in names)
    said = (
        f"{listed} {'was' if len(names) == 1 else 'were'} last run before the present rules and "
        f"readings, and {'counts' if len(names) == 1 else 'count'} as judged then."
    )
    return textwrap.fill(said, 100, break_on_hyphens=False)


def _of_all(folders: list[Path]) -> str:
    """Return the number of configs, and of how many: benches speak of a machine, not of a paper."""
    every = {name for name in known_configs() if not name.startswith("bench_")}
    missing = every - {path.name for path in folders}
    if not missing:
        return f"all {len(folders)} configs"
    total = len(missing) + len(folders)
    if len(missing) > _MAX_LISTED:
        return f"the {len(folders)} configs (of {total}) that have been run"
    number = f"{len(folders)} of the {total} configs"
    names = ", ".join(f"`{name}`" for name in sorted(missing))
    return f"{number} (all but {names}, which {'have' if len(missing) > 1 else 'has'} not run)"


def _paper(config: str) -> str:
    return (open_config(config, "paper").config.paper or "") if config in known_configs() else ""
