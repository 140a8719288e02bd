"""Random faults that the tests should notice: ``python -m tests.faults.mutants [PATH ...]``.

cosmic-ray makes the faults; a sample of them, drawn by a seed, is tried in a copy of the checkout,
files that have changed since a commit first. For each fault those files of tests run that run its
line, of the folder of tests that mirrors its own and of ``--tests``. Outcomes are kept in
`.mutants/`; while neither sources nor tests change, a second call goes on where the first stopped.
"""

import ast
import collections
import contextlib
import difflib
import functools
import hashlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import click

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".mutants"
KILLED, SURVIVED, TIMEOUT, NOT_COVERED = "killed", "survived", "timeout", "not covered"

SWAPS = {
    "ReplaceBinaryOperator": (
        "Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Div", "FloorDiv_Mul", "Mod_FloorDiv",
        "Pow_Mul", "RShift_LShift", "LShift_RShift", "BitOr_BitAnd", "BitAnd_BitOr", "BitXor_BitOr",
    ),
    "ReplaceComparisonOperator": (
        *(f"{a}_{b}" for a, b in itertools.permutations(("Lt", "LtE", "Gt", "GtE"), 2)),
        "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is", "Eq_LtE", "Eq_GtE",
    ),
    "ReplaceUnaryOperator": ("Delete_USub", "Delete_Not", "Delete_Invert"),
}  # fmt: skip
# what somebody could have written: `a - b` for `a + b`, not `a << b`
OPERATORS = (
    *(f"{kind}_{swap}" for kind, swaps in SWAPS.items() for swap in swaps),
    "AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr",
    "ReplaceOrWithAnd", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak",
    "ExceptionReplacer", "NumberReplacer", "ZeroIterationForLoop",
)  # fmt: skip


class Mutant(NamedTuple):
    """An edit that an operator makes at its n-th place in a file."""

    file: str
    operator: str
    occurrence: int
    line: int
    column: int

    def rank(self, seed):
        """Return a digest that orders mutants at random."""
        return hashlib.sha256(f"{seed} {self}".encode()).hexdigest()

    def applied(self, text):
        """Return the file with the fault; nothing where cosmic-ray cannot make it."""
        from cosmic_ray.mutating import mutate_code

        # it fails at an exception that is named with its module
        with contextlib.suppress(AttributeError):
            return mutate_code(text, operators()[self.operator], self.occurrence)


@functools.cache
def operators():
    """Return the operators of cosmic-ray that are used."""
    from cosmic_ray import plugins

    return {name: plugins.get_operator(f"core/{name}")() for name in OPERATORS}


def sample(sources, changed, size, seed):
    """Draw mutants, at most one of each place, those of changed files first."""
    places = {}
    for file, text in sources.items():
        for fault in sorted(mutants(file, text), key=lambda fault: fault.rank(seed)):
            places.setdefault((file, fault.line, fault.column), fault)
    drawn = sorted(places.values(), key=lambda fault: (fault.file not in changed, fault.rank(seed)))
    possible = (fault for fault in drawn if fault.applied(sources[fault.file]))
    return list(itertools.islice(possible, size))


def mutants(file, text):
    """Yield all mutants of a file but of asserts and annotations, which behaviour does not show."""
    from cosmic_ray.ast import ast_nodes, get_ast

    exempt = []
    for node in ast.walk(ast.parse(text)):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        parts += [node] * isinstance(node, ast.Assert)
        exempt += [
            ((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset))
            for part in parts
            # but what is called in an annotation: Field(ge=1)
            if isinstance(part, ast.stmt)
            or (part and not any(isinstance(node, ast.Call) for node in ast.walk(part)))
        ]
    nodes = list(ast_nodes(get_ast(text)))
    for name, operator in operators().items():
        spans = (span for node in nodes for span in operator.mutation_positions(node))
        for occurrence, (start, end) in enumerate(spans):
            if not any(first <= start and end <= last for first, last in exempt):
                yield Mutant(file, name, occurrence, *start)


def mirrored(file, root=ROOT):
    """Return the deepest folder of tests that mirrors the folder of a file, or one above it."""
    folder = Path("tests", *Path(file).parent.parts[1:])
    while not list((root / folder).glob("test_*.py")) and folder != Path("tests"):
        folder = folder.parent
    return str(folder)


class Copy:
    """A copy of the checkout, in which a fault may stand and tests run."""

    def __init__(self, kept, marks, others):
        self.kept, self.marks, self.others = kept, marks, others
        self.folder = kept / "copy"
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in listed("."):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.folder / name)
        # two faults of one second and one length look the same but for their hash
        command = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash"]
        subprocess.run([*command, "geoforest_cli"], cwd=self.folder, check=True)

    def run(self, words, seconds, *, plain):
        """Run tests; return pytest's exit status, or nothing if they took too long."""
        settings = {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        settings |= {"NUMBA_DISABLE_JIT": "1"} if plain else {}
        marks = f"not compiled and {self.marks}" if plain else self.marks
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile"]
        command += ["-p", "no:cacheprovider", "--hypothesis-seed=0", "-m", marks]
        process = subprocess.Popen(
            [*command, *words], cwd=self.folder, env=os.environ | settings, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=(self.kept / "log").open("w"), stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def attempt(self, mutant, text):
        """Let a fault stand while the tests that run its line run, up to the first that fails."""
        plain = "/kernels/" in mutant.file  # coverage does not see compiled code
        tests, seconds = set(), 60.0
        for folder in {mirrored(mutant.file), *self.others}:
            lines, took = self.recorded(folder, mutant.file, plain=plain)
            running = set(lines.get(mutant.line, []))
            # a line that runs when its module is imported concerns whoever runs any other
            running = set().union(*lines.values()) if "" in running else running
            tests |= {test.partition("::")[0] for test in running if test}
            seconds += 3 * took
        if not tests:
            return NOT_COVERED
        ordered = sorted(tests, key=lambda name: (Path(mutant.file).stem not in name, name))
        path = self.folder / mutant.file
        path.write_text(mutant.applied(text), encoding="utf-8")
        status = self.run(["-x", *ordered], seconds, plain=plain)
        path.write_text(text, encoding="utf-8")
        return {None: TIMEOUT, 0: SURVIVED}.get(status, KILLED)

    def recorded(self, folder, file, *, plain):
        """Return the tests of a folder by the line of a file, and the seconds that all take."""
        from coverage import CoverageData

        kept = self.kept / (folder.replace("/", "-") + "-plain" * plain)
        if not kept.exists():
            click.echo(f"recording which tests of {folder} run which lines", err=True)
            began = time.monotonic()
            cover = ["--cov=geoforest_cli", "--cov-context=test", "--cov-report="]
            status = self.run([*cover, "--cov-fail-under=0", folder], 7200, plain=plain)
            if status:
                sys.exit(f"without any fault the tests of {folder} fail: {self.kept / 'log'}")
            (self.folder / "seconds").write_text(f"{time.monotonic() - began:.0f}")
            kept.mkdir()
            for name in ("seconds", ".coverage"):
                shutil.move(self.folder / name, kept)
        data = CoverageData(str(kept / ".coverage"))
        data.read()
        seconds = float((kept / "seconds").read_text())
        return data.contexts_by_lineno(str(self.folder / file)), seconds


def git(*words):
    """Return what git says."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def listed(*paths):
    """Return the files below some paths that git has, or would take."""
    names = git("ls-files", "--cached", "--others", "--exclude-standard", "--", *paths)
    return sorted({name for name in names.splitlines() if (ROOT / name).is_file()})


def changed_since(commit):
    """Return the files changed since a commit, by default the last tag's or fifty commits ago."""
    with contextlib.suppress(subprocess.CalledProcessError):
        tag = git("describe", "--tags", "--abbrev=0")
        commit = commit or git("merge-base", tag, "HEAD")
    return frozenset(git("diff", "--name-only", commit or "HEAD~50").splitlines())


@click.command(help=__doc__)
@click.argument("paths", nargs=-1)
@click.option("--size", default=300, show_default=True, help="Mutants of the sample.")
@click.option("--seed", default=0, show_default=True, help="Seed of the sample.")
@click.option("--since", help="A commit; by default that of the last tag, else HEAD~50.")
@click.option("--minutes", default=60.0, show_default=True, help="After these none is begun.")
@click.option("--marks", default="not nightly", show_default=True, help="Tests to run.")
@click.option("--tests", multiple=True, help="Folder of tests beside the mirrored one; repeatable.")
def main(paths, size, seed, since, minutes, marks, tests):
    """Try mutants, and tell which no test has noticed."""
    names = [name for name in listed(*(paths or ["geoforest_cli"])) if name.endswith(".py")]
    if not names:
        raise click.UsageError("no such sources")
    sources = {name: (ROOT / name).read_text(encoding="utf-8") for name in names}
    drawn = sample(sources, changed_since(since), size, seed)
    parts = [(ROOT / name).read_bytes() for name in listed("geoforest_cli", "configs", "tests")]
    digest = hashlib.sha256(b"\0".join([*map(str.encode, (marks, *tests)), *parts])).hexdigest()
    kept = KEPT / digest[:12]
    kept.mkdir(parents=True, exist_ok=True)
    path = kept / "outcomes.jsonl"
    path.touch()
    outcomes = {Mutant(*key): kind for key, kind in map(json.loads, path.open(encoding="utf-8"))}
    waiting = [mutant for mutant in drawn if mutant not in outcomes]
    click.echo(f"{len(drawn)} mutants, {len(waiting)} of them not tried yet", err=True)
    copy = Copy(kept, marks, tests) if waiting else None
    until = time.monotonic() + 60 * minutes
    for mutant in itertools.takewhile(lambda _: time.monotonic() < until, waiting):
        outcomes[mutant] = copy.attempt(mutant, sources[mutant.file])
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps([mutant, outcomes[mutant]]) + "\n")
        click.echo(f"{outcomes[mutant]:12} {mutant.file}:{mutant.line} {mutant.operator}")
    for mutant in drawn:
        if outcomes.get(mutant) in {SURVIVED, NOT_COVERED}:
            text = sources[mutant.file]
            pair = (text.splitlines(), mutant.applied(text).splitlines())
            lines = difflib.unified_diff(*pair, mutant.file, outcomes[mutant], lineterm="", n=1)
            click.echo("\n" + "\n".join(lines))
    counts = collections.Counter(outcomes.get(mutant, "left") for mutant in drawn)
    click.echo("\n" + ", ".join(f"{count} {kind}" for kind, count in counts.most_common()))


if __name__ == "__main__":
    main()
