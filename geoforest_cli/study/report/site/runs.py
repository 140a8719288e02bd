"""The runs that a folder of results holds: whole ones, and those of which the outcome is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.agreement import Agreement, agreement
from geoforest_cli.study.claims.outcome import ArtifactAnswer, name_of
from geoforest_cli.study.claims.results import Verdicts
from geoforest_cli.study.claims.verdicts import Verdict
from geoforest_cli.study.config.loading import Config, known_configs, open_config
from geoforest_cli.study.report.site import wording
from geoforest_cli.study.results.folder import figures_of, folders_in, summary_of
from geoforest_cli.study.results.record import RunRecord, damaged, read_record

__all__ = ["Run", "damage_named", "read"]

_ENDS = {".svg": b"</svg>", ".png": b"IEND\xaeB`\x82"}


@dataclass(frozen=True)
class Run:
    """One config at one size.

    Attributes
    ----------
    folder : Path
        Where its files lie.
    judged : Verdicts
        Sentences and claims.
    figures : dict of str to Path
        One file for each figure, by name; the main one is first.
    failed : list of str
        Cells without rows, in words.
    published : list of str
        Where the published values come from.
    record : Record
        ``record.json``.
    lines : DataFrame
        ``summary.csv``; empty where there is none.
    answer : ArtifactAnswer, optional
        What its config asks, and the answer of its rows.
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
    figures: dict[str, Path]
    failed: list[str]
    published: list[str]
    record: RunRecord
    labels: Mapping[str, str] = field(default_factory=dict)
    lines: pd.DataFrame = field(default_factory=pd.DataFrame)
    answer: ArtifactAnswer | None = None

    @cached_property
    def agreement(self) -> Agreement | None:
        """With the published values; None without any, and for a run that is no judge of them."""
        return None if self.caution else agreement(self.lines)

    @cached_property
    def sentences(self) -> list[wording.Sentence]:
        """The sentences of the paper, with their parts and readings."""
        return wording.describe_sentences(self.judged)

    @cached_property
    def ours(self) -> list[wording.Claim]:
        """Our own claims."""
        own = (claim for claim in self.judged.claims if claim.sentence is None)
        return [wording.describe_claim(claim) for claim in own]

    @property
    def path(self) -> Path:
        """Its page, from the root of the site."""
        return Path("runs", self.name, self.profile, "index.html")

    @property
    def url(self) -> str:
        """The same as a link."""
        return quote(self.path.as_posix())

    @property
    def base(self) -> str:
        """The folder of its page as a link."""
        return f"{quote(self.path.parent.as_posix())}/"

    @cached_property
    def counts(self) -> dict[str, Counter[Verdict]]:
        """Sentences of the paper, and claims of ours, by verdict."""
        found = {
            "paper": Counter(one.verdict for one in self.judged.sentences),
            "ours": Counter(one.verdict for one in self.ours),
        }
        return {whose: states for whose, states in found.items() if states}

    @cached_property
    def config(self) -> Config | None:
        """The config of that name as it is today; None where there is none."""
        return _opened(self.name, self.record.profile, self.record.config.overrides)


def read(results: Path) -> list[Run]:
    """Return the runs of a folder by name, the published size first.

    Parameters
    ----------
    results : Path
        A folder with ``<config>/<profile>/`` as runs leave it, or with ``<config>/`` of a
        reference.

    Raises
    ------
    UserError
        If the folder is not there, or a file in it cannot be read.
    """
    if not results.is_dir():
        raise UserError(f"there is no folder {results}; run a config first, or give --results")
    runs = [_run(folder) for folder in folders_in(results)]
    return sorted(runs, key=lambda run: (run.name, run.profile != "paper", run.profile))


def _run(folder: Path) -> Run:
    record = read_record(folder)
    what = name_of(record.artifact, record.title)
    answer = record.answer
    return Run(
        name=record.name,
        profile=record.size,
        folder=folder,
        title=record.title,
        paper=record.paper,
        artifact=record.artifact,
        about=record.about,
        caution=record.caution,
        cells=record.cells.total,
        judged=record.judged,
        figures=_checked_pictures(figures_of(folder, record)),
        failed=record.failed,
        published=list(record.published),
        labels=record.labels,
        record=record,
        answer=ArtifactAnswer(record.name, record.paper or "ours", what, answer)
        if answer
        else None,
        lines=summary_of(folder, record),
    )


def _opened(name: str, profile: str, overrides: Sequence[str] = ()) -> Config | None:
    """The config of a name as it is today; None where there is none, or none that is valid."""
    try:
        return open_config(name, profile, overrides).config if name in known_configs() else None
    except UserError:
        return None


def _checked_pictures(files: dict[str, Path]) -> dict[str, Path]:
    """The same, once it is seen that none of them is cut off."""
    for path in files.values():
        with damage_named(path):
            if not path.read_bytes().rstrip().endswith(_ENDS[path.suffix]):
                raise ValueError(f"it is no whole {path.suffix[1:].upper()}")
    return files


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Turn what goes wrong with the content of a file into the sentence on a damaged one."""
    try:
        yield
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ) as error:
        raise damaged(path, f"{type(error).__name__}: {error}") from None
