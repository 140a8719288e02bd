"""The claims and the account of a run, read back from its folder."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict, TypeVar, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.study.agreement import Agreement
from geoforest_cli.study.claims.results import Answer, ClaimResult

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
    "refuse_old_claims",
]

T = TypeVar("T")
_OPTIONAL = {"agreement", "answer", "figures", "looks"}  # what files of older versions lack
_FIGURE = re.compile(r"figure(_[A-Za-z0-9_-]+)?")


class _RequiredRunInfo(TypedDict):
    schema: int
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


class RunInfo(_RequiredRunInfo, total=False):
    """What ``report.json`` says about a run.

    ``figures`` are those that it draws, ``agreement`` is an `Agreement`.
    """

    figures: list[str]
    answer: Answer | None
    agreement: dict[str, Any] | None


_MAPPING = TypeAdapter(dict[str, Any])
_MAPPINGS = TypeAdapter(list[dict[str, Any]])


def read_run_info(folder: Path) -> RunInfo:
    """Return what a run says about itself.

    Raises
    ------
    UserError
        If ``report.json`` is missing or damaged, with the command that writes it again.
    """
    path = folder / "report.json"
    found = read_as(_MAPPING, path)
    _require(RunInfo, found, path)
    return cast("RunInfo", found)


def read_claims(folder: Path) -> list[ClaimResult]:
    """Return the claims of a run with their verdicts.

    Those of earlier versions that compare with published values are passed over: see `Agreement`.

    Raises
    ------
    UserError
        If ``claims.json`` is missing, damaged, or was judged by an older version.
    """
    path = folder / "claims.json"
    found = read_as(_MAPPINGS, path)
    refuse_old_claims(path, found)
    for number, claim in enumerate(found, 1):
        _require(ClaimResult, claim, path, f"claim {number}: ")
    return [cast("ClaimResult", claim) for claim in found if claim["origin"] != "agreement"]


@functools.cache
def _fields(kind: type) -> dict[str, TypeAdapter[Any]]:
    # pydantic itself takes the TypedDict of Python 3.11 for no type
    hints: dict[str, Any] = get_type_hints(kind)
    if "print" in hints:
        hints["print"] = dict[str, Any] | None
        hints["looks"] = dict[str, list[int]]
    if "answer" in hints:
        hints["answer"] = dict[str, str] | None
    if "agreement" in hints:
        hints["agreement"] = Agreement | None
    return {name: TypeAdapter(hint) for name, hint in hints.items()}


def _require(kind: type, found: Mapping[str, Any], path: Path, place: str = "") -> None:
    """Refuse a mapping whose values are not of the types that a typed dict says."""
    lacking = sorted(_fields(kind).keys() - found.keys() - _OPTIONAL)
    if lacking:
        raise damaged(path, f"{place}{lacking[0]!r} is missing", "figure")
    for name, adapter in _fields(kind).items():
        if name in found:
            try:
                adapter.validate_python(found[name])
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                at = ".".join(map(str, (name, *first["loc"])))
                reason = f"{place}{at}: {first['msg']}, not {quoted(first['input'])}"
                raise damaged(path, reason, "figure") from None


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


def refuse_old_claims(path: Path, claims: list[dict[str, Any]]) -> None:
    """Refuse claims that an older version has judged by other rules.

    Raises
    ------
    UserError
        With the command that judges them anew.
    """
    if any("origin" not in claim for claim in claims):
        command = command_again(path, "figure")
        raise UserError(f"{path} was judged by an older version; {command} judges its rows anew")


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


def figure_names(about: Mapping[str, Any]) -> list[str]:
    """Return the figures that a run lists, those whose names a run can give.

    Examples
    --------
    >>> figure_names({"figures": ["figure", "figure_by_k", "../figure", 3]})
    ['figure', 'figure_by_k']
    """
    listed = about.get("figures")
    names = listed if isinstance(listed, list) else []
    return [name for name in names if isinstance(name, str) and _FIGURE.fullmatch(name)]


def figures(folder: Path, about: RunInfo) -> dict[str, Path]:
    """Return the figures of a run that were drawn, as SVG, by name; the main one is first."""
    files = {name: folder / f"{name}.svg" for name in figure_names(about)}
    return {name: path for name, path in files.items() if path.is_file()}
