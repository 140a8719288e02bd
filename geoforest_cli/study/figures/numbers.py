"""Claims and summary as files: no more digits than anybody can use, small enough to be kept."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

__all__ = ["DIGITS", "claims_text", "summary_text"]

DIGITS = 7  # significant ones
_OF_CLAIMS = {"estimate", "low", "high", "p_support", "p_refute"}
_OF_THE_SUMMARY = ("mean", "half", "published", "difference")


def claims_text(found: Sequence[Mapping[str, Any]]) -> str:
    """Return claims as JSON, each in a line of its own.

    Parameters
    ----------
    found : sequence of mapping
        Claims with their verdicts. Estimates, intervals and p-values are rounded to `DIGITS`
        significant digits; what names a place in the grid stays as it is.

    Examples
    --------
    >>> print(claims_text([{"id": "a", "estimate": 0.123456789}, {"id": "b"}]), end="")
    [
    {"id":"a","estimate":0.1234568},
    {"id":"b"}
    ]
    """
    lines = (
        json.dumps(
            _rounded(one), ensure_ascii=False, allow_nan=False, separators=(",", ":"),
            default=_plain,
        )
        for one in found
    )  # fmt: skip
    return "[\n" + ",\n".join(lines) + "\n]\n" if found else "[]\n"


def summary_text(lines: pd.DataFrame) -> str:
    """Return a summary as CSV, its means, intervals and differences rounded as the claims are.

    Examples
    --------
    >>> print(summary_text(pd.DataFrame({"n": [100.0], "mean": [2 / 3]})), end="")
    n,mean
    100.0,0.6666667
    """
    rounded = [name for name in _OF_THE_SUMMARY if name in lines]
    return lines.assign(**{name: lines[name].map(_number) for name in rounded}).to_csv(
        index=False, lineterminator="\n"
    )


def _rounded(claim: Mapping[str, Any]) -> dict[str, Any]:
    numbers = {name: _number(claim[name]) for name in _OF_CLAIMS if name in claim}
    found = {name: numbers.get(name, value) for name, value in claim.items()}
    if "points" in found:
        found["points"] = [_rounded(point) for point in found["points"]]
    return found


def _number(value: Any) -> Any:
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return float(f"{value:.{DIGITS}g}")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return value.item()
