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
from geoforest_cli.config.find import known_configs
from geoforest_cli.errors import UserError

PATIENCE = 10  # seconds until an answer is called a hang
_SCALARS = (
    "null", "true", "-1", "0", "1.5", ".nan", ".inf", "1e400", "9" * 40, "[]", "{}", "[[1], 2]",
    "''", "x", "'../x'", "!!python/object:os.system x", "&a [1]", "*a", "\u202e", "'\\\\frac'", "2 GB",
)  # fmt: skip
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
)
_TABLE_VERBS = ("neighbors", "columns", "classify")
_OPTIONS = (
    ("-k", ("1", "0", "-1", "3", "1e9", "x")),
    ("--method", ("euclidean", "isomap", "knn", "nobody", "")),
    ("--param", ("n_neighbors=3", "n_neighbors=x", "=1", "a", "n_neighbors=-1")),
    ("--columns", ("a", "a,b", "a,,b", "zz", "")),
    ("--id", ("a", "zz", "")),
    ("--label", ("c", "a", "zz")),
    ("--scale", ("none", "standardise", "x")),
    ("--missing", ("random", "refuse", "x")),
    ("--seed", ("0", "-1", "9" * 30, "x")),
    ("--jobs", ("1", "0", "x")),
    ("--level", ("0.01", "2", "nan", "x")),
    ("--folds", ("2", "1", "1000")),
    ("--shape", ("2x2", "3", "0x1", "x")),
    ("--nothing", ("1",)),
)


class Ends(collections.Counter[tuple[str, str]]):
    """How each try ended, by what was tried."""

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


def ends_as(words: list[str], patience: int = PATIENCE) -> str:
    """Return how a call of the command line ends."""
    silent = io.StringIO()
    try:
        with (
            within(patience),
            contextlib.redirect_stdout(silent),
            contextlib.redirect_stderr(silent),
        ):
            cli.main(words, standalone_mode=False)
    except SystemExit as end:
        return f"exit {end.code or 0}"
    except click.ClickException as error:
        return f"exit {error.exit_code}"
    except UserError as error:
        # a sentence is said in one line
        return "exit 2" if all("\n" not in one for one in error.sentences) else "several lines"
    except TooSlow:
        return "hang"
    except Exception:
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
            place = chance.randrange(len(lines[at]))
            lines[at] = (
                lines[at][:place]
                + chance.choice("xX:,[]{}\"'-\t#&*\u00e9\x00")
                + lines[at][place + 1 :]
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
    return ["check", str(path), "--profile", "smoke"]


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
            odd = ["", "a", "a.1", "1", "x y", "\x1b[31m"]
            names[chance.randrange(columns)] = chance.choice(odd)
        wide = chance.random() < 0.7
        values = _CELLS[1:4] if wide else _CELLS
        lines = [mark.join(names)] if chance.random() < 0.9 else []
        for _ in range(rows):
            here = columns + (chance.choice([-1, 1]) if chance.random() < 0.02 else 0)
            lines.append(mark.join(f"{chance.gauss(0, 1):.4g}" if wide and chance.random() < 0.95
                                   else chance.choice(values) for _ in range(here)))  # fmt: skip
        data = "\n".join(lines).encode(
            chance.choice(["utf-8", "utf-8", "utf-8-sig", "latin-1", "utf-16"])
        )
        path.write_bytes(data[: chance.randint(0, len(data))] if chance.random() < 0.1 else data)
    return _read(chance.choice(_TABLE_VERBS), path, folder)


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


def some_options(folder: Path, chance: random.Random) -> list[str]:
    """Return a call with options that fit, or do not."""
    words = _read(chance.choice(_TABLE_VERBS), _good_table(folder), folder)
    for name, values in chance.sample(_OPTIONS, chance.randint(1, 4)):
        words += [name, chance.choice(values)]
    return words


KINDS: dict[str, Callable[[Path, random.Random], list[str]]] = {
    "config": a_config, "table": a_table, "options": some_options,
}  # fmt: skip


def fuzz(folder: Path, tries: int, seed: int, patience: int = PATIENCE) -> Ends:
    """Try so many, a third of each kind."""
    chance = random.Random(seed)
    ends = Ends()
    # what is imported and compiled once is no hang
    ends_as(["check", "settings", "--profile", "smoke"])
    for verb in _TABLE_VERBS:
        ends_as(_read(verb, _good_table(folder), folder), 100 * PATIENCE)
    for number in range(tries):
        kind = list(KINDS)[number % len(KINDS)]
        words = KINDS[kind](folder, chance)
        end = ends_as(words, patience)
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
    for one in ends.wrong:
        print(one)
    print(ends.table())
    sys.exit(1 if ends.wrong else 0)


if __name__ == "__main__":
    main()
