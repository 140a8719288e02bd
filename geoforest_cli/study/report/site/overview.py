"""Front page: findings, and artifacts paper by paper as they stand in it, then what goes beyond."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

import yaml

from geoforest_cli.study.agreement import Agreement
from geoforest_cli.study.claims.answers import filled
from geoforest_cli.study.claims.outcome import outcomes
from geoforest_cli.study.claims.verdicts import Verdict
from geoforest_cli.study.config.answer import NumberSource
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.report.site.runs import Run, config_today, pooled_agreement
from geoforest_cli.study.report.site.wording import PAPERS

__all__ = ["Section", "findings", "in_order", "sections", "without_results"]

_KINDS = ("Figure", "Table", "section")


@dataclass(frozen=True)
class Section:
    """The artifacts of a paper, or what goes beyond the papers.

    Attributes
    ----------
    paper : str
        Empty for what goes beyond.
    agreement : Agreement, optional
        With the published values of the paper.
    counts : Counter
        Sentences of the paper by verdict; one that several configs test counts once.
    missing : dict
        Configs of the paper without results, by name.
    """

    paper: str
    runs: list[Run]
    agreement: Agreement | None
    counts: Counter[Verdict]
    missing: dict[str, Config]


def sections(runs: Sequence[Run]) -> list[Section]:
    """Return the sections of the front page, from one run of each config."""
    missing = without_results({run.name for run in runs})
    parts = []
    for paper, group in itertools.groupby(in_order(runs), key=_paper):
        members = list(group)
        counts: Counter[Verdict] = Counter()
        for outcome in outcomes((run.name, run.paper, run.judged) for run in members):
            counts += outcome.counts
        configs = {name: config for name, config in missing.items() if config.paper == paper}
        parts.append(Section(paper, members, pooled_agreement(members), counts, configs))
    return parts


def findings(runs: Mapping[str, Run]) -> Iterator[tuple[Run, str]]:
    """Yield the sentences of ``findings.yaml`` that hold in some runs, and the runs of theirs.

    Parameters
    ----------
    runs : mapping
        Config -> its run.
    """
    text = (resources.files(__package__) / "findings.yaml").read_text("utf-8")
    for finding in yaml.safe_load(text):
        run = runs.get(finding["config"])
        verdicts = {claim.id: claim.verdict for claim in run.judged.claims} if run else {}
        if run and finding["claims"].items() <= verdicts.items():
            numbers = finding["numbers"].items()
            sources = {name: NumberSource.model_validate(source) for name, source in numbers}
            if sentence := filled(finding["text"], sources, run.judged, run.lines):
                yield run, sentence


def in_order(runs: Sequence[Run]) -> list[Run]:
    """Return the artifacts paper by paper in its order, then what goes beyond the papers."""
    return sorted(runs, key=_rank)


def without_results(names: set[str]) -> dict[str, Config]:
    """Return the configs of figures, tables and sections of which there are no results."""
    configs = {name: config_today(name) for name in known_configs() if name not in names}
    parts = {name: config for name, config in configs.items() if config and config.paper}
    return {name: part for name, part in parts.items() if "beyond" not in (part.artifact or "")}


def _paper(run: Run) -> str:
    return "" if "beyond" in run.record.artifact else run.paper


def _rank(run: Run) -> tuple[object, ...]:
    paper = _paper(run)
    order = list(PAPERS).index(paper) if paper in PAPERS else len(PAPERS)
    artifact = run.record.artifact
    kind = next((i for i, word in enumerate(_KINDS) if artifact.startswith(word)), len(_KINDS))
    digits = re.search(r"\d+", artifact)
    number = int(digits[0]) if digits and paper else 0
    below = "(bottom)" in artifact
    return (not paper, order, paper, kind, number, below, artifact, run.title)
