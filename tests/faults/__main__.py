"""Try the faults that were made by hand: `python -m tests.faults [FOLDER ...] [--changed BASE]`."""

import argparse
import subprocess
import sys
from collections.abc import Sequence

from tests.faults import compiled, pool
from tests.faults.hand_made import Fault, MalformedFaultsError, among, problems, read, touched
from tests.faults.report import EQUIVALENT, KILLED, SURVIVED, table
from tests.faults.trees import ROOT, Tree, Verdict, trees


def main(arguments: Sequence[str] | None = None) -> int:
    """Try faults one at a time, and tell which no test has noticed."""
    given = _parser().parse_args(arguments)
    try:
        faults = among(read(), given.paths)
    except MalformedFaultsError as error:
        return _refused([str(error)])
    if given.changed:
        faults = touched(faults, _changed_since(given.changed))
    if wrong := problems(faults, ROOT):
        return _refused(wrong)
    if not faults:
        print("No fault is selected.")
        return 0
    outcomes = [(fault.folder, EQUIVALENT) for fault in faults if fault.equivalent]
    wanted = [fault for fault in faults if fault.tests]
    with trees(given.jobs) as made:
        if wanted and (failing := _failing_without(wanted, made, given.seconds)):
            return _refused(failing)
        for other in made[1:]:
            compiled.lend(made[0].folder, other.folder, made[0].numba)
        for fault, verdict in pool.tried(wanted, made, lambda *one: _try(*one, given.seconds)):
            outcomes.append((fault.folder, KILLED if verdict.killed else SURVIVED))
            _tell(fault, verdict)
    print(table(outcomes, (KILLED, SURVIVED, EQUIVALENT)))
    return int(SURVIVED in {outcome for _, outcome in outcomes})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("paths", nargs="*", help="folders or files of the package; all of them")
    parser.add_argument(
        "--changed", metavar="BASE", help="only of folders that have changed since this commit"
    )
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (2)")
    parser.add_argument(
        "--seconds", type=float, default=300, help="of processor time for one fault (300)"
    )
    return parser


def _refused(sentences: Sequence[str]) -> int:
    print(*sentences, sep="\n", file=sys.stderr)
    return 2


def _changed_since(base: str) -> list[str]:
    """The files that differ from those of the commit where this branch left another."""
    left = _git("merge-base", base, "HEAD").strip()
    new = _git("ls-files", "--others", "--exclude-standard").splitlines()
    return [*_git("diff", "--name-only", "--no-renames", left).splitlines(), *new]


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def _failing_without(faults: Sequence[Fault], made: Sequence[Tree], seconds: float) -> list[str]:
    """Which tests fail although nothing is wrong."""
    runs = [
        (plain, sorted({test for fault in faults if fault.plain == plain for test in fault.tests}))
        for plain in (False, True)
    ]
    wanted = [(plain, _without_parts(tests)) for plain, tests in runs if tests]
    # in one copy, which lends what it compiles, by as many workers as there will be copies
    workers = ["-n", str(len(made)), "--dist", "worksteal"]
    verdicts = [
        made[0].run([*workers, *tests], plain=plain, seconds=20 * seconds)
        for plain, tests in wanted
    ]
    return [
        f"{one.output}\nWithout any fault {one.by} fails already." for one in verdicts if one.killed
    ]


def _without_parts(tests: Sequence[str]) -> list[str]:
    """The tests without those of which the whole file is asked for as well."""
    whole = {test for test in tests if "::" not in test}
    return [test for test in tests if test in whole or test.partition("::")[0] not in whole]


def _try(tree: Tree, fault: Fault, seconds: float) -> Verdict:
    text = (tree.folder / fault.file).read_text(encoding="utf-8")
    with tree.edited(fault.file, fault.applied(text)):
        return tree.run(fault.tests, plain=fault.plain, seconds=seconds)


def _tell(fault: Fault, verdict: Verdict) -> None:
    if verdict.killed:
        print(f"killed    {fault.source} ({fault.why}), by {verdict.by}", flush=True)
    else:
        edit = f"- {fault.old}\n+ {fault.new}"
        print(f"SURVIVED  {fault.source} ({fault.why})\n{fault.file}\n{edit}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
