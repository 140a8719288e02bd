"""The tidy rows of a plan, from the store to ``rows.csv`` and ``rows.parquet``."""

from __future__ import annotations

import csv
import io
import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from geoforest_cli.engine.executor import Cell, Outcome, Plan
from geoforest_cli.engine.store import Store

__all__ = ["TAIL", "frame", "write_atomically", "write_rows"]

TAIL = ("method", "variant", "repetition", "metric", "value", "status", "cell")


def frame(plan: Plan, store: Store) -> pd.DataFrame:
    """Collect the rows of the plan's finished cells.

    Parameters
    ----------
    plan : Plan
        Says which cells count; others of the store are left out.
    store : Store
        Where the finished cells are.

    Returns
    -------
    DataFrame
        One column per grid parameter, then ``method``, ``variant``, ``repetition``, ``metric``,
        ``value``, ``status``, ``cell``; sorted by all of them, grid parameters in the order of
        the config. A cell that did not end well is one row with the metric ``""``, the value NaN
        and its status, without inner parameters. Whole numbers stay whole: a column of them with
        gaps holds ``int`` and None.
    """
    finished = store.get(cell.key for cell in plan.cells)
    rows = [
        row
        for cell in plan.cells
        if cell.key in finished
        for row in _rows_of(cell, finished[cell.key], plan.grid_columns)
    ]
    rows.sort(key=_sort_key(plan))
    columns = [*plan.grid_columns, *TAIL]
    return pd.DataFrame({name: _column(name, [row[name] for row in rows]) for name in columns})


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
    write_atomically(folder / "rows.csv", text.getvalue().encode())
    buffer = io.BytesIO()
    _storable(table).to_parquet(buffer, index=False)
    write_atomically(folder / "rows.parquet", buffer.getvalue())


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader, or a kill, finds the old or the new one, never a part."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _rows_of(cell: Cell, outcome: Outcome, columns: Sequence[str]) -> list[dict[str, Any]]:
    shared = {
        **dict.fromkeys(columns),
        **cell.point,
        "method": cell.method,
        "variant": cell.variant,
        "repetition": cell.repetition,
        "status": outcome.status,
        "cell": cell.key,
    }
    if outcome.status != "ok":
        return [{**shared, "metric": "", "value": math.nan}]
    return [{**shared, **row} for row in outcome.rows]


def _sort_key(plan: Plan) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    ranks: dict[str, dict[str, int]] = {name: {} for name in plan.grid_columns}
    for cell in plan.cells:
        values = {**{name: [value] for name, value in cell.point.items()}, **cell.inner}
        for name, rank in ranks.items():
            for value in values.get(name, ()):
                rank.setdefault(_label(value), len(rank))

    def key(row: Mapping[str, Any]) -> tuple[Any, ...]:
        places = (
            (ranks[name].get(_label(row[name]), len(ranks[name])), _label(row[name]))
            for name in plan.grid_columns
        )
        value = row["value"]
        tail = (row["method"], row["variant"], row["repetition"], row["metric"])
        number = (True, 0.0) if math.isnan(value) else (False, value)
        return (*places, *tail, *number, row["status"], row["cell"])

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
