"""Which test runs which line: recorded once, and again only for tests that have changed.

A recorded run is a folder with the sources that it saw, so a line that has moved since is found
again. Kernels run as plain Python for it: coverage does not see compiled code.
"""

import difflib
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.faults import recording
from tests.faults.syntax import Statement, definitions
from tests.faults.trees import NOT_AS_PYTHON, Tree

# children of tests start coverage too, and know by this variable which test they belong to
_SETTINGS = """\
[run]
source = {source}
parallel = true
data_file = {data}
context = ${{PYTEST_CURRENT_TEST-}}
disable_warnings = module-not-imported, no-data-collected, module-not-measured
"""
_FROM_TESTS = re.compile(r".*\btests\b[^\n(]*(?:\([^)]*\))?|.*\w\.py\b")
_PHASE = re.compile(r" \((?:setup|call|teardown)\)(?:\||\Z)")
_STARTUP = "import coverage\n\ncoverage.process_startup()\n"


class Run:
    """One recorded run of tests."""

    def __init__(self, folder: Path) -> None:
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        self.folder = folder
        self.plain: bool = about["plain"]
        self.digests: dict[str, str] = about["digests"]
        self.root: str = about["root"]
        seconds = json.loads((folder / "seconds.json").read_text(encoding="utf-8"))
        self.seconds: dict[str, float] = seconds
        self._lines: dict[str, dict[int, set[str]]] = {}
        self._reading = threading.Lock()

    @functools.cached_property
    def _data(self):
        from coverage import CoverageData

        data = CoverageData(str(self.folder / "coverage"))
        data.read()
        return data

    def lines(self, file: str) -> dict[int, set[str]]:
        """The tests that ran each line of a file as it was then."""
        with self._reading:
            if file not in self._lines:
                found = self._data.contexts_by_lineno(f"{self.root}/{file}")
                self._lines[file] = {line: set(map(_test, found[line])) for line in found}
            return self._lines[file]

    def source(self, file: str) -> str | None:
        """A file of the package as the run saw it."""
        path = self.folder / "sources" / file
        return path.read_text(encoding="utf-8") if path.is_file() else None


def _test(context: str) -> str:
    # "name (call)" in a child process; "outer (call)|name" where a test starts the recording
    return _PHASE.split(context, maxsplit=1)[-1] or _PHASE.sub("", context)


class Covering:
    """What is known of which tests run which lines, with the latest of what was recorded."""

    def __init__(self, runs: Sequence[Run], digests: dict[str, str], *, plain: bool) -> None:
        self.runs = [run for run in runs if run.plain == plain]
        self.digests = digests
        self._latest: dict[str, Run] = {}
        for run in self.runs:
            for file, digest in run.digests.items():
                if digests.get(file) == digest:
                    self._latest[file] = run

    def missing(self) -> list[str]:
        """The files of tests of which nothing is known as they are now."""
        return sorted(set(self.digests) - set(self._latest))

    def tests_of(self, file: str, text: str, lines: Iterable[int]) -> dict[str, float]:
        """The tests that run one of some lines of a file, with their seconds."""
        wanted = set(lines)
        found: dict[str, float] = {}
        for run in self.runs:
            known = run.lines(file)
            for line in _then(run.source(file), text, wanted) & set(known):
                tests = (test for test in known[line] if self._is_latest(test, run))
                found.update((test, run.seconds[test]) for test in tests)
        return found

    def is_imported(self, file: str, text: str, statement: Statement) -> bool:
        """Whether a statement runs outside of any test: when its file is imported, say."""
        wanted = set(statement.lines)
        return any(
            "" in known[line]
            for run in self.runs
            if (known := run.lines(file))
            for line in _then(run.source(file), text, wanted) & set(known)
        )

    def tests_in(self, folder: str) -> dict[str, float]:
        """The tests of a folder, with their seconds."""
        return {
            test: seconds
            for run in self.runs
            for test, seconds in run.seconds.items()
            if test.startswith(f"{folder}/") and self._is_latest(test, run)
        }

    def _is_latest(self, test: str, run: Run) -> bool:
        file = test.partition("::")[0]
        # doctests are of the package: they have no hash
        latest = self._latest.get(file) if file.startswith("tests/") else run
        return test in run.seconds and latest is run


def _then(before: str | None, text: str, lines: set[int]) -> set[int]:
    """Where lines of a file stood when its text was another."""
    if before == text:
        return lines
    if before is None:
        return set()
    pairs = difflib.SequenceMatcher(None, before.splitlines(), text.splitlines(), autojunk=False)
    found = set()
    for block in pairs.get_matching_blocks():
        moved = {
            line - block.b + block.a for line in lines if block.b < line <= block.b + block.size
        }
        found |= moved
    return found or _of_definition(before, text, lines)


def _of_definition(before: str, text: str, lines: set[int]) -> set[int]:
    """The lines that a definition had, of which some lines are new."""
    names = {one.name for one in definitions(text) if one.lines & lines}
    return min(
        (one.lines for one in definitions(before) if one.name in names), key=len, default=set()
    )


def digests(root: Path, files: Iterable[str]) -> dict[str, str]:
    """A hash for each file of tests: of itself, and of what it may import of the tests."""
    listed = [file for file in files if file.startswith("tests/") and file.endswith(".py")]
    texts = {
        file: (root / file).read_text(encoding="utf-8")
        for file in listed
        if not file.startswith("tests/faults/")
    }
    imports = {file: "\n".join(_FROM_TESTS.findall(text)) for file, text in texts.items()}
    words = {file: set(re.findall(r"\w+", text)) for file, text in imports.items()}
    found = {}
    for file in texts:
        if Path(file).name.startswith("test_"):
            used = sorted(_used_by(file, words))
            found[file] = hashlib.sha256("".join(texts[one] for one in used).encode()).hexdigest()
    return found


def _used_by(file: str, words: dict[str, set[str]]) -> set[str]:
    """A file of tests, each file of tests whose name it mentions, and so on; and conftest.py."""
    used: set[str] = set()
    waiting = {file}
    while waiting:
        one = waiting.pop()
        used.add(one)
        above = {str(folder / "conftest.py") for folder in Path(one).parents}
        named = {other for other in words if Path(other).stem in words[one]}
        waiting |= ((above & set(words)) | named) - used
    return used


def record(
    tree: Tree, folder: Path, tests: Sequence[str], digests: dict[str, str], *, plain: bool
) -> None:
    """Run tests under coverage, on all processors, and keep what is found in a folder."""
    half = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(half, ignore_errors=True)
    (half / "startup").mkdir(parents=True)
    (half / "startup" / "sitecustomize.py").write_text(_STARTUP, encoding="utf-8")
    shutil.copy(recording.__file__, half / "startup" / "faults_recording.py")
    settings = half / "settings"
    data = half / "coverage"
    text = _SETTINGS.format(source=tree.folder / "geoforest_cli", data=data)
    settings.write_text(text, encoding="utf-8")
    shutil.copytree(tree.folder / "geoforest_cli", half / "sources" / "geoforest_cli")
    environment = tree.environment(plain=plain)
    environment["PYTHONPATH"] = os.pathsep.join([str(half / "startup"), str(tree.folder)])
    environment["COVERAGE_PROCESS_START"] = str(settings)
    environment["COVERAGE_CORE"] = "ctrace"  # of the others not all know contexts
    environment[recording.TARGET] = str(half / "seconds.json")
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "faults_recording",
        "-p", "no:cacheprovider", "-n", "auto", "--dist", "worksteal", "--durations=60",
        f"--basetemp={half / 'tmp'}", *(NOT_AS_PYTHON if plain else []), *tests,
    ]  # fmt: skip
    begun = time.monotonic()
    with (half / "log").open("wb") as log:
        subprocess.run(
            command, cwd=tree.folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=log, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    if not (half / "seconds.json").exists():
        raise SystemExit(f"the tests did not run to their end: see {half / 'log'}")
    combine = ["combine", "-q", f"--rcfile={settings}", str(half)]
    subprocess.run([sys.executable, "-m", "coverage", *combine], cwd=tree.folder, check=True)
    about = {
        "plain": plain,
        "digests": digests,
        "root": str(tree.folder),
        "minutes": round((time.monotonic() - begun) / 60, 1),
    }
    (half / "about.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
    for name in ("tmp", "startup"):
        shutil.rmtree(half / name, ignore_errors=True)
    half.rename(folder)
