"""The table of outcomes in the README, from the reference."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from geoforest_cli.study.agreement import pooled
from geoforest_cli.study.claims.outcome import STATES, ErrorSummary, error_summary, outcomes
from geoforest_cli.study.claims.readings import late_among
from geoforest_cli.study.claims.results import Origin
from geoforest_cli.study.claims.storage import read_claims
from geoforest_cli.study.claims.verdicts import Verdict
from geoforest_cli.study.config.loading import known_configs, open_config
from geoforest_cli.study.report.site.wording import PAPERS
from tools.docs.blocks import judged_before, summary

__all__ = ["NO_OUTCOME", "block"]

_FEW = 3
_HEADERS: Mapping[Origin, str] = {
    "paper": "claims about the paper's sentences",
    "ours": "claims of ours",
}

NO_OUTCOME = (
    "The outcome of a complete run is not in `results/reference` yet: `make reproduce-all`\n"
    "computes it, `geoforest claims` counts it.\n"
)


def block(reference: Path) -> str:
    """Return the table of a folder with one folder per config, or a sentence if there is none."""
    folders = sorted(path.parent for path in reference.glob("*/claims.json"))
    if not folders:
        return NO_OUTCOME
    paper_of = {path.name: _paper(path.name) for path in folders}
    papers = outcomes((path.name, paper_of[path.name], read_claims(path)) for path in folders)
    read = {name: summary(reference, name) for name in paper_of}
    tables = {name: table for name, table in read.items() if table is not None}
    together = pooled(tables)
    lines = [f"| paper | agreement with its numbers | {' | '.join(_HEADERS.values())} |"]
    lines += [f"|---|---|{'---|' * len(_HEADERS)}"]
    for outcome in sorted(papers, key=lambda outcome: (outcome.paper not in PAPERS, outcome.paper)):
        paper = PAPERS.get(outcome.paper, "beyond the papers")
        own = pooled({name: one for name, one in tables.items() if paper_of[name] == outcome.paper})
        cells = (_in_words(outcome.counts.get(origin, Counter())) for origin in _HEADERS)
        lines.append(f"| {paper} | {own.figures if own else 'none'} | {' | '.join(cells)} |")
    errors = error_summary(claim for path in folders for claim in read_claims(path))
    late = late_among((path.name, claim) for path in folders for claim in read_claims(path))
    lead = f"Outcome of {_of_all(folders)} at the published size, as in `{reference.as_posix()}`:"
    if errors.judged:
        lines += ["", _of_errors(errors, late)]
    if before := judged_before(reference):
        lines += ["", _of_earlier(before)]
    said = [textwrap.fill(f"{together.figures}.", 100), ""] if together else []
    return "\n".join([lead, "", *said, *lines, ""])


def _in_words(counts: Counter[Verdict]) -> str:
    return ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state]) or "none"


def _of_errors(errors: ErrorSummary, late: int) -> str:
    """What the level means for the claims that decide a paper's sentence."""
    judged, decided = errors.judged, errors.decided
    said = (
        f"{judged} of these claims decide a sentence of a paper; others test a second reading.",
        f"{decided} of the {judged} are supported or refuted. At a level of .025 each way, at most",
        f"{errors.expected:.1f} of the {judged} verdicts are expected to be wrong by chance; with",
        f"a false discovery rate of .05, {errors.kept} of the {decided} remain. The reading of",
        f"{late} of the {judged} was changed or added after results had been seen ([which and",
        "why](docs/claims.md#readings-changed-after-results-were-seen)).",
    )
    return textwrap.fill(" ".join(said), 100, break_on_hyphens=False)


def _of_earlier(names: list[str]) -> str:
    listed = ", ".join(f"`{name}`" for name in names)
    said = (
        f"{listed} {'was' if len(names) == 1 else 'were'} last run before the present rules and "
        f"readings, and {'counts' if len(names) == 1 else 'count'} as judged then."
    )
    return textwrap.fill(said, 100, break_on_hyphens=False)


def _of_all(folders: list[Path]) -> str:
    """How many configs there are, and of how many: benches speak of a machine, not of a paper."""
    every = {name for name in known_configs() if not name.startswith("bench_")}
    missing = every - {path.name for path in folders}
    if not missing:
        return f"all {len(folders)} configs"
    number = f"{len(folders)} of the {len(missing) + len(folders)} configs"
    if len(missing) > _FEW:
        return f"{number}, those that have run so far,"
    names = ", ".join(f"`{name}`" for name in sorted(missing))
    return f"{number} (all but {names}, which {'have' if len(missing) > 1 else 'has'} not run)"


def _paper(config: str) -> str:
    return (open_config(config, "paper").config.paper or "") if config in known_configs() else ""
