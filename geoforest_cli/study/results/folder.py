"""Where results lie: ``<config>/<size>`` of a run, ``<config>`` in a reference."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pyarrow as pa

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.results.record import RECORD, RunRecord, damaged, read_record

__all__ = [
    "ROWS",
    "SUMMARY",
    "figures_of",
    "folders_in",
    "is_reference",
    "outcomes_in",
    "problems",
    "read_file",
    "record_folders",
    "rows_of",
    "summary_of",
]

ROWS, SUMMARY = "rows.parquet", "summary.csv"
_TEXTS = ("method", "variant", "metric")
_NUMBERS = ("mean", "half", "published", "difference")


def is_reference(folder: Path) -> bool:
    """Return whether a folder holds outcomes as `geoforest reference write` writes them."""
    return any(folder.glob(f"*/{RECORD}"))


def record_folders(folder: Path) -> list[Path]:
    """Return the folders of records in a folder: itself, and up to two levels below."""
    paths = (path for depth in ("", "*/", "*/*/") for path in folder.glob(f"{depth}{RECORD}"))
    return sorted({path.parent for path in paths})


def outcomes_in(folder: Path, profile: str, names: Sequence[str] = ()) -> dict[str, Path]:
    """Return the folders of outcomes in a folder of results, or in a reference, by config.

    Parameters
    ----------
    folder : Path
    profile : str
        Which size; of a reference its only one.
    names : sequence of str
        Configs that have to be there; all that are by default.

    Raises
    ------
    UserError
        If the folder, or the outcome of a named config, is not there.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}; run a config first")
    places = sorted(folder.glob(f"*/{RECORD}")) or sorted(folder.glob(f"*/{profile}/{RECORD}"))
    kept = {path.relative_to(folder).parts[0]: path.parent for path in places}
    if not kept:
        raise UserError(f"{folder} holds no outcome of profile {profile}; run a config first")
    wanted = dict.fromkeys(Path(name).stem for name in names) or kept
    for name in wanted:
        if name not in kept:
            raise UserError(suggestions.unknown(f"config with results in {folder}", name, kept))
    return {name: kept[name] for name in wanted}


def folders_in(results: Path) -> list[Path]:
    """Return the folders of all runs, or of all configs of a reference.

    A folder of results may have a reference in it, which has folders of the same depth.
    """
    if kept := sorted(path.parent for path in results.glob(f"*/{RECORD}")):
        return kept
    runs = sorted(path.parent for path in results.glob(f"*/*/{RECORD}"))
    return [run for run in runs if read_record(run).name == run.parent.name]


def read_file(folder: Path, record: RunRecord, name: str) -> bytes:
    """Return the content of a file of a run.

    Raises
    ------
    UserError
        If it cannot be read, or is not as the run has left it.
    """
    path = folder / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != record.files.get(name):
        raise damaged(path, f"its checksum is not that of {RECORD}")
    return data


def rows_of(folder: Path, record: RunRecord) -> pd.DataFrame:
    """Return the rows of a run: one per value, tidy."""
    data = read_file(folder, record, ROWS)
    try:
        return pd.read_parquet(io.BytesIO(data))
    except (OSError, ValueError, pa.ArrowException) as error:
        raise damaged(folder / ROWS, error) from None


def summary_of(folder: Path, record: RunRecord, **options: Any) -> pd.DataFrame:
    """Return means, intervals and counts: one line per grid point, method, variant, metric.

    Parameters
    ----------
    folder, record
    options
        Of `pandas.read_csv`, in place of those that read names as text, means as numbers.
    """
    data = read_file(folder, record, SUMMARY)
    kinds = {**dict.fromkeys(_TEXTS, str), **dict.fromkeys(_NUMBERS, float)}
    try:
        lines = pd.read_csv(io.BytesIO(data), **({"dtype": kinds} | options))
    except (ValueError, LookupError) as error:
        raise damaged(folder / SUMMARY, error) from None
    return cast("pd.DataFrame", lines)


def figures_of(folder: Path, record: RunRecord) -> dict[str, Path]:
    """Return the figures of a run by name, as SVG or else as PNG; the main one is first."""
    return {
        name: path
        for name in record.figures
        for path in (folder / f"{name}.png", folder / f"{name}.svg")
        if path.is_file()
    }


def problems(folder: Path) -> Iterator[str]:
    """Yield a sentence for each file of a run that is missing or not as it was written."""
    try:
        record = read_record(folder)
    except UserError as error:
        yield from error.sentences
        return
    for name in record.files:
        try:
            read_file(folder, record, name)
        except UserError as error:
            yield from error.sentences
