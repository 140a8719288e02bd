"""Runs of a folder of results: the one module of the site that reads their files."""

from __future__ import annotations

import shlex
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.agreement import Agreement, agreement, pooled
from geoforest_cli.study.claims import answers
from geoforest_cli.study.claims.outcome import ArtifactAnswer, name_of
from geoforest_cli.study.claims.results import Answer, ClaimResult, SentenceResult, Verdicts
from geoforest_cli.study.claims.storage import (
    RunInfo,
    damaged,
    figure_names,
    is_reference_entry,
    read_claims,
    read_run_info,
)
from geoforest_cli.study.claims.verdicts import Verdict
from geoforest_cli.study.config.loading import Config, known_configs, open_config
from geoforest_cli.study.report.record import Record, read_record

__all__ = [
    "FAILURES_FIRST",
    "Run",
    "config_today",
    "damage_named",
    "pooled_agreement",
    "read",
    "read_run",
]

FAILURES_FIRST: tuple[Verdict, ...] = ("refuted", "tie", "undecided", "not judged", "supported")
_FIGURE_KINDS = (".svg", ".svgz", ".png")
_NUMBERS = ("mean", "half", "repetitions", "published", "difference")  # columns of a summary


@dataclass(frozen=True)
class Run:
    """One config at one size.

    Attributes
    ----------
    folder : Path
        The folder with its files.
    judged : Verdicts
        Sentences and claims.
    figures : list of Path
        One file for each figure; the main one is first.
    failed : list of str
        Cells without rows, in words.
    published : list of str
        Sources of the published values.
    lines : DataFrame
        The summary: means beside published values; empty where there is none.
    answer : Answer, optional
        The question of the config, and what the rows answer.
    """

    name: str
    profile: str
    folder: Path
    title: str
    paper: str
    artifact: str
    about: str
    caution: str
    cells: int
    judged: Verdicts
    figures: list[Path]
    failed: list[str]
    published: list[str]
    labels: Mapping[str, str] = field(default_factory=dict)
    record: Record = field(default_factory=Record)
    lines: pd.DataFrame = field(default_factory=pd.DataFrame)
    answer: Answer | None = None

    @cached_property
    def agreement(self) -> Agreement | None:
        """With the published values; None without any, and for a run that is no judge of them."""
        return None if self.caution else agreement(self.lines)

    @property
    def artifact_answer(self) -> ArtifactAnswer | None:
        """The answer with the name of the figure or table."""
        if self.answer is None:
            return None
        what = name_of(self.artifact, self.title)
        return ArtifactAnswer(self.name, self.paper or "ours", what, self.answer)

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
        config = self.record.config
        words = ["geoforest", "run", self.name]
        words += [] if config.profile == "paper" else ["--profile", config.profile]
        return shlex.join(words + [word for one in config.overrides for word in ("--set", one)])


def read(results: Path) -> list[Run]:
    """Return the runs of a folder by name, the published size first.

    Parameters
    ----------
    results : Path
        A folder with ``<config>/<profile>/`` as runs leave it, or with ``<config>/`` that holds
        the outcome alone.

    Raises
    ------
    UserError
        If the folder is not there, or a file in it cannot be read.
    """
    if not results.is_dir():
        raise UserError(f"there is no folder {results}; run a config first, or give --results")
    folders = [path.parent for path in results.glob("*/*/report.json")]
    kept = (path.parent for path in results.glob("*/claims.json"))
    folders += [folder for folder in kept if is_reference_entry(folder)]
    runs = [read_run(folder) for folder in folders]
    return sorted(runs, key=lambda run: (run.name, run.profile != "paper", run.profile))


def read_run(folder: Path) -> Run:
    """Return the run whose files lie in a folder."""
    judged, record, lines = read_claims(folder), read_record(folder), _summary(folder)
    if is_reference_entry(folder):
        info, failed = _reference_info(folder, judged, record, lines), record.failed
    else:
        info = read_run_info(folder)
        info = info.model_copy(update={"name": folder.parent.name, "profile": folder.name})
        with damage_named(folder / "report.json"):
            failed = [_failure(cell) for cell in info.failed]
    return Run(
        name=info.name,
        profile=info.profile,
        folder=folder,
        title=info.title,
        paper=info.paper,
        artifact=info.artifact,
        about=info.about,
        caution=info.caution,
        cells=info.cells,
        judged=judged,
        figures=_figures(folder, info.figures),
        failed=failed,
        published=info.published,
        labels=info.labels,
        record=record,
        lines=lines,
        answer=info.answer,
    )


def config_today(name: str) -> Config | None:
    """Return the config of a name as it is today; None where there is no valid one."""
    try:
        return open_config(name, "paper").config if name in known_configs() else None
    except UserError:
        return None


def pooled_agreement(runs: Sequence[Run]) -> Agreement | None:
    """Return the agreement of several runs with the published values, all values together."""
    return pooled({run.name: run.lines for run in runs if not run.caution})


@contextmanager
def damage_named(path: Path, verb: str = "figure") -> Iterator[None]:
    """Turn what goes wrong with the content of a file into the sentence on a damaged one."""
    try:
        yield
    except (OSError, EOFError, ValueError, LookupError, TypeError, zlib.error) as error:
        raise damaged(path, f"{type(error).__name__}: {error}", verb) from None


def _reference_info(folder: Path, judged: Verdicts, record: Record, lines: pd.DataFrame) -> RunInfo:
    """Return what a run says of itself, from its config where only the outcome was kept."""
    config = config_today(folder.name)
    methods = config.methods if config else {}
    return RunInfo(
        name=folder.name,
        title=config.title if config else folder.name,
        paper=config.paper or "" if config else "",
        artifact=config.artifact or "" if config else "",
        about=config.about if config else "",
        profile=record.config.profile,
        caution=judged.caution,
        labels={name: method.label for name, method in methods.items() if method.label},
        cells=record.cells.total,
        failed=[],
        published=[],
        figures=sorted({path.stem for kind in _FIGURE_KINDS for path in folder.glob(f"*{kind}")}),
        answer=answers.answer(config, judged, lines) if config else None,
    )


def _figures(folder: Path, names: Sequence[Any]) -> list[Path]:
    files = (
        [folder / f"{name}{kind}" for kind in _FIGURE_KINDS if (folder / f"{name}{kind}").is_file()]
        for name in figure_names(names)
    )
    return [kinds[0] for kinds in files if kinds]


def _failure(cell: Mapping[str, Any]) -> str:
    names = ("method", "variant", "repetition", "status", "cell")
    point = "".join(f", {name} {value}" for name, value in cell.items() if name not in names)
    method = f"{cell['method']} {cell['variant']}, repetition {cell['repetition']}"
    return f"{cell['status']}: {method}{point} ({cell['cell']})"


def _summary(folder: Path) -> pd.DataFrame:
    path = folder / "summary.csv"
    if not path.exists():
        return pd.DataFrame()
    with damage_named(path):
        lines = pd.read_csv(path).astype(dict.fromkeys(_NUMBERS, float))
        return lines.astype(dict.fromkeys(("method", "variant", "metric"), str))
