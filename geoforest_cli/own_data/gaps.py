"""Missing and infinite values of a table: refused, kept, or dropped with their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.errors import DataError
from geoforest_cli.own_data.wording import in_row, spell

__all__ = ["complete_rows", "refuse_gaps", "way_out"]

_ROWS = {
    "drop": "leave these rows out ({})",
    "random": "let a forest take them ({})",
}


def way_out(ways: Sequence[str]) -> str:
    """Return what can be done about missing values, where ``missing`` may be one of `ways`.

    Examples
    --------
    >>> print(way_out(["drop"]))
    fill them, leave the column out (columns) or leave these rows out (missing='drop')
    """
    rows = [_ROWS[way].format(spell("missing", way)) for way in ways] or ["leave these rows out"]
    first = ["fill them", f"leave the column out ({spell('columns')})"]
    *all_but_last, last = first + rows
    return f"{', '.join(all_but_last)} or {last}"


def refuse_gaps(
    frame: pd.DataFrame, origin: Mapping[str, str], name: str, *, gaps: bool, ways: Sequence[str]
) -> None:
    """Refuse infinite values, and missing ones without `gaps`.

    Parameters
    ----------
    frame : pandas.DataFrame
    origin : mapping
        The columns to look at, and the user's column that each of them comes from.
    name : str
        What messages call the table.
    gaps : bool
    ways : sequence of str
        As for `way_out`.

    Raises
    ------
    DataError
    """
    for column, source in origin.items():
        values = frame[column].to_numpy(np.float64, na_value=np.nan)
        for what, bad in (("missing", np.isnan(values)), ("infinite", np.isinf(values))):
            if (count := int(bad.sum())) and not (gaps and what == "missing"):
                place = in_row(int(np.argmax(bad)))
                many = "values, the first" if count > 1 else "value,"
                way = way_out(ways if what == "missing" else ())
                raise DataError(
                    f"{name}: the column {source!r} has {count} {what} {many} in {place}; {way}"
                )


def complete_rows(
    frame: pd.DataFrame, origin: Mapping[str, str], name: str
) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Return which rows have a value in all columns, and a note on the others.

    Parameters
    ----------
    frame, origin, name
        As for `refuse_gaps`.

    Raises
    ------
    DataError
        Where no row has.
    """
    empty = frame[list(origin)].isna()
    missing = empty.any(axis=1).to_numpy(bool)
    if not missing.any():
        return ~missing, []
    if missing.all():
        worst = str(empty.sum().idxmax())
        raise DataError(
            f"{name}: no row is complete; the column {origin[worst]!r} misses most values, "
            f"{int(empty[worst].sum())} of {len(frame)}: leave it out ({spell('columns')})"
        )
    count, first = int(missing.sum()), int(np.argmax(missing))
    many = (
        f"{count} of {len(frame)} rows miss values"
        if count > 1
        else f"1 of {len(frame)} rows misses a value"
    )
    return ~missing, [f"Left out, {many}; the first is {in_row(first)}."]
