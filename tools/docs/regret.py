"""The tables of regret on the judged half in docs/choosing.md, from the reference."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from geoforest_cli.study.results.record import read_record
from tools.docs.blocks import missing_note, summary

__all__ = ["block", "regrets"]

DEFAULT = "adaptive"
_CONFIG = "noise_kinds"
_CELL = ["data", "n", "noise_dims", "noise_kind", "transform", "target"]
_FORESTS = [DEFAULT, "gf", "gf_without_screen"]
_MARGIN = 0.02
_SHOWN = 0.1  # methods without a screen have more


def regrets(rows: pd.DataFrame) -> pd.DataFrame:
    """Return each method's distance to the best baseline in precision, a row per cell."""
    rows = rows[(rows.metric == "precision") & (rows.variant == "recommended")]
    cell = [name for name in _CELL if name in rows]
    means = rows.pivot_table(index=cell, columns="method", values="mean")
    best = means.drop(columns=_FORESTS).max(axis=1)
    return means.rsub(best, axis=0)


def block(reference: Path) -> str:
    """Return the regret of the nearest methods, and the cells that the default misses."""
    rows = summary(reference, _CONFIG)
    if rows is None:
        return missing_note(_CONFIG)
    labels = read_record(reference / _CONFIG).labels
    table = regrets(rows)
    lines = [
        "| method | mean regret | 95th percentile | worst cell | within .02 of the best baseline |",
        f"|---|{4 * '---|'}",
    ]
    means = table.mean().sort_values()
    for method in means[means <= _SHOWN].index:
        cell = table[method]
        numbers = f"{cell.mean():.3f} | {cell.quantile(0.95):.2f} | {cell.max():.2f}"
        lines.append(f"| {labels[method]} | {numbers} | {100 * (cell <= _MARGIN).mean():.0f} % |")
    missed = table.loc[table[DEFAULT] > _MARGIN, DEFAULT].groupby("data").agg(["count", "max"])
    lines += ["", "| the default misses on | cells | behind by at most |", "|---|---|---|"]
    for data, (count, worst) in missed.sort_values("max", ascending=False).iterrows():
        lines.append(f"| `{data}` | {count:.0f} | {worst:.2f} |")
    return "\n".join([*lines, ""])
