"""The columns of ``rows.csv`` and ``summary.csv``, and what they hold."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.study.claims.storage import damaged

__all__ = ["ROWS", "SUMMARY", "Column", "require_columns"]


class Column(NamedTuple):
    """What a value may be: a pattern, and the same in words."""

    pattern: re.Pattern[str]
    allowed: str


def _column(pattern: str, allowed: str) -> Column:
    return Column(re.compile(pattern), allowed)


_DECIMAL = r"-?\d+(\.\d*)?(e[+-]?\d+)?"
_WORD = _column(r"(?s).+", "text that is not empty")
_WHOLE = _column(r"\d{1,15}", "a whole number of at least 0")
_SOME = _column(rf"(-?inf|{_DECIMAL})?", "a number or empty")
ROWS: Mapping[str, Column] = {
    "method": _WORD,
    "variant": _WORD,
    "repetition": _WHOLE,
    "metric": _column(r"(?s).*", "text"),
    "value": _column(rf"nan|-?inf|{_DECIMAL}", "a number, inf or nan"),
    "status": _column(r"[a-z_]+", "a word such as ok, failed or undefined"),
    "cell": _column(r"[0-9a-f]{24}", "24 hexadecimal digits"),
}
SUMMARY: Mapping[str, Column] = {
    **dict.fromkeys(("method", "variant", "metric"), _WORD),
    **dict.fromkeys(("mean", "half"), _SOME),
    **dict.fromkeys(("repetitions", "undefined", "failed"), _WHOLE),
    **dict.fromkeys(("published", "difference"), _SOME),
}


def require_columns(path: Path, columns: Mapping[str, Column]) -> None:
    """Refuse a CSV file whose last columns are others, or have other values.

    Parameters
    ----------
    path : Path
    columns : mapping
        In front of them are the columns of the grid, which may hold anything.

    Raises
    ------
    UserError
        With line and column.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file, strict=True)
            header = next(lines, [])
            if header[-len(columns) :] != list(columns):
                ends = ", ".join(columns)
                raise damaged(path, f"line 1: the last columns must be {ends}", "figure")
            first = len(header) - len(columns)
            for words in lines:
                place = f"line {lines.line_num}"
                if len(words) != len(header):
                    reason = f"{place}: {len(words)} values for {len(header)} columns"
                    raise damaged(path, reason, "figure")
                for (name, column), word in zip(columns.items(), words[first:], strict=True):
                    if column.pattern.fullmatch(word) is None:
                        reason = f"{place}, {name}: must be {column.allowed}, not {quoted(word)}"
                        raise damaged(path, reason, "figure")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise damaged(path, error, "figure") from None
