"""Claims, summary and report as files: no more digits than anybody can use, small to keep."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from pydantic import BaseModel

__all__ = ["DIGITS", "claims_text", "json_text", "summary_text"]

DIGITS = 7  # significant ones
_OF_CLAIMS = {"estimate", "low", "high", "p_support", "p_refute"}
_OF_THE_SUMMARY = ("mean", "half", "published", "difference")


def claims_text(verdicts: BaseModel) -> str:
    """Return sentences and claims as JSON, each in a line of its own.

    Parameters
    ----------
    verdicts : Verdicts
        Estimates, intervals and p values are rounded to `DIGITS` significant digits; what names a
        place in the grid stays as it is.
    """
    parts = []
    for name, value in verdicts.model_dump(mode="json").items():
        if isinstance(value, list):
            lines = (json_text(_rounded(one), separators=(",", ":")) for one in value)
            value_text = "[\n" + ",\n".join(lines) + "\n]" if value else "[]"
        else:
            value_text = json_text(value)
        parts.append(f"{json_text(name)}: {value_text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


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
