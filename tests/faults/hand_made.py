"""Faults made by hand: one edit each, and the tests that have to notice it.

They stand in one TOML file per folder of the package, beside this module.
"""

import ast
import functools
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

HERE = Path(__file__).resolve().parent
EQUIVALENT = "equivalent.toml"  # of the mutants that a tool makes: see `mutants`


@dataclass(frozen=True)
class Fault:
    """One edit of one file.

    Attributes
    ----------
    source : str
        The TOML file and the place in it.
    file, old, new : str
        Where what becomes what.
    why : str
        What is wrong then.
    tests : tuple of str
        pytest's arguments, of which one has to fail.
    plain : bool
        Whether kernels run as plain Python.
    equivalent : str
        Why no test can notice it, instead of tests.
    """

    source: str
    file: str
    old: str
    new: str
    why: str = ""
    tests: tuple[str, ...] = ()
    plain: bool = False
    equivalent: str = ""

    @property
    def folder(self) -> str:
        """The folder of the package that the file is in."""
        return folder_of(self.file)

    @property
    def toml(self) -> str:
        """The TOML file, as git names it."""
        return f"tests/faults/{self.source.partition(',')[0]}"

    def applied(self, text: str) -> str:
        """What the file then says."""
        return text.replace(self.old, self.new)


def folder_of(file: str) -> str:
    """The part of the package that a file belongs to: `geoforest_cli/study/claims`, or its room."""
    parts = Path(file).parent.parts
    return "/".join(parts[:3])


class MalformedFaultsError(Exception):
    """What stands in a TOML file is no list of faults."""


def read(folder: Path = HERE) -> list[Fault]:
    """All faults of a folder's TOML files."""
    return [fault for path in sorted(folder.glob("*.toml")) for fault in _read(path)]


def _read(path: Path) -> list[Fault]:
    if path.name == EQUIVALENT:
        return []
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise MalformedFaultsError(f"{path.name} is no TOML: {error}.") from error
    if set(told) != {"fault"}:
        names = ", ".join(sorted(map(repr, told))) or "nothing"
        raise MalformedFaultsError(f"{path.name} has {names}; it may have [[fault]] only.")
    return [
        _fault(f"{path.name}, fault {number}", one) for number, one in enumerate(told["fault"], 1)
    ]


def _fault(source: str, told: dict) -> Fault:
    allowed = {one.name for one in fields(Fault)} - {"source"}
    if unknown := set(told) - allowed:
        raise MalformedFaultsError(f"{source}: {unknown.pop()!r} is none of {sorted(allowed)}.")
    if lacking := {"file", "old", "new"} - set(told):
        raise MalformedFaultsError(f"{source}: {min(lacking)!r} is missing.")
    return Fault(source, **{**told, "tests": tuple(told.get("tests", ()))})


def among(faults: Iterable[Fault], paths: Sequence[str]) -> list[Fault]:
    """The faults of some folders or files of the package, or of some TOML files; all if none."""
    if not paths:
        return list(faults)
    wanted = [f"{path.rstrip('/')}/" for path in paths]
    return [
        fault
        for fault in faults
        if any(
            name.startswith(path)
            for path in wanted
            for name in (
                f"{fault.file}/",
                f"{fault.file}/".removeprefix("geoforest_cli/"),
                f"{fault.toml}/",
            )
        )
    ]


def touched(faults: Iterable[Fault], changed: Iterable[str]) -> list[Fault]:
    """The faults of which the folder, or that of a test, or the list itself has changed."""
    files = list(changed)
    folders = {folder_of(file) for file in files}
    return [
        fault
        for fault in faults
        if fault.folder in folders
        or fault.toml in files
        or any(folder_of(test.partition("::")[0]) in folders for test in fault.tests)
    ]


def problems(faults: Iterable[Fault], root: Path) -> list[str]:
    """What is wrong with faults, a sentence each."""
    found, seen = [], {}
    for fault in faults:
        found += [f"{fault.source}: {problem}" for problem in _problems(fault, root)]
        first = seen.setdefault((fault.file, fault.old, fault.new), fault.source)
        if first != fault.source:
            found.append(f"{fault.source}: it is the same as {first}.")
    return found


def _problems(fault: Fault, root: Path) -> list[str]:
    path = root / fault.file
    if not path.is_file():
        return [f"there is no file {fault.file!r}."]
    text = path.read_text(encoding="utf-8")
    found = []
    if text.count(fault.old) != 1:
        found.append(
            f"{fault.old!r} stands {text.count(fault.old)} times in {fault.file}, not once."
        )
    elif path.suffix == ".py":
        found += _changes_nothing(text, fault)
    if not fault.why and not fault.equivalent:
        found.append("it does not say why it is a fault.")
    if bool(fault.tests) == bool(fault.equivalent):
        found.append("it needs either tests or the reason why none can notice it.")
    found += [problem for test in fault.tests for problem in _missing(test, root)]
    return found


def _changes_nothing(text: str, fault: Fault) -> list[str]:
    # only the statements that it touches are parsed again
    starts = _starts(text)
    at = text.index(fault.old)
    first = starts[bisect_right(starts, max(at - 1, 0)) - 1]
    after = bisect_right(starts, at + len(fault.old))
    before = text[first : starts[after] if after < len(starts) else len(text)]
    try:
        changed = ast.parse(fault.applied(before))
    except SyntaxError as error:
        line = (error.lineno or 0) + text.count("\n", 0, first)
        return [f"what comes out is no Python: {error.msg} in line {line}."]
    same = ast.dump(ast.parse(before)) == ast.dump(changed)
    return ["it changes nothing but the layout."] if same else []


@functools.cache
def _statements(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


@functools.cache
def _starts(text: str) -> list[int]:
    """Where the statements of a module begin, with what stands before the first."""
    offsets = [0]
    for line in text.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    lines = {
        min([one.lineno, *(above.lineno for above in getattr(one, "decorator_list", []))])
        for one in _statements(text)
    }
    return sorted({0, *(offsets[line - 1] for line in lines)})


def _missing(test: str, root: Path) -> list[str]:
    file, *names = test.partition("[")[0].split("::")
    path = root / file
    if not path.exists():
        return [f"there is no {file!r} to run."]
    if not names or not file.startswith("tests/"):
        return []
    body: Sequence[ast.stmt] = _statements(path.read_text(encoding="utf-8"))
    for name in names:
        inside = [one for one in body if getattr(one, "name", None) == name]
        if not inside:
            return [f"there is no {name!r} in {file}."]
        body = getattr(inside[-1], "body", [])
    return []
