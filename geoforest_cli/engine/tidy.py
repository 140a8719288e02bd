"""Rows as an experiment returns them, checked and made of plain numbers and strings."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["UNDEFINED", "tidy_rows"]

# a cell may end well and still have no number to give: that is not a failure
UNDEFINED = ("disconnected", "undefined")


def tidy_rows(rows: Any, inner: tuple[str, ...]) -> list[dict[str, Any]]:
    """Check the rows of one cell and turn NumPy's scalars into Python's.

    Parameters
    ----------
    rows : list of mappings
        What ``run_cell`` returned: in each ``metric`` (a string), ``value`` (a number), any
        of the inner grid parameters, and ``status`` where there is no number to give
        ("disconnected": the graph leaves pairs without a path).
    inner : tuple of str
        The grid parameters that the cell evaluates itself.

    Returns
    -------
    list of dict

    Raises
    ------
    TypeError, ValueError
        With a sentence for the author of the experiment.

    Examples
    --------
    >>> tidy_rows([{"metric": "precision", "value": np.float32(0.5), "k": np.int64(5)}], ("k",))
    [{'k': 5, 'metric': 'precision', 'value': 0.5}]
    """
    if not isinstance(rows, list) or not rows:
        raise TypeError(f"run_cell must return a list of rows, not {_short(rows)}")
    return [_tidy_row(row, inner) for row in rows]


def _tidy_row(row: Any, inner: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(row, Mapping) or not {"metric", "value"} <= set(row):
        raise TypeError(f"a row of run_cell must have 'metric' and 'value', not {_short(row)}")
    if unknown := sorted(set(row) - {"metric", "value", "status", *inner}):
        raise ValueError(
            f"a row of run_cell has the column {unknown[0]!r}, which is not in the grid as an "
            f"inner parameter (there are: {', '.join(inner) or 'none'})"
        )
    value = row["value"]
    if not isinstance(row["metric"], str) or not isinstance(value, numbers.Real | np.bool_):
        raise TypeError(f"'metric' must be a string and 'value' a number, not {_short(row)}")
    columns = {name: _plain(row[name]) for name in inner if name in row}
    if (status := row.get("status", "ok")) != "ok":
        if status not in UNDEFINED:
            raise ValueError(
                f"the status of a row is ok or {' or '.join(UNDEFINED)}, not {status!r}"
            )
        columns["status"] = status
    return {**columns, "metric": str(row["metric"]), "value": float(value)}


def _plain(value: Any) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, bool | int | float | str):
        return plain
    raise TypeError(f"an inner parameter must be a number or a string, not {_short(value)}")


def _short(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) <= 60 else text[:57] + "..."
