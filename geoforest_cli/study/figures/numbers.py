"""Claims, summary and report as files: no more digits than anybody can use, small to keep."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

__all__ = ["DIGITS", "claims_text", "json_text", "summary_text"]

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
    lines = (json_text(_rounded(claim), separators=(",", ":")) for claim in found)
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


def json_text(content: Any, **options: Any) -> str:
    """Return content as JSON, numbers of NumPy and any mapping too."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, default=_plain, **options)


def _rounded(claim: Mapping[str, Any]) -> dict[str, Any]:
    numbers = {name: _number(claim[name]) for name in _OF_CLAIMS if name in claim}
    rounded = {name: numbers.get(name, value) for name, value in claim.items()}
    if "points" in rounded:
        rounded["points"] = [_rounded(point) for point in rounded["points"]]
    return rounded


def _number(value: Any) -> Any:
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return float(f"{value:.{DIGITS}g}")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return value.item()
