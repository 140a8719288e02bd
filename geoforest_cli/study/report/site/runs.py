"""The runs that a folder of results holds: whole ones, and those of which the outcome is kept."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from geoforest_cli.core.errors import ConfigError, ConfigErrors, UserError
from geoforest_cli.core.figure_files import read_drawing
from geoforest_cli.core.yaml_loader import parse
from geoforest_cli.study.agreement import Agreement, agreement
from geoforest_cli.study.claims import answers
from geoforest_cli.study.claims.outcome import ArtifactAnswer, name_of
from geoforest_cli.study.claims.results import Verdicts
from geoforest_cli.study.claims.storage import (
    damaged,
    figures,
    is_reference_entry,
    read_claims,
    read_run_info,
)
from geoforest_cli.study.claims.verdicts import Verdict
from geoforest_cli.study.config.loading import Config, known_configs, open_config
from geoforest_cli.study.report.record import Record, read_record
from geoforest_cli.study.report.site import wording

__all__ = ["Run", "damage_named", "read"]

_ENDS = {".svg": b"</svg>", ".svgz": b"</svg>", ".png": b"IEND\xaeB`\x82"}
_NAMES = ["method", "variant", "metric"]  # columns of a summary
_NUMBERS = ["mean", "half", "repetitions", "published", "difference"]


@dataclass(frozen=True)
class Run:
    """One config at one size.

    Attributes
    ----------
    folder : Path
        Where its files lie.
    judged : Verdicts
        ``claims.json``.
    figures : dict of str to Path
        One file for each figure, by name; the main one is first.
    failed : list of str
        Cells without rows, in words.
    published : list of str
        Where the published values come from.
    record : Record
        ``provenance.json``.
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
    labels: Mapping[str, str] = field(default_factory=dict)
    record: Record = field(default_factory=Record)
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
        about = self.record.config
        return _opened(self.name, about.profile if about.text else self.profile, about.overrides)


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
    whole = [_whole(path.parent) for path in results.glob("*/*/report.json")]
    kept = [
        _from_reference(path.parent)
        for path in results.glob("*/claims.json")
        if is_reference_entry(path.parent)
    ]
    return sorted(whole + kept, key=lambda run: (run.name, run.profile != "paper", run.profile))


def _whole(folder: Path) -> Run:
    info = read_run_info(folder)
    with damage_named(folder / "report.json"):
        failed = [wording.failure(cell) for cell in info.failed]
    return Run(
        name=folder.parent.name,
        profile=folder.name,
        folder=folder,
        title=info.title,
        paper=info.paper,
        artifact=info.artifact,
        about=info.about,
        caution=info.caution,
        cells=info.cells,
        judged=read_claims(folder),
        figures=_checked_pictures(figures(folder, info)),
        failed=failed,
        published=info.published,
        labels=info.labels,
        record=read_record(folder),
        answer=ArtifactAnswer.of(folder.parent.name, info),
        lines=_summary(folder),
    )


def _from_reference(folder: Path) -> Run:
    record, judged = read_record(folder), read_claims(folder)
    texts = _config_texts(record)
    config = _opened(folder.name, "paper")
    methods = config.methods if config else {}
    labels = {key: one.label for key, one in methods.items() if one.label}
    artifact, title = str(texts.get("artifact") or ""), str(texts.get("title") or folder.name)
    paper = str(texts.get("paper") or "")
    compared = config is None or bool(config.published)
    lines = _summary(folder, published=compared)
    # rows that were kept before a config asked anything answer what it asks today
    filled = answers.answer(config, judged, lines) if config else None
    what = name_of(artifact, title)
    return Run(
        name=folder.name,
        profile=record.config.profile,
        folder=folder,
        title=title,
        paper=paper,
        artifact=artifact,
        about=str(texts.get("about") or ""),
        caution=judged.caution,
        cells=record.cells.total,
        judged=judged,
        figures=_checked_pictures(_pictures(folder)),
        failed=record.failed,
        published=[],
        labels=labels,
        record=record,
        answer=ArtifactAnswer(folder.name, paper or "ours", what, filled) if filled else None,
        lines=lines,
    )


def _opened(name: str, profile: str, overrides: Sequence[str] = ()) -> Config | None:
    """The config of a name as it is today; None where there is none, or none that is valid."""
    try:
        return open_config(name, profile, overrides).config if name in known_configs() else None
    except UserError:
        return None


def _config_texts(record: Record) -> dict[str, Any]:
    """What the text of a config says of itself; its paper may stand in what it extends."""
    own = _parsed(record.config.text)
    if "paper" not in own:
        parts = [_parsed(one.text) for one in record.config.extends]
        own["paper"] = next((one["paper"] for one in parts if one.get("paper")), "")
    return own


def _parsed(text: str) -> dict[str, Any]:
    try:
        data = parse(text, "").data
    except (ConfigError, ConfigErrors):
        return {}
    return dict(data) if isinstance(data, dict) else {}


def _pictures(folder: Path) -> dict[str, Path]:
    """The pictures beside an outcome, one for each name; the main one is first."""
    found: dict[str, Path] = {}
    for kind in _ENDS:
        for path in sorted(folder.glob(f"*{kind}")):
            found.setdefault(path.stem, path)
    main = ("figure", folder.name)
    return dict(sorted(found.items(), key=lambda item: (item[0] not in main, item[0])))


def _checked_pictures(found: dict[str, Path]) -> dict[str, Path]:
    """The same, once it is seen that none of them is cut off."""
    for path in found.values():
        with damage_named(path):
            if not read_drawing(path).rstrip().endswith(_ENDS[path.suffix]):
                raise ValueError(f"it is no whole {path.suffix[1:].upper()}")
    return found


def _summary(folder: Path, *, published: bool = True) -> pd.DataFrame:
    path = folder / "summary.csv"
    with damage_named(path):
        if not path.exists():
            return pd.DataFrame()
        lines = pd.read_csv(path)
        if not published:
            lines["published"] = lines["difference"] = math.nan
        lines[_NUMBERS] = lines[_NUMBERS].astype(float)
        if not lines[_NAMES].map(lambda value: isinstance(value, str)).all(axis=None):
            raise ValueError(f"{', '.join(_NAMES)} are not text in every line")
    return lines


@contextmanager
def damage_named(path: Path, verb: str = "figure") -> Iterator[None]:
    """Turn what goes wrong with the content of a file into the sentence on a damaged one."""
    try:
        yield
    except (
        OSError,
        EOFError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        zlib.error,
    ) as error:
        raise damaged(path, f"{type(error).__name__}: {error}", verb) from None
