"""Inputs that are too long or too far packed, for `tests.chaos.fuzz`."""

import gzip
import random
from pathlib import Path

LONG = ("9" * 200_000, "a b " * 50_000, "\x1b[2J" * 50_000, "\u202e" * 100_000, "0" * 150_000)


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


def bomb(folder: Path, chance: random.Random) -> Path:
    """Write a packed text that is a hundred megabytes of one value, broken off or no text."""
    path = folder / f"bomb.csv{chance.choice(['.gz', '.GZ'])}"
    piece = gzip.compress(chance.choice([b"0", b"\x00", b"a", b'"']) * 10_000_000, 1)
    data = gzip.compress(b"a,b,c\n1,2,3\n") + piece * chance.choice([0, 1, 10])
    path.write_bytes(data[: len(data) - chance.choice([0, 0, 9])])
    return path
