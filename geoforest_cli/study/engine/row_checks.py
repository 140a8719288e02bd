"""Rows as an experiment returns them, checked and made of plain numbers and strings."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from geoforest_cli.study.experiment import Row

__all__ = ["UNDEFINED", "tidy_rows"]

# a cell may end well and still have no number to give: that is not a failure
UNDEFINED = ("disconnected", "undefined")


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
    if not isinstance(rows, list) or not rows:
        raise TypeError(f"run_cell must return a list of rows, not {_short(rows)}")
    return [_tidy_row(row, columns) for row in rows]


def _tidy_row(row: object, columns: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(row, Row):
        raise TypeError(f"run_cell must return rows, Row(metric, value, ...), not {_short(row)}")
    if unknown := sorted(set(row.at) - set(columns)):
        raise ValueError(
            f"a row of run_cell has the column {unknown[0]!r}, which is neither an inner "
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
