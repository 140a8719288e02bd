"""Spoilt tables in parts, for `tests.chaos.fuzz`."""

from __future__ import annotations

import contextlib
import logging
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

from geoforest_cli.core import dask_client
from tests.chaos.spoils import SPOILS

_SPOILT_JSON = ("", "{", "[1]", "null", '"x"', '{"k": 1}', "[" * 50_000, "\x00", '{"kept": 3}')
# what looks for a record of a store finds none in Parquet
_SPOILS = [spoil for kind, spoil in SPOILS.items() if "record" not in kind]
_OPTIONS = (
    ("-k", ("0", "3", "1000000", "x")),
    ("--cell-rows", ("99", "100", "-1", "1e9", "x")),
    ("--id", ("a", "zz", "")),
    ("--columns", ("a", "a,zz", "")),
    ("--scheduler", ("", "nowhere", "tcp://127.0.0.1:1")),
    ("--param", ("n_estimators=0", "n_estimators=2", "screen=auto", "x")),
    ("--method", ("euclidean", "geodesic_forest")),
    ("--jobs", ("0", "1")),
    ("--compare", ()),
)


@contextlib.contextmanager
def one_client() -> Iterator[None]:
    """Let all calls of this process share workers, which take seconds to start."""
    import distributed

    with (
        distributed.Client(
            processes=False,
            n_workers=1,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as client,
        mock.patch.object(dask_client, "start", return_value=(client, None)),
        mock.patch.object(dask_client, "close"),
    ):
        yield


def write_parts(folder: Path, rows: int = 240) -> Path:
    """Write three files of a helix, anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 12, rows)
    frame = pd.DataFrame({"a": np.cos(t), "b": np.sin(t), "c": t, "d": rng.normal(size=rows)})
    for number, part in enumerate(np.array_split(np.arange(rows), 3)):
        frame.iloc[part].to_parquet(folder / f"p{number}.parquet", index=False)
    return folder


def spoilt_parts(folder: Path, chance: random.Random) -> list[str]:
    """Write a table in parts with something wrong; return a call that reads it."""
    parts, out = write_parts(folder / "parts"), folder / "near"
    shutil.rmtree(out, ignore_errors=True)
    path = parts / f"p{chance.randrange(3)}.parquet"
    kind = chance.choice(["bytes", "values", "manifest", "options", "options"])
    words: list[str] = []
    if kind == "bytes":
        spoil = chance.choice([*_SPOILS, lambda _data, _chance: bytearray()])
        path.write_bytes(spoil(bytearray(path.read_bytes()), chance))
    elif kind == "values":
        _spoil_values(path, chance)
    elif kind == "manifest":
        out.mkdir()
        (out / "_manifest.json").write_text(chance.choice(_SPOILT_JSON), encoding="utf-8")
    else:
        name, values = chance.choice(_OPTIONS)
        words = [name, *([chance.choice(values)] if values else [])]
    few = ["--param", "n_estimators=3"] if "--param" not in words else []
    return [*_call(parts, out), *few, *words]


def good_parts(folder: Path) -> list[str]:
    """Write a table in parts; return a call that reads it."""
    return [*_call(write_parts(folder / "good"), folder / "found"), "--param", "n_estimators=3"]


def _call(parts: Path, out: Path) -> list[str]:
    return ["neighbors", str(parts), "-o", str(out), "-k", "3", "--cell-rows", "100"]


def _spoil_values(path: Path, chance: random.Random) -> None:
    frame = pd.read_parquet(path)
    column = chance.choice(list(frame))
    spoilt = {
        "missing": lambda: frame.assign(**{column: np.nan}),
        "infinite": lambda: frame.assign(**{column: np.inf}),
        "text": lambda: frame.assign(**{column: "x"}),
        "constant": lambda: frame.assign(**{column: 1.0}),
        "other name": lambda: frame.rename(columns={column: "\x1b[31m"}),
        "no rows": lambda: frame.iloc[:0],
        "one column": lambda: frame[[column]],
        "whole numbers": lambda: frame.assign(**{column: range(len(frame))}),
    }
    chance.choice(list(spoilt.values()))().to_parquet(path, index=False)
