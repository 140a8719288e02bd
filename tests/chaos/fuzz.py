"""Spoilt configs, tables and options: each is taken, or refused in a sentence, and soon.

``python -m tests.chaos.fuzz --tries 2000`` prints a table: how many were tried and how each ended
(exit status 0, 1, 2), how many tracebacks, hangs beyond ten seconds and other statuses were seen.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import random
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import click
import numpy as np

from geoforest_cli.cli.main import cli
from geoforest_cli.cli.output import WRONG, say, sentence, status
from geoforest_cli.core.dask_client import CONNECT_TIMEOUT
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.config.find import known_configs
from tests.chaos import foreign, in_parts, large, packed

_MOST_SAID = 20_000  # characters of all output: a value is quoted by a line of it
PATIENCE = 10  # seconds until an answer is called a hang
_SCALARS = (
    "null", "true", "-1", "0", "1.5", ".nan", ".inf", "1e400", "9" * 40, "[]", "{}", "[[1], 2]",
    "''", "x", "'../x'", "!!python/object:os.system x", "&a [1]", "*a", "\u202e", "'\\\\frac'", "2 GB",
    '"\\e[2J\\0\\u202e"', "x" * 100_000, "9" * 100_000, "a b " * 50_000,
)  # fmt: skip
_OUTSIDE = (
    "../outside.py",
    "./link.py",
    "../outside",
    "../outside.yaml",
    "../outside.txt",
    "link:Far",
)
_LINES = (
    "experiment: {}",
    "extends: {}",
    "experiment: own_neighbors\nparams: {{table: {}, label: c}}",
    "methods: {{'{}': {{variants: {{as_run: {{}}}}}}}}",
)
_SECRET = "do-not-quote"  # of files that lie outside of the folder of a config
_CELLS = (
    "",
    "1",
    "2.5",
    "-3e5",
    "nan",
    "inf",
    "x",
    "=1+1",
    '"a',
    "a,b",
    "1;2",
    "\u00e9",
    "0x1",
    " 7 ",
    "\u22121.5",
    "<0.1",
    "5 mg",
    "12%",
    "2024-01-31",
    "12:30",
    "1e300",
    "k.A.",
    "1.137",
    "1,5",
    "9007199254740993",
)
_NAMES = ("007", "7", "7.0", "08", "01", "1", "00", "-01", "1e5", "0x10", "NA", "nan", "", " 7",
          "9007199254740993", "9" * 30, "1,5", "x", "=1")  # fmt: skip
_TABLE_VERBS = ("neighbors", "columns", "classify")
_OPTIONS = (
    ("-k", ("1", "0", "-1", "3", "1e9", "x")),
    ("--method", ("euclidean", "isomap", "knn", "nobody", "")),
    ("--param", ("n_neighbors=3", "n_neighbors=x", "=1", "a", "n_neighbors=-1")),
    ("--columns", ("a", "a,b", "a,,b", "zz", "")),
    ("--id", ("a", "zz", "")),
    ("--label", ("c", "a", "zz")),
    ("--scale", ("none", "standardise", "x")),
    ("--missing", ("random", "refuse", "impute", "drop", "x")),
    ("--seed", ("0", "-1", "9" * 30, "x")),
    ("--jobs", ("1", "0", "x")),
    ("--level", ("0.01", "2", "nan", "x")),
    ("--folds", ("2", "1", "1000")),
    ("--together", ("a", "c", "zz", "")),
    ("--shape", ("2x2", "3", "0x1", "x")),
    ("--nothing", ("1",)),
)


class Ends(collections.Counter[tuple[str, str]]):
    """End of each try, by what was tried."""

    ALLOWED = ("exit 0", "exit 1", "exit 2")

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def table(self) -> str:
        """Return one line per kind and end."""
        return "\n".join(f"{kind:10} {end:12} {self[kind, end]:6}" for kind, end in sorted(self))


class TooSlow(BaseException):
    """It took longer than a user would wait."""


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise `TooSlow` in the block after so many seconds."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def ends_as(words: list[str], patience: int = PATIENCE, named: str = "") -> str:
    """Return how a call of the command line ends; an error has to name a file."""
    silent = io.StringIO()
    with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
        end = _ends_as(words, patience)
    said = silent.getvalue()
    if len(said) > _MOST_SAID and not end.startswith("traceback"):
        return f"{len(said)} characters were said"
    if any(letter in said for letter in "\0\x1b\u202e"):
        return "a control character was said"
    if end == "exit 2" and named not in said:
        return f"without {named}: {said}"
    return "a file outside was quoted or run" if _SECRET in said + end else end


def _ends_as(words: list[str], patience: int) -> str:
    try:
        with within(patience):
            cli.main(words, standalone_mode=False)
    except SystemExit as end:
        return f"exit {end.code or 0}"
    except click.ClickException as error:
        say(error.format_message(), err=True)
        return f"exit {error.exit_code}"
    except UserError as error:
        say(error, err=True)
        # a sentence is said in one line
        return "exit 2" if all("\n" not in each for each in error.sentences) else "several lines"
    except TooSlow:
        return "hang"
    except Exception as error:
        if status(error) == WRONG:  # the command line has a sentence for it
            say(sentence(error), err=True)
            return "exit 2"
        return "traceback\n" + traceback.format_exc()
    return "exit 0"


def spoil(text: str, chance: random.Random) -> str:
    """Return a config with one to three small accidents."""
    for _ in range(chance.randint(1, 3)):
        lines = text.splitlines()
        at = chance.randrange(len(lines))
        kind = chance.randrange(8)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[chance.randrange(len(lines))])
        elif kind == 2:
            lines[at] = " " * chance.randint(0, 6) + lines[at].lstrip()
        elif kind in {3, 4, 5}:
            head, colon, _ = lines[at].partition(":")
            lines[at] = f"{head}{colon} {chance.choice(_SCALARS)}"
        elif kind == 6 and lines[at]:
            column = chance.randrange(len(lines[at]))
            lines[at] = (
                lines[at][:column]
                + chance.choice("xX:,[]{}\"'-\t#&*\u00e9\x00")
                + lines[at][column + 1 :]
            )
        else:
            lines = lines[: max(1, at)]
        text = "\n".join(lines) or "x"
    return text


def a_config(folder: Path, chance: random.Random) -> list[str]:
    """Write a spoilt config; return the words that check it."""
    source = chance.choice(sorted(known_configs().items()))[1]
    path = folder / "configs" / "spoilt.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(spoil(source.read_text(encoding="utf-8"), chance), encoding="utf-8")
    changed = ["--set", chance.choice(["params.n=", "", "title="]) + chance.choice(large.LONG)]
    more = changed if chance.random() < 0.2 else []
    return ["check", str(path), "--profile", "smoke", *more]


def outside(folder: Path, chance: random.Random) -> list[str]:
    """Write a config that leads out of its folder; return the words that check it."""
    here = folder / "inside"
    here.mkdir(exist_ok=True)
    (folder / "outside.py").write_text(f"print({_SECRET!r})\n")
    (folder / "outside.txt").write_text(f"{_SECRET}: 1\n")
    texts = (_SECRET, f"- {_SECRET}", f"a: *{_SECRET}", f"a: !{_SECRET} x", f"a: [\n{_SECRET}: {{")
    (folder / "outside.yaml").write_text(chance.choice(texts))
    if not (here / "link.py").is_symlink():
        (here / "link.py").symlink_to(folder / "outside.py")
    path = here / "leads.yaml"
    line = chance.choice(_LINES).format(chance.choice(_OUTSIDE))
    kept = "" if line.startswith("experiment") else "experiment: manifold_neighbors\n"
    title = chance.choice(["x", '"\\e[2J\\0\\u202e"'])
    path.write_text(f"title: {title}\n{kept}{line}\n")
    return ["check", str(path)]


def a_table(folder: Path, chance: random.Random) -> list[str]:
    """Write a table that somebody may have; return the words that read it."""
    rows, columns = chance.choice([0, 1, 2, 5, 30, 30, 30]), chance.randint(1, 6)
    kind = chance.choice(["csv", "csv", "csv", "tsv", "npy"])
    path = folder / f"table.{kind}"
    if kind == "npy":
        types = ["f8", ">f4", "i2", "c16", "U3", "?", "M8[s]"]
        shape = chance.choice([(rows, columns), (rows,), (rows, columns, 2)])
        np.save(path, np.zeros(shape, chance.choice(types)))
    else:
        mark = chance.choice({"csv": ",,,,,;", "tsv": "\t\t\t\t,"}[kind])
        names = list("abcdef"[:columns])
        if chance.random() < 0.3:
            odd = ["", "a", "a.1", "1", "x y", "self", "\x1b[31m"]
            names[chance.randrange(columns)] = chance.choice(odd)
        wide = chance.random() < 0.7
        values = _CELLS[1:4] if wide else _CELLS
        if wide and chance.random() < 0.3:
            values = _CELLS[-11:]
        lines = [mark.join(names)] if chance.random() < 0.9 else []
        point = "," if mark == ";" and chance.random() < 0.7 else "."
        for _ in range(rows):
            here = columns + (chance.choice([-1, 1]) if chance.random() < 0.02 else 0)
            lines.append(mark.join(f"{chance.gauss(0, 1):.4g}".replace(".", point)
                                   if wide and chance.random() < 0.95
                                   else chance.choice(values) for _ in range(here)))  # fmt: skip
        data = "\n".join(lines).encode(
            chance.choice(["utf-8", "utf-8", "utf-8-sig", "latin-1", "utf-16"]), "replace"
        )
        path.write_bytes(data[: chance.randint(0, len(data))] if chance.random() < 0.1 else data)
    verb = chance.choice(_TABLE_VERBS)
    drop = ["--missing", "drop"] if verb != "columns" and chance.random() < 0.5 else []
    return [*_read(verb, path, folder), *drop]


def _read(verb: str, path: Path, folder: Path) -> list[str]:
    out = str(folder / "out.csv")
    return {
        "neighbors": [verb, str(path), "--method", "euclidean", "-k", "1", "-o", out],
        "columns": [verb, str(path), "--method", "pairs", "-o", out],
        "classify": [verb, str(path), "--label", "a", "--method", "knn", "--folds", "2", "-o", out],
    }[verb]


def _good_table(folder: Path) -> Path:
    path = folder / "good.csv"
    if not path.exists():
        table = np.c_[np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2]
        np.savetxt(path, table, header="a,b,d,c", comments="", delimiter=",")
    return path


def some_names(folder: Path, chance: random.Random) -> list[str]:
    """Write a table whose names of rows and classes look like numbers; return a call with them."""
    path = folder / "names.csv"
    mark = chance.choice([",", ";"])
    few = chance.sample(_NAMES, chance.randint(1, 4))
    lines = [mark.join(["name", "a", "x", "y"])]
    lines += [
        mark.join([chance.choice(_NAMES), chance.choice(few), str(i * i % 17), f"{i}.5"])
        for i in range(chance.choice([4, 24]))
    ]
    path.write_text("\n".join(lines), encoding=chance.choice(["utf-8", "utf-16"]))
    verb = chance.choice(_TABLE_VERBS)
    more = {"neighbors": ["--id", "name"], "columns": [], "classify": ["--missing", "drop"]}[verb]
    return [*_read(verb, path, folder), *more]


def some_options(folder: Path, chance: random.Random) -> list[str]:
    """Return a call with options that fit, or do not."""
    words = _read(chance.choice(_TABLE_VERBS), _good_table(folder), folder)
    for name, values in chance.sample(_OPTIONS, chance.randint(1, 4)):
        words += [name, chance.choice(values)]
    if chance.random() < 0.3:
        words[chance.randrange(1, len(words))] += chance.choice(large.LONG[:2])
    return words


def a_large_one(folder: Path, chance: random.Random) -> list[str]:
    """Write a table with too much in it; return the words that read it."""
    write = chance.choice([large.huge_fields, large.bomb])
    return _read(chance.choice(_TABLE_VERBS), write(folder, chance), folder)


def a_foreign_one(folder: Path, chance: random.Random) -> list[str]:
    """Write a damaged file of another program; return the words that read it."""
    return _read(chance.choice(_TABLE_VERBS), foreign.foreign(folder, chance), folder)


def a_packed_one(folder: Path, chance: random.Random) -> list[str]:
    """Write a spoilt packed table, or what is no regular file; return the words that read it."""
    return _read(chance.choice(_TABLE_VERBS), packed.packed(folder, chance), folder)


KINDS: dict[str, Callable[[Path, random.Random], list[str]]] = {
    "config": a_config, "table": a_table, "options": some_options, "outside": outside,
    "names": some_names, "large": a_large_one, "parts": in_parts.spoilt_parts,
    "foreign": a_foreign_one, "results": foreign.results, "packed": a_packed_one,
}  # fmt: skip


def fuzz(folder: Path, tries: int, seed: int, patience: int = PATIENCE) -> Ends:
    """Try so many, as many of each kind."""
    with in_parts.one_client():
        return _fuzz(folder, tries, seed, patience)


def _fuzz(folder: Path, tries: int, seed: int, patience: int) -> Ends:
    chance = random.Random(seed)
    ends = Ends()
    # what is imported and compiled once is no hang
    ends_as(["check", "settings", "--profile", "smoke"])
    for verb in _TABLE_VERBS:
        ends_as(_read(verb, _good_table(folder), folder), 100 * PATIENCE)
    ends_as(in_parts.good_parts(folder), 100 * PATIENCE)
    for number in range(tries):
        kind = list(KINDS)[number % len(KINDS)]
        words = KINDS[kind](folder, chance)
        # a scheduler is waited for, and then it is said that none answers
        waited = round(CONNECT_TIMEOUT) if "--scheduler" in words else 0
        named = Path(words[1]).name if kind == "packed" else ""
        end = ends_as(words, patience + waited, named)
        ends[kind, end.partition("\n")[0]] += 1
        if end not in Ends.ALLOWED:
            ends.wrong.append(f"try {number}: {' '.join(words)}: {end}")
    return ends


def main() -> None:
    """Print the table; exit status 1 if anything ended as it must not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ends = fuzz(Path(folder), given.tries, given.seed)
    for end in ends.wrong:
        print(end)
    print(ends.table())
    sys.exit(1 if ends.wrong else 0)


if __name__ == "__main__":
    main()
