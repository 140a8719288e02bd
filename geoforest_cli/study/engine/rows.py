"""The tidy rows of a plan, from the store to ``rows.csv`` and ``rows.parquet``."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from geoforest_cli.core.files import write_atomically
from geoforest_cli.study.engine.store import Record, RecordSummary, Store
from geoforest_cli.study.plan.cells import Inner, Plan, PlanEntry, combinations

__all__ = ["TAIL", "Collected", "collect", "write_rows"]

TAIL = ("method", "variant", "repetition", "metric", "value", "status", "cell")
Line: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Collected:
    """The rows of a plan's finished cells, and how the others ended.

    Attributes
    ----------
    frame : DataFrame
    failed : tuple of (PlanEntry, str, str)
        PlanEntry, status and sentence of the cells that did not end well, each once.
    shown : tuple of (RecordSummary, str, str)
        The records whose rows are shown, their origin, and when they were finished.
    """

    frame: pd.DataFrame
    failed: tuple[tuple[PlanEntry, str, str], ...]
    shown: tuple[tuple[RecordSummary, str, str], ...]


def collect(plan: Plan, store: Store) -> Collected:
    """Collect the rows of the plan's finished cells; each record is read once.

    The frame has one column per grid parameter, then ``method``, ``variant``, ``repetition``,
    ``metric``, ``value``, ``status``, ``cell``; sorted by all of them, grid parameters in the
    order of the config. A cell that did not end well is one row with the metric ``""``, the value
    NaN and its status, without inner parameters. Whole numbers stay whole: a column of them with
    gaps holds ``int`` and None.
    """
    finished = store.get(plan.jobs)
    lines: list[Line] = []
    failed: dict[str, tuple[PlanEntry, str, str]] = {}
    for entry in plan.entries:
        records = finished.get(entry.cell.key)
        if records is None:
            continue
        successful = [record for record in records if record.summary.status == "ok"]
        shared = _shared(entry, plan.grid_columns)
        lines += [{**shared, **line} for line in _rows_of(entry, successful)]
        if failure := _failure(entry.inner, records, successful):
            status = failure.summary.status
            failed.setdefault(entry.cell.key, (entry, status, failure.error))
            lines.append({**shared, "metric": "", "value": math.nan, "status": status})
    lines.sort(key=_sort_key(plan))
    columns = [*plan.grid_columns, *TAIL]
    table = pd.DataFrame({name: _column(name, [line[name] for line in lines]) for name in columns})
    shown = [(r.summary, r.origin, r.finished) for records in finished.values() for r in records]
    return Collected(table, tuple(failed.values()), tuple(shown))


def write_rows(table: pd.DataFrame, folder: Path) -> None:
    """Write ``rows.csv`` and ``rows.parquet``, each whole or not at all.

    Floats are written in the fewest digits that read back as the same float, so equal rows are
    equal bytes.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    columns = [_texts(table[name]) for name in table.columns]
    writer.writerows(zip(*columns, strict=True))
    write_atomically(folder / "rows.csv", text.getvalue())
    buffer = io.BytesIO()
    _storable(table).to_parquet(buffer, index=False, compression="zstd")
    write_atomically(folder / "rows.parquet", buffer.getvalue())


def _shared(entry: PlanEntry, columns: Sequence[str]) -> Line:
    return {
        **dict.fromkeys(columns),
        **entry.point,
        "method": entry.method,
        "variant": entry.variant,
        "repetition": entry.repetition,
        "status": "ok",
        "cell": entry.cell.key,
    }


def _rows_of(entry: PlanEntry, records: Sequence[Record]) -> list[Line]:
    """Return the rows of the inner values asked for, each from the first record that has it."""
    rows: list[Line] = []
    seen: set[str] = set()
    for record in records:
        new = []
        for row in record.rows:
            if any(name in row and row[name] not in entry.inner[name] for name in entry.inner):
                continue
            identity = repr(sorted((name, v) for name, v in row.items() if name != "value"))
            if identity not in seen:
                rows.append(row)
                new.append(identity)
        seen.update(new)
    return rows


def _failure(
    inner: Inner, records: Sequence[Record], successful: Sequence[Record]
) -> Record | None:
    """Return the last failure, unless successful records have all the inner values."""
    if len(successful) == len(records):
        return None
    per_record = (combinations(record.summary.values) for record in successful)
    if successful and not combinations(inner).difference(*per_record):
        return None
    return next(record for record in reversed(records) if record.summary.status != "ok")


def _sort_key(plan: Plan) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    ranks: dict[str, dict[str, int]] = {name: {} for name in plan.grid_columns}
    for name, values in plan.config.grid_values.items():
        for value in values:
            ranks[name].setdefault(_label(value), len(ranks[name]))

    def key(row: Mapping[str, Any]) -> tuple[Any, ...]:
        point = (
            (ranks[name].get(_label(row[name]), len(ranks[name])), _label(row[name]))
            for name in plan.grid_columns
        )
        value = row["value"]
        tail = (row["method"], row["variant"], row["repetition"], row["metric"])
        number = (True, 0.0) if math.isnan(value) else (False, value)
        return (*point, *tail, *number, row["status"], row["cell"])

    return key


def _label(value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return repr(float(value) if number else value)


def _column(name: str, values: list[Any]) -> pd.Series[Any]:
    present = [value for value in values if value is not None]
    kinds = {type(value) for value in present}
    if name == "value" or (kinds <= {int, float} and float in kinds):
        return pd.Series(values, dtype="float64")
    if kinds == {int} and len(present) == len(values):
        return pd.Series(values, dtype="int64")
    if kinds == {bool} and len(present) == len(values):
        return pd.Series(values, dtype="bool")
    if kinds == {str} or not kinds:
        return pd.Series(values, dtype="str")
    return pd.Series(values, dtype="object")


def _storable(table: pd.DataFrame) -> pd.DataFrame:
    """Parquet columns have one type: whole numbers with gaps have one, a mixture becomes text."""
    columns = {}
    for name in filter(lambda name: pd.api.types.is_object_dtype(table[name]), table.columns):
        whole = {type(value) for value in table[name].dropna()} == {int}
        values = table[name] if whole else _texts(table[name])
        columns[name] = pd.Series(values, dtype="Int64" if whole else "str")
    return table.assign(**columns)


def _texts(column: pd.Series[Any]) -> list[str]:
    if column.name == "value":
        return [repr(value) for value in column]
    return [
        "" if missing else repr(value) if isinstance(value, float) else str(value)
        for value, missing in zip(column, column.isna(), strict=True)
    ]
