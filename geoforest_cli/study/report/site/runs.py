"""Runs of a folder of results: the one module of the site that reads their files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.agreement import Agreement, pooled
from geoforest_cli.study.claims.outcome import ArtifactAnswer, name_of
from geoforest_cli.study.claims.results import Answer, ClaimResult, SentenceResult, Verdicts
from geoforest_cli.study.claims.verdicts import Verdict
from geoforest_cli.study.config.loading import Config, known_configs, open_config
from geoforest_cli.study.results.folder import figures_of, folders_in, summary_of
from geoforest_cli.study.results.record import RunRecord, read_record

__all__ = ["FAILURES_FIRST", "Run", "config_today", "pooled_agreement", "read", "read_run"]

FAILURES_FIRST: tuple[Verdict, ...] = ("refuted", "tie", "undecided", "not judged", "supported")


@dataclass(frozen=True)
class Run:
    """One config at one size.

    Attributes
    ----------
    folder : Path
        The folder with its files.
    record : RunRecord
        Everything that is known of it.
    lines : DataFrame
        The summary: means beside published values.
    """

    folder: Path
    record: RunRecord
    lines: pd.DataFrame

    @property
    def name(self) -> str:
        """The config's name."""
        return self.record.name

    @property
    def profile(self) -> str:
        """The config's size."""
        return self.record.size

    @property
    def title(self) -> str:
        """The config's title."""
        return self.record.title or self.name

    @property
    def paper(self) -> str:
        """The paper's key; empty beyond the papers."""
        return self.record.paper

    @property
    def caution(self) -> str:
        """Why it does not judge the paper; empty at the published size."""
        return self.record.caution

    @cached_property
    def judged(self) -> Verdicts:
        """Sentences and claims."""
        return self.record.judged

    @property
    def answer(self) -> Answer | None:
        """The question of the config, and what the rows answer."""
        return self.record.answer

    @cached_property
    def figures(self) -> list[Path]:
        """One file for each figure; the main one is first."""
        return list(figures_of(self.folder, self.record).values())

    @property
    def agreement(self) -> Agreement | None:
        """With the published values; None without any, and for a run that is no judge of them."""
        return self.record.agreement

    @property
    def artifact_name(self) -> str:
        """The paper's name for the figure or table, or the title."""
        return name_of(self.record.artifact, self.title)

    @property
    def artifact_answer(self) -> ArtifactAnswer | None:
        """The answer with the name of the figure or table."""
        if self.answer is None:
            return None
        return ArtifactAnswer(self.name, self.paper or "ours", self.artifact_name, self.answer)

    @property
    def verdict(self) -> Verdict | Literal["mixed"] | None:
        """That of the artifact; None for a run without answer and sentences."""
        if self.answer:
            return self.answer.verdict
        verdicts = {sentence.verdict for sentence in self.judged.sentences}
        return "mixed" if len(verdicts) > 1 else next(iter(verdicts), None)

    @property
    def sentences(self) -> list[SentenceResult]:
        """Sentences of the paper, those that do not hold first."""
        return sorted(self.judged.sentences, key=lambda item: FAILURES_FIRST.index(item.verdict))

    @property
    def ours(self) -> list[ClaimResult]:
        """Our own claims, those that do not hold first."""
        claims = (claim for claim in self.judged.claims if claim.sentence is None)
        return sorted(claims, key=lambda item: FAILURES_FIRST.index(item.verdict))

    @property
    def path(self) -> Path:
        """The page, from the root of the site."""
        return Path("runs", self.name, self.profile, "index.html")

    @property
    def url(self) -> str:
        """The page as a link from the root of the site."""
        return quote(self.path.as_posix())

    @property
    def command(self) -> str:
        """The command that makes what the page shows."""
        words = ["geoforest", "run", self.name]
        words += [] if self.record.profile == "paper" else ["--profile", self.record.profile]
        overrides = self.record.config.overrides
        return shlex.join(words + [word for change in overrides for word in ("--set", change)])


def read(results: Path) -> list[Run]:
    """Return the runs of a folder by name, the published size first.

    Parameters
    ----------
    results : Path
        A folder with ``<config>/<profile>/`` as runs leave it, or a reference.

    Raises
    ------
    UserError
        If the folder is not there, or a file in it cannot be read.
    """
    if not results.is_dir():
        raise UserError(f"there is no folder {results}; run a config first, or give --results")
    runs = [read_run(folder) for folder in folders_in(results)]
    return sorted(runs, key=lambda run: (run.name, run.profile != "paper", run.profile))


def read_run(folder: Path) -> Run:
    """Return the run whose files lie in a folder."""
    record = read_record(folder)
    return Run(folder, record, summary_of(folder, record))


def config_today(name: str) -> Config | None:
    """Return the config of a name as it is today; None where there is no valid one."""
    try:
        return open_config(name, "paper").config if name in known_configs() else None
    except UserError:
        return None


def pooled_agreement(runs: Sequence[Run]) -> Agreement | None:
    """Return the agreement of several runs with the published values, all values together."""
    return pooled({run.name: run.lines for run in runs if not run.caution})
