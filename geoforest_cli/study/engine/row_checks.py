"""Rows as an experiment returns them, checked and made of plain numbers and strings."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoforest_cli.core.suggestions import unknown
from geoforest_cli.study.experiment import Row

__all__ = ["UNDEFINED", "require_complete", "tidy_rows"]

# a cell may end well and still have no number to give: that is not a failure
UNDEFINED = ("disconnected", "undefined")
_NO_PLACE = {"value", "status"}


def tidy_rows(rows: object, columns: tuple[str, ...]) -> list[dict[str, Any]]:
    """Check the rows of one cell and turn NumPy's scalars into Python's.

    Parameters
    ----------
    rows : list of Row
        What ``run_cell`` returned; a status other than "ok" says why there is no number to give
        ("disconnected": the graph leaves pairs without a path).
    columns : tuple of str
        The inner grid parameters and the columns of detail.

    Returns
    -------
    list of dict

    Raises
    ------
    TypeError, ValueError
        With a sentence for the author of the experiment.

    Examples
    --------
    >>> tidy_rows([Row("precision", np.float32(0.5), k=np.int64(5))], ("k",))
    [{'k': 5, 'metric': 'precision', 'value': 0.5}]
    """
    if not isinstance(rows, list):
        raise TypeError(f"run_cell must return a list of rows, not {_short(rows)}")
    if not rows:
        raise ValueError("run_cell must return at least one row, not []")
    return [_tidy_row(row, columns) for row in rows]


def require_complete(
    rows: list[dict[str, Any]], yields: tuple[str, ...], inner: Mapping[str, Sequence[object]]
) -> None:
    """Refuse rows of a cell that nobody asked for, that repeat another one, or that are missing.

    Parameters
    ----------
    rows : list of dict
        As `tidy_rows` returns them.
    yields : tuple of str
        The metrics that the experiment declares.
    inner : mapping
        The inner parameters and their values that were asked for; a metric that does not depend on
        one leaves it out.

    Raises
    ------
    ValueError
        With a sentence for the author of the experiment.

    Examples
    --------
    >>> rows = tidy_rows([Row("precision", 0.5, k=5)], ("k",))
    >>> require_complete(rows, ("precision",), {"k": [5, 10]})
    Traceback (most recent call last):
    ValueError: run_cell gave no row for k = 10 (asked for: 5, 10)
    """
    seen: set[tuple[tuple[str, object], ...]] = set()
    for row in rows:
        if row["metric"] not in yields:
            raise ValueError(f"run_cell: {unknown('metric', row['metric'], yields)}")
        for name in inner.keys() & row.keys():
            if row[name] not in inner[name]:
                asked = ", ".join(map(str, inner[name]))
                raise ValueError(
                    f"run_cell gave a row for {name} = {row[name]} (asked for: {asked})"
                )
        point = tuple((name, value) for name, value in row.items() if name not in _NO_PLACE)
        if point in seen:
            at = " and ".join(f"{name} = {value}" for name, value in point if name != "metric")
            where = f" for {at}" if at else ""
            raise ValueError(f"run_cell gave two rows of {row['metric']}{where}")
        seen.add(point)
    for name, values in inner.items():
        given = {row[name] for row in rows if name in row}
        for value in values:
            if value not in given:
                asked = ", ".join(map(str, values))
                raise ValueError(f"run_cell gave no row for {name} = {value} (asked for: {asked})")


def _tidy_row(row: object, columns: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(row, Row):
        raise TypeError(f"run_cell must return rows, Row(metric, value, ...), not {_short(row)}")
    if others := sorted(set(row.at) - set(columns)):
        raise ValueError(
            f"a row of run_cell has the column {others[0]!r}, which is neither an inner "
            f"parameter nor a detail (there are: {', '.join(columns) or 'none'})"
        )
    if not isinstance(row.metric, str) or not isinstance(row.value, numbers.Real | np.bool_):
        raise TypeError(f"a row has a name and a number, not {_short(row)}")
    cells = {name: _plain(row.at[name]) for name in columns if name in row.at}
    if row.status != "ok":
        if row.status not in UNDEFINED:
            raise ValueError(
                f"the status of a row is ok or {' or '.join(UNDEFINED)}, not {row.status!r}"
            )
        cells["status"] = row.status
    return {**cells, "metric": str(row.metric), "value": float(row.value)}


def _plain(value: object) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, bool | int | float | str):
        return plain
    raise TypeError(f"the columns of a row hold numbers and words, not {_short(value)}")


def _short(thing: object) -> str:
    text = repr(thing)
    return text if len(text) <= 60 else text[:57] + "..."
