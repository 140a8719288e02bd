"""Damaged files that a library parses, and damaged files of a run, for `tests.chaos.fuzz`."""

import contextlib
import json
import random
import shutil
import struct
from pathlib import Path

import numpy as np
import pandas as pd

from tests.chaos.spoils import SPOILS
from tests.tables.test_excel import workbook

_REFERENCE = Path(__file__).parents[2] / "results" / "reference-smoke"
_TYPES = ("<f8", ">f8", "<f4", "|O", "|V0", "|V8", "<U0", "<U9", "<c16", "|b1", "<M8[s]", "x", "<U999999999",
          [("a", "<f8"), ("c", "<f8")], [("a", "|O")], [("a", "<f8", (2,))])  # fmt: skip
_SHAPES = ((9, 2), (2, 9), (18,), (), (10**12, 10), (10**19, 9), (-9, 2), (0, 2), (9, 0), (2, 3, 3))
_VALUES = (None, True, -1, 2.5, 1e308, "", "x", "x" * 100_000, [], {}, [[[]]], "\x1b[2J\0\u202e")


def _array(path: Path, chance: random.Random) -> None:
    header = {
        "descr": chance.choice(_TYPES),
        "fortran_order": chance.choice([True, False, 1, "x"]),
        "shape": chance.choice(_SHAPES),
    }
    text = chance.choice([repr(header)] * 8 + ["(" * 5_000, "{}", "", "\x1b[2J"]).encode()
    version = chance.choice([b"\x01\x00", b"\x01\x00", b"\x02\x00", b"\x09\x00"])
    length = chance.choice([len(text), len(text), len(text), 65_535])
    size = struct.pack("<H" if version[0] == 1 else "<I", length)
    path.write_bytes(
        b"\x93NUMPY" + version + size + text + chance.randbytes(chance.choice([144, 9]))
    )


def _file(path: Path, chance: random.Random) -> None:
    frame = pd.DataFrame({"a": np.arange(40) % 2, "b": np.arange(40.0), "c": ["x", "y"] * 20})
    if path.suffix == ".xlsx":
        workbook(path, one=[list(frame), *frame.to_numpy(object).tolist()])
    elif path.suffix == ".h5ad":
        import anndata

        texts = pd.Index(list("de"), dtype=object)
        anndata.AnnData(
            np.arange(80.0).reshape(40, 2),
            obs=pd.DataFrame(
                {"a": frame["a"].to_numpy()}, index=pd.Index(map(str, range(40)), dtype=object)
            ),
            var=pd.DataFrame(index=texts),
        ).write_h5ad(path)
    else:
        getattr(frame, f"to_{path.suffix[1:]}")(path)
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice([0, 1, 1, 3])):
        spoil = chance.choice(
            ["a flipped bit", "an end cut off", "another header", "several wrong pages"]
        )
        if len(data) > 2_000:
            data = SPOILS[spoil](data, chance)
    path.write_bytes(data)


def foreign(folder: Path, chance: random.Random) -> Path:
    """Write a file of another program, damaged or with a header that says what cannot be."""
    kinds = ["npy", "npy", "parquet", "feather", "xlsx"]
    with contextlib.suppress(ImportError):
        import anndata  # noqa: F401

        kinds.append("h5ad")
    path = folder / f"foreign.{chance.choice(kinds)}"
    (_array if path.suffix == ".npy" else _file)(path, chance)
    return path


def _changed(content: object, chance: random.Random) -> object:
    """Replace one value somewhere in what JSON holds."""
    if chance.random() < 0.3 or not isinstance(content, dict | list) or not content:
        return chance.choice(_VALUES)
    key = chance.choice(list(content) if isinstance(content, dict) else range(len(content)))
    if isinstance(content, dict) and chance.random() < 0.2:
        return {name: value for name, value in content.items() if name != key}
    content[key] = _changed(content[key], chance)
    return content


def results(folder: Path, chance: random.Random) -> list[str]:
    """Damage a file of results; return a call that reads it."""
    kept = folder / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(_REFERENCE / "settings", kept / "settings")
    path = kept / "settings" / chance.choice(["record.json", "summary.csv"])
    if path.suffix == ".json" and chance.random() < 0.7:
        path.write_text(json.dumps(_changed(json.loads(path.read_text()), chance)))
    elif chance.random() < 0.9:
        spoil = SPOILS[chance.choice(["a flipped bit", "an end cut off", "another header"])]
        path.write_bytes(spoil(bytearray(path.read_bytes()), chance))
    else:
        path.unlink()
    verb = chance.choice([["check", kept], ["check", kept], ["claims", "--results", kept],
                          ["compare", kept, _REFERENCE, "--common", "--profile", "smoke"],
                          ["reference", "verify", "-o", kept, "--profile", "smoke"]])  # fmt: skip
    return list(map(str, verb))
