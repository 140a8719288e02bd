"""Try a fixed sample of the mutants of the package: `python -m tests.faults.mutants [FOLDER ...]`.

What is found is kept in `.mutants/`. Called again, it goes on where it was stopped; a mutant is
tried again when its file has changed, or the tests that decided its fate. First it records which
test runs which line: of all tests once, later of those that have changed.
"""

import argparse
import difflib
import functools
import hashlib
import json
import re
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.faults import compiled, covering, places, pool
from tests.faults.covering import Covering, Run
from tests.faults.hand_made import EQUIVALENT as LISTED
from tests.faults.hand_made import HERE, folder_of
from tests.faults.places import Mutant
from tests.faults.report import EQUIVALENT, KILLED, NOT_COVERED, SURVIVED, table
from tests.faults.syntax import in_functions, statement_at
from tests.faults.trees import ROOT, Tree, files_of, trees

_LEFT = "left"  # not tried yet
_NEAR = 0.25  # tests close by are tried as if they took a quarter of their time


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant.

    Attributes
    ----------
    key : str
        Tells the mutant, and the file that it is made of.
    kind : str
    by : str
        What killed it.
    tests : str
        A hash of the tests that decided it: of the file with the killer, else of all.
    tried, covering : int
        How many tests were run, of how many that run the line.
    seconds : float
        That the tests could take.
    """

    key: str
    kind: str
    by: str = ""
    tests: str = ""
    tried: int = 0
    covering: int = 0
    seconds: float = 60


class Store:
    """Outcomes, one a line."""

    def __init__(self, path: Path, digests: dict[str, str]) -> None:
        self._path = path
        self._digests = digests
        self._all = hashlib.sha256("".join(sorted(digests.values())).encode()).hexdigest()
        self._known: dict[str, Outcome] = {}
        if path.is_file():
            lines = path.read_text(encoding="utf-8").splitlines()
            outcomes = [Outcome(**json.loads(line)) for line in lines if line.endswith("}")]
            self._known = {one.key: one for one in outcomes}

    def get(self, key: str, seconds: float = 0) -> Outcome | None:
        """What is known of a mutant, and still true of today's tests.

        Nothing is known of one that survived some of the tests, if more have the time now.
        """
        known = self._known.get(key)
        if known is None or known.tests != self.deciding(known.by):
            return None
        open_yet = known.kind == SURVIVED and known.tried < known.covering
        return None if open_yet and seconds > known.seconds else known

    def deciding(self, by: str) -> str:
        """The hash of the tests that decide: of the file of a killer, or of all."""
        return self._digests.get(by.partition("::")[0], self._all)

    def keep(self, outcome: Outcome) -> None:
        """Write an outcome down at once."""
        self._known[outcome.key] = outcome
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(outcome)) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutants of the sample that have no outcome yet, and tell of all."""
    given = _parser().parse_args(arguments)
    files = files_of(ROOT)
    sources = {
        file: (ROOT / file).read_text(encoding="utf-8")
        for file in files
        if file.startswith("geoforest_cli/") and file.endswith(".py")
    }
    drawn = places.sample(sources, given.size, given.seed)
    drawn = [one for one in drawn if _is_wanted(one.file, given.paths)]
    digests = covering.digests(ROOT, files)
    digests = {file: one for file, one in digests.items() if _is_wanted(file, given.tests)}
    given.folder.mkdir(exist_ok=True, parents=True)
    store = Store(given.folder / "outcomes.jsonl", digests)
    found = _found_before(drawn, sources, store, given.seconds)
    print(f"{len(found)} mutants of {len(drawn)} are known.", flush=True)
    waiting = [mutant for mutant in drawn if mutant not in found]
    if waiting:
        for mutant, outcome in _tried(waiting, sources, digests, store, given):
            found[mutant] = outcome
            if outcome.kind != _LEFT:
                store.keep(outcome)
                print(_line(mutant, outcome), flush=True)
    _tell(found, sources)
    return 0


def _tried(
    waiting: Sequence[Mutant],
    sources: dict[str, str],
    digests: dict[str, str],
    store: Store,
    given: argparse.Namespace,
) -> Iterator[tuple[Mutant, Outcome]]:
    with trees(given.jobs) as made:
        known = _both_recorded(made[0], digests, given)
        for other in made[1:]:
            compiled.lend(made[0].folder, other.folder, made[0].numba)
        until = time.monotonic() + 60 * given.minutes

        def attempt(tree: Tree, mutant: Mutant) -> Outcome:
            text = sources[mutant.file]
            if time.monotonic() > until:
                return Outcome(_key(mutant, text), _LEFT)
            return _try(tree, mutant, text, known[mutant.is_of_kernel], store, given.seconds)

        yield from pool.tried(waiting, made, attempt)


def _found_before(
    drawn: Sequence[Mutant], sources: dict[str, str], store: Store, seconds: float
) -> dict[Mutant, Outcome]:
    """The outcomes that need no run of tests."""
    listed = {_as_told(one) for one in read_equivalent(HERE)}
    found = {}
    for mutant in drawn:
        text = sources[mutant.file]
        key = _key(mutant, text)
        if _as_told(told(mutant, text)) in listed:
            found[mutant] = Outcome(key, EQUIVALENT)
        elif outcome := store.get(key, seconds):
            found[mutant] = outcome
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.mutants", description=__doc__)
    parser.add_argument("paths", nargs="*", help="folders or files whose mutants are tried; all")
    parser.add_argument("--size", type=int, default=300, help="of the sample (300)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (2)")
    parser.add_argument("--minutes", type=float, default=60, help="then no more are begun (60)")
    parser.add_argument(
        "--seconds", type=float, default=60, help="of processor time, of one mutant's tests (60)"
    )
    parser.add_argument("--tests", nargs="*", default=[], help="only these folders or files; all")
    parser.add_argument(
        "--plain", nargs="*", default=[], help="the tests of kernels, run as plain Python"
    )
    parser.add_argument(
        "--folder", type=lambda text: Path(text).absolute(), default=ROOT / ".mutants",
        help="of what is kept",
    )  # fmt: skip
    return parser


def _is_wanted(file: str, paths: Sequence[str]) -> bool:
    return not paths or any(f"{file}/".startswith(f"{path.rstrip('/')}/") for path in paths)


def _both_recorded(
    tree: Tree, digests: dict[str, str], given: argparse.Namespace
) -> dict[bool, Covering]:
    """Which test runs which line, of kernels as plain Python and of all else as it is."""
    plain = {file: one for file, one in digests.items() if _is_wanted(file, given.plain)}
    folder = given.folder / "runs"
    return {
        False: _recorded(tree, folder, digests, given.tests, plain=False),
        True: _recorded(tree, folder, plain, given.plain, plain=True),
    }


def _recorded(
    tree: Tree, folder: Path, digests: dict[str, str], paths: Sequence[str], *, plain: bool
) -> Covering:
    """Which test runs which line, after the tests of which it is not known have run."""
    for part in folder.glob("*.part"):
        print(f"{part} was not finished and is not used.")
    runs = [Run(one) for one in sorted(folder.glob("[0-9]*")) if one.suffix != ".part"]
    known = Covering(runs, digests, plain=plain)
    missing = known.missing()
    if not missing:
        return known
    whole = len(missing) == len(digests)
    tests = missing if not whole else list(paths) or ["--ignore=tests/faults"]
    how = "as plain Python" if plain else "compiled"
    number = "all tests" if whole else f"{len(missing)} files of tests"
    print(f"Recording which test runs which line: {number}, {how}.", flush=True)
    name = f"{len(runs):03d}"
    kept = {file: digests[file] for file in missing}
    covering.record(tree, folder / name, tests, kept, plain=plain)
    return Covering([*runs, Run(folder / name)], digests, plain=plain)


def _key(mutant: Mutant, text: str) -> str:
    return f"{mutant.rank}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def chosen(
    mutant: Mutant, text: str, known: Covering, seconds: float
) -> tuple[list[str], float, int]:
    """The tests to run for a mutant, what time they take, and of how many they are.

    Quick ones come first, and those of its own folder; all take some seconds at most.
    """
    statement = statement_at(text, mutant.start[0])
    folder = _mirrored(mutant.file)
    near = {}
    running = known.tests_of(mutant.file, text, statement.lines)
    if statement.at_import or (not running and known.is_imported(mutant.file, text, statement)):
        near = known.tests_of(mutant.file, text, statement.near)
        running = known.tests_of(mutant.file, text, in_functions(text)) | known.tests_in(folder)

    def weight(test: str) -> float:
        imports = Path(mutant.file).stem in _imported(test.partition("::")[0])
        return running[test] * _NEAR ** ((test in near) + test.startswith(f"{folder}/") + imports)

    ordered = sorted(running, key=lambda test: (weight(test), test))
    total, taken = 0.0, []
    for test in ordered:
        if not taken or total + running[test] <= seconds:
            taken.append(test)
            total += running[test]
    # each file's tests together: their fixtures are made once
    first = {test.partition("::")[0]: -place for place, test in reversed(list(enumerate(taken)))}
    taken.sort(key=lambda test: -first[test.partition("::")[0]])
    return taken, total, len(ordered)


@functools.cache
def _imported(file: str) -> set[str]:
    """The words of a test file's imports."""
    path = ROOT / file
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {
        word for line in lines if line.startswith(("from ", "import "))
        for word in re.findall(r"\w+", line)
    }  # fmt: skip


def _mirrored(file: str) -> str:
    parts = Path(file).parts
    return f"tests/{parts[1]}" if len(parts) > 2 else "tests"


def _try(
    tree: Tree, mutant: Mutant, text: str, known: Covering, store: Store, seconds: float
) -> Outcome:
    key = _key(mutant, text)
    tests, expected, total = chosen(mutant, text, known, seconds)
    if not tests:
        return Outcome(key, NOT_COVERED, tests=store.deciding(""), seconds=seconds)
    with tree.edited(mutant.file, mutant.applied(text)):
        # what was recorded was slower, under coverage; what has to be imported comes on top
        limit = 60 + 2 * max(expected, seconds)
        verdict = tree.run(tests, plain=mutant.is_of_kernel, seconds=limit)
    kind = KILLED if verdict.killed else SURVIVED
    by = verdict.by
    return Outcome(key, kind, by, store.deciding(by), len(tests), total, seconds)


def told(mutant: Mutant, text: str) -> dict[str, str]:
    """A mutant as `equivalent.toml` tells it."""
    pairs = difflib.ndiff(text.splitlines(), mutant.applied(text).splitlines())
    changed = [line for line in pairs if line[0] in "+-"]
    old, new = ("\n".join(line[2:].strip() for line in changed if line[0] == sign) for sign in "-+")
    return {"file": mutant.file, "definition": mutant.definition, "old": old, "new": new}


def _as_told(entry: dict[str, str]) -> tuple[str, ...]:
    return tuple(entry[name] for name in ("file", "definition", "old", "new"))


def read_equivalent(folder: Path) -> list[dict[str, str]]:
    """The mutants that no test can notice, each with its reason."""
    path = folder / LISTED
    if not path.is_file():
        return []
    listed: list[dict[str, str]] = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])
    return listed


def _line(mutant: Mutant, outcome: Outcome) -> str:
    by = f", by {outcome.by}" if outcome.by else ""
    return f"{outcome.kind:<12} {mutant.file}:{mutant.start[0]} {mutant.operator}{by}"


def _tell(found: dict[Mutant, Outcome], sources: dict[str, str]) -> None:
    for mutant, outcome in sorted(found.items(), key=lambda one: (one[0].file, one[0].start)):
        if outcome.kind not in {SURVIVED, NOT_COVERED}:
            continue
        entry = told(mutant, sources[mutant.file])
        print(f"\n# {mutant.file}:{mutant.start[0]} {mutant.operator}: {_how(outcome)}")
        print("[[mutant]]")
        print("\n".join(f"{name} = {_toml(value)}" for name, value in entry.items()))
    outcomes = [(folder_of(one.file), outcome.kind) for one, outcome in found.items()]
    kinds = [KILLED, SURVIVED, NOT_COVERED, EQUIVALENT]
    left = [_LEFT] if _LEFT in {kind for _, kind in outcomes} else []
    print(f"\n{table(outcomes, [*kinds, *left])}")


def _how(outcome: Outcome) -> str:
    if outcome.kind == NOT_COVERED:
        return "no test runs it"
    return f"{outcome.tried} tests pass, of {outcome.covering} that run it"


def _toml(value: str) -> str:
    if "\n" in value:
        return f"'''\n{value}'''"
    return f"'{value}'" if "'" not in value else json.dumps(value)


def sentences(entries: Iterable[dict[str, str]], root: Path) -> list[str]:
    """What is wrong with the list of equivalent mutants, a sentence each."""
    found, seen = [], set()
    for number, entry in enumerate(entries, 1):
        place = f"{LISTED}, mutant {number}"
        if set(entry) != {"file", "definition", "old", "new", "reason"}:
            found.append(f"{place}: it has {sorted(entry)}.")
            continue
        if _as_told(entry) in seen:
            found.append(f"{place}: it stands there twice.")
        seen.add(_as_told(entry))
        path = root / entry["file"]
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        lines = {line.strip() for line in text.splitlines()}
        if not set(entry["old"].splitlines()) <= lines:
            found.append(f"{place}: {entry['old']!r} is no line of {entry['file']}.")
        if not entry["reason"].strip():
            found.append(f"{place}: it has no reason.")
    return found


if __name__ == "__main__":
    sys.exit(main())
