"""What is too long, too far packed or damaged where nobody looks, for `tests.chaos.fuzz`."""

import contextlib
import gzip
import random
import sqlite3
from pathlib import Path

from geoforest_cli.study.engine.store import Store
from tests.study.engine import toy

LONG = ("9" * 200_000, "a b " * 50_000, "\x1b[2J" * 50_000, "\u202e" * 100_000, "0" * 150_000)
_MARKS = ("", "{", "[1]", '{"k": 1}', "[" * 50_000, "NaN", "\x00", "-1", "\u202e" * 1_000)
_COLUMNS = ("inner", "seconds", "timeout", "memory", "status", "near_kin", "checksum", "rows")


def huge_fields(folder: Path, chance: random.Random) -> Path:
    """Write a table with values, labels or names that are far longer than any table needs."""
    names = ["a", "b", "c"]
    rows = [[str(i % 2), f"{chance.random():.4g}", f"{i}.5"] for i in range(chance.choice([4, 24]))]
    for _ in range(chance.randint(1, 3)):
        line = chance.choice([names, *rows])
        line[chance.randrange(3)] = chance.choice(LONG)
    path = folder / "huge.csv"
    path.write_text("\n".join(map(",".join, [names, *rows])), encoding="utf-8")
    return path


def few_rows(folder: Path, chance: random.Random) -> Path:
    """Write a table of one row or two, or one whose rows are nearly all incomplete."""
    path = folder / f"few.{chance.choice(['csv', 'tsv'])}"
    mark = "\t" if path.suffix == ".tsv" else ","
    rows = [
        [chance.choice(["1", "2.5", "", "x"]) for _ in range(3)]
        for _ in range(chance.randint(0, 2))
    ]
    path.write_text("\n".join(map(mark.join, [["a", "b", "c"], *rows])))
    return path


def bomb(folder: Path, chance: random.Random) -> Path:
    """Write a packed text that is a hundred megabytes of one value, broken off or no text."""
    path = folder / f"bomb.csv{chance.choice(['.gz', '.GZ'])}"
    piece = gzip.compress(chance.choice([b"0", b"\x00", b"a", b'"']) * 10_000_000, 1)
    data = gzip.compress(b"a,b,c\n1,2,3\n") + piece * chance.choice([0, 1, 10])
    path.write_bytes(data[: len(data) - chance.choice([0, 0, 9])])
    return path


def damaged_marks(folder: Path, chance: random.Random) -> list[str]:
    """Write a store with a damaged mark; return a call that reads it."""
    results = folder / "results"
    path = results / "settings" / "cells.sqlite"
    path.unlink(missing_ok=True)
    job = toy.job(folder, "a")
    with Store(path, create=True) as store:
        store.put([(job, toy.outcome(job))], {})
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        column = chance.choice(_COLUMNS)
        connection.execute(f"UPDATE cells SET {column} = ?", (chance.choice(_MARKS),))
        if chance.random() < 0.3:
            connection.execute("UPDATE cells SET checksum = ''")
    words = chance.choice([["run", "settings", "--plan"], ["figure", "settings"]])
    return [*words, "--profile", "smoke", "--results", str(results)]
