"""The claims and the account of a run, read back from its folder."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.agreement import Agreement
from geoforest_cli.study.claims.results import Answer, Verdicts

__all__ = [
    "RunInfo",
    "command_again",
    "damaged",
    "figure_names",
    "figures",
    "is_reference_entry",
    "read_as",
    "read_claims",
    "read_run_info",
]

T = TypeVar("T")
_FIGURE = re.compile(r"figure(_[A-Za-z0-9_-]+)?")


class RunInfo(BaseModel):
    """Content of ``report.json`` about a run; ``figures`` are those that it draws."""

    name: str
    title: str
    paper: str
    artifact: str
    about: str
    profile: str
    caution: str
    labels: dict[str, str]
    cells: int
    failed: list[dict[str, Any]]
    published: list[str]
    figures: list[Any] = []
    answer: Answer | None = None
    agreement: Agreement | None = None


_ANYTHING = TypeAdapter(Any)
_RUN_INFO = TypeAdapter(RunInfo)
_VERDICTS = TypeAdapter(Verdicts)


def read_run_info(folder: Path) -> RunInfo:
    """Return what a run says about itself.

    Raises
    ------
    UserError
        If ``report.json`` is missing or damaged, with the command that writes it again.
    """
    return read_as(_RUN_INFO, folder / "report.json")


def read_claims(folder: Path) -> Verdicts:
    """Return the sentences and claims of a run with their verdicts.

    Raises
    ------
    UserError
        If ``claims.json`` is missing, damaged, or was judged by an older version.
    """
    path = folder / "claims.json"
    if isinstance(read_as(_ANYTHING, path), list):
        command = command_again(path, "figure")
        raise UserError(f"{path} was judged by an older version; {command} judges its rows anew")
    return read_as(_VERDICTS, path)


def read_as(kind: TypeAdapter[T], path: Path, verb: str = "figure") -> T:
    """Return what a file of a run holds.

    Parameters
    ----------
    kind : pydantic.TypeAdapter
        Of the type that it has to be.
    path : Path
        ``<config>/<profile>/<file>``.
    verb : {"figure", "run"}
        The command that writes it.

    Raises
    ------
    UserError
        If it cannot be read, or holds something else.
    """
    try:
        return kind.validate_json(path.read_bytes())
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        reason = f"{at}: {first['msg']}" if at else first["msg"]
        raise damaged(path, reason, verb) from None


def damaged(path: Path, reason: object, verb: str) -> UserError:
    """Return the error for a file of a run that is not as it was written."""
    why = " ".join(str(reason).split())
    command = command_again(path, verb)
    return UserError(f"{path} is damaged or of another version ({why}): {command} writes it again")


def command_again(path: Path, verb: str) -> str:
    """Return the command that writes a file of a run again.

    Examples
    --------
    >>> command_again(Path("results/noise/smoke/claims.json"), "figure")
    'geoforest figure noise --profile smoke'
    """
    folder = path.resolve().parent
    if is_reference_entry(folder):
        return f"geoforest reference write {folder.name}"
    words = ["geoforest", verb, folder.parent.name, "--profile", folder.name]
    results = folder.parent.parent
    words += [] if results == Path("results").resolve() else ["--results", str(results)]
    return shlex.join(words)


def is_reference_entry(folder: Path) -> bool:
    """Whether a folder holds the outcome of a run alone, without the run's own files."""
    own = ("report.json", "rows.csv", "rows.parquet")
    return (folder / "claims.json").exists() and not any((folder / one).exists() for one in own)


def figure_names(listed: Sequence[Any]) -> list[str]:
    """Return the figures that a run lists, those whose names a run can give.

    Examples
    --------
    >>> figure_names(["figure", "figure_by_k", "../figure", 3])
    ['figure', 'figure_by_k']
    """
    return [name for name in listed if isinstance(name, str) and _FIGURE.fullmatch(name)]


def figures(folder: Path, about: RunInfo) -> dict[str, Path]:
    """Return the figures of a run that were drawn, as SVG, by name; the main one is first."""
    files = {name: folder / f"{name}.svg" for name in figure_names(about.figures)}
    return {name: path for name, path in files.items() if path.is_file()}
