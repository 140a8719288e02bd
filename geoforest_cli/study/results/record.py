"""The record of a run, ``record.json``: everything that is known of it beside rows and figures."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter
from pydantic import ValidationError as Invalid

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.files import write_atomically
from geoforest_cli.study.agreement import Agreement
from geoforest_cli.study.claims.results import Answer, ClaimResult, SentenceResult, Verdicts

__all__ = [
    "RECORD",
    "RunRecord",
    "command_again",
    "damaged",
    "file_digest",
    "read_record",
    "record_before",
    "significant",
    "write_record",
]

RECORD = "record.json"
DIGITS = 7  # significant ones of estimates, as in ``summary.csv``
_CHECKSUM = "sha256"
_OBJECT = TypeAdapter(dict[str, Any])
_ROUNDED = {"estimate", "low", "high", "p_support", "p_refute"}
_FACTS = ("commit", "processor", "python", "geoforest", "numpy", "numba")


def _require_file_name(name: str) -> str:
    if Path(name).name != name or name == ".." or "\0" in name:
        raise ValueError("it is not the name of a file in this folder")
    return name


FileName = Annotated[str, AfterValidator(_require_file_name)]
FigureName = Annotated[str, StringConstraints(pattern=r"^figure(_[A-Za-z0-9_-]+)?$")]
Count = Annotated[int, Field(ge=0)]


class ConfigText(BaseModel):
    """A config, or one that it extends, as it was when it was read."""

    name: str
    text: str


class RecordedConfig(ConfigText):
    """The config of a run, with what it extends."""

    overrides: tuple[str, ...] = ()
    seed: int = 0
    extends: tuple[ConfigText, ...] = ()


class RecordedFailure(BaseModel):
    """A cell without rows; its status is "missing" where it has not run."""

    cell: str
    what: str
    status: str
    why: str = ""


class Cells(BaseModel):
    """The cells of a run."""

    total: Count = 0
    failed: tuple[RecordedFailure, ...] = ()


class RecordedOrigin(BaseModel):
    """Rows that were made with one set of versions, and that set."""

    model_config = ConfigDict(extra="allow")

    first: str
    last: str
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    records: Count = 0

    def fact(self, name: str) -> str:
        """Return a version, the commit or the processor; empty where it is not known."""
        return str((self.model_extra or {}).get(name) or "")


class Environment(BaseModel):
    """With what the rows were made, and in what its parts differ."""

    differ: tuple[str, ...] = ()
    origins: tuple[RecordedOrigin, ...] = ()


class RecordedIdentity(BaseModel):
    """The cells of one method and variant: see `study.plan.identities`."""

    cells: Count
    digest: str


class RunRecord(BaseModel):
    """A run: config, environment, cells, agreement, sentences, figures.

    Attributes
    ----------
    environment : Environment
        Versions, commits and processors that the rows were made with.
    last_run : dict
        Date, duration, machine, packages and git checkout of the last run.
    data, used : dict
        Versions of data sets, and of the manifolds, metrics and so on that the cells use.
    published : tuple of str
        Where the published values come from.
    durations : dict
        Cells and their seconds, see `engine.estimate.durations`.
    figures : tuple of str
        Names without ending; the main figure is first.
    files : dict
        sha256 of ``rows.parquet`` and ``summary.csv``.
    """

    model_config = ConfigDict(frozen=True)

    version: Literal[1] = 1
    name: FileName
    profile: FileName
    title: str = ""
    paper: str = ""
    artifact: str = ""
    about: str = ""
    caution: str = ""
    labels: dict[str, str] = {}
    config: RecordedConfig
    environment: Environment = Environment()
    last_run: dict[str, Any] = {}
    cells: Cells = Cells()
    measures_time: bool = False
    durations: dict[str, tuple[Count, float]] = {}
    identities: dict[str, RecordedIdentity] = {}
    data: dict[str, str | int] = {}
    used: dict[str, str | int] = {}
    bibtex: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    agreement: Agreement | None = None
    answer: Answer | None = None
    sentences: tuple[SentenceResult, ...] = ()
    claims: tuple[ClaimResult, ...] = ()
    figures: tuple[FigureName, ...] = ()
    files: dict[FileName, str] = {}

    @property
    def size(self) -> str:
        """The profile, and whether something was changed."""
        return f"{self.profile}-changed" if self.config.overrides else self.profile

    @property
    def judged(self) -> Verdicts:
        """Sentences and claims with their verdicts."""
        return Verdicts(caution=self.caution, sentences=self.sentences, claims=self.claims)

    @property
    def seconds(self) -> float:
        """Time that the cells took, one after the other; 0 if that is not known."""
        return sum(origin.seconds for origin in self.environment.origins)

    @property
    def times(self) -> dict[str, tuple[int, float]]:
        """Cells and their seconds, of all together where nothing more is known."""
        cells = sum(origin.records for origin in self.environment.origins)
        return self.durations or {"": (cells, self.seconds)}

    @property
    def failed(self) -> list[str]:
        """Cells without rows, in words."""
        return [f"{cell.status}: {cell.what} ({cell.cell})" for cell in self.cells.failed]

    @property
    def commits(self) -> list[str]:
        """The commits that the rows come from; "" where one is not known."""
        return list(dict.fromkeys(origin.fact("commit") for origin in self.environment.origins))

    @property
    def facts(self) -> list[tuple[str, str]]:
        """With what the rows were made, and whether it was the same for all."""
        origins, differ = self.environment.origins, self.environment.differ
        if not origins:
            return []
        first, last = (
            min(origin.first for origin in origins),
            max(origin.last for origin in origins),
        )
        date = first[:10] + (f" to {last[:10]}" if last[:10] != first[:10] else "")
        values = [(name, origins[0].fact(name)) for name in _FACTS if name not in differ]
        facts = [("made", date), *((name, value) for name, value in values if value)]
        if differ:
            parts = f"{len(origins)} parts that differ in {', '.join(differ)}"
            facts.append(("made in", f"{parts} ({RECORD})"))
        return facts


def write_record(folder: Path, record: RunRecord) -> None:
    """Write a record with its checksum, each sentence, claim and failed cell in a line."""
    content = _rounded(record.model_dump(mode="json"))
    content[_CHECKSUM] = _checksum(content)
    parts = []
    for name, value in content.items():
        text = _json(value)
        if value and isinstance(value, list):
            text = "[\n" + ",\n".join(map(_json, value)) + "\n]"
        parts.append(f"{_json(name)}: {text}")
    write_atomically(folder / RECORD, "{\n" + ",\n".join(parts) + "\n}\n")


def read_record(folder: Path) -> RunRecord:
    """Return the record of a run.

    Raises
    ------
    UserError
        If there is none, or it is not as it was written.
    """
    path = folder / RECORD
    try:
        return RunRecord.model_validate(_content(path.read_bytes()))
    except FileNotFoundError:
        raise UserError(f"{folder} does not hold the results of a run (there is no {RECORD})"
                        ) from None  # fmt: skip
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except Invalid as error:
        first = error.errors(include_url=False)[0]
        at = "".join(f"{part}: " for part in first["loc"])
        raise damaged(path, f"{at}{first['msg']}") from None
    except ValueError as error:
        raise damaged(path, error) from None


def _content(data: bytes) -> dict[str, Any]:
    """The content of a record without its checksum, once that is seen to be right."""
    content = _OBJECT.validate_json(data)
    if content.pop(_CHECKSUM, None) != _checksum(content):
        raise ValueError("its checksum is another one")
    return content


def record_before(folder: Path) -> RunRecord | None:
    """Return the record of an earlier run; None if there is none that can be read."""
    with contextlib.suppress(UserError):
        return read_record(folder)
    return None


def significant(value: Any) -> Any:
    """Return a number with no more digits than anybody can use, anything else as it is."""
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return float(f"{value:.{DIGITS}g}")


def file_digest(path: Path) -> str:
    """Return the sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def damaged(path: Path, reason: object) -> UserError:
    """Return the error for a file of a run that is not as it was written."""
    why = " ".join(str(reason).split())
    return UserError(
        f"{path} is damaged or of another version ({why}): {command_again(path)} writes it again"
    )


def command_again(path: Path) -> str:
    """Return the command that writes a file of a run, or of the reference, again.

    Examples
    --------
    >>> command_again(Path("results/reference/noise/record.json"))
    'geoforest reference write noise'
    """
    folder = path.resolve().parent
    if not (folder.parent / "cells.sqlite").exists():
        return shlex.join(["geoforest", "reference", "write", folder.name])
    words = ["geoforest", "figure", folder.parent.name, "--profile", folder.name]
    results = folder.parent.parent
    words += [] if results == Path("results").resolve() else ["--results", str(results)]
    return shlex.join(words)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _checksum(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _rounded(value: Any, name: str = "") -> Any:
    """The same with rounded estimates, intervals and p values."""
    if isinstance(value, dict):
        return {key: _rounded(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return significant(value) if name in _ROUNDED else value
