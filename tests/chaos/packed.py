"""Packed tables with spoilt bytes, headers of all kinds, and what is no regular file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import zipfile
from pathlib import Path

import pyarrow as pa

__all__ = ["packed"]

_HEADERS = ("a,b,c", "a,b,c,", "1,2,3", '"a","b","c"', "sep=,\na,b,c", "a\ta\ta", "", "a,a,a", "#a,b,c",
            ",".join(f"x{i}" for i in range(5000)))  # fmt: skip


def _zip(data: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.csv", data)
    return held.getvalue()


_PACKERS = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zip": _zip,
    "zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}  # fmt: skip


def packed(folder: Path, chance: random.Random) -> Path:
    """Write such a table, or make something else of its name; return its path."""
    if chance.random() < 0.1:
        return _irregular(folder, chance)
    lines = [f"{i % 2},{i * i % 7}.5,{i}" for i in range(chance.choice([1, 5, 40]))]
    data = "\n".join([chance.choice(_HEADERS), *lines]).encode()
    kind = chance.choice(sorted(_PACKERS))
    content = bytearray(_PACKERS[kind](data))
    for _ in range(chance.choice([0, 1, 1, 3])):
        content[chance.randrange(len(content))] = chance.randrange(256)
    if chance.random() < 0.3:
        del content[chance.randrange(len(content)) :]
    path = folder / f"packed.csv.{kind}"
    path.write_bytes(content)
    return path


def _irregular(folder: Path, chance: random.Random) -> Path:
    path = folder / "irregular.csv"
    path.unlink(missing_ok=True)
    kind = chance.randrange(3)
    if kind == 0:
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/null" if kind == 1 else folder / "nothing.csv")
    return path
