"""The table of real tables among noise columns in docs/choosing.md, from the reference."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from tools.docs.blocks import missing_note, summary

__all__ = ["block"]

_TABLES = {
    "wine": "wine",
    "breast_cancer": "breast cancer",
    "iris": "iris",
    "digits": "digits",
    "drosophila_right": "mushroom body",
}
_COLUMNS = {"euclidean": "Euclidean", "isomap": "Isomap"}
_NOISE = (0, 200, 1000)
_K = 10


def block(reference: Path) -> str:
    """Return the shares of the own class, screened and not; a sentence if they are not there."""
    rows = summary(reference, "own_tables")
    if rows is None:
        return missing_note("own_tables")
    means = _means(rows)
    heads = [word for name in _COLUMNS.values() for word in (name, "screened")]
    lines = [
        f"| table | noise columns | {' | '.join(heads)} | signal columns kept |",
        f"|---|---|{'---|' * (len(heads) + 1)}",
    ]
    methods = [f"{name}{form}" for name in _COLUMNS for form in ("", "_screened")]
    for data, name in _TABLES.items():
        for noise in _NOISE:
            shares = [f"{means[data, noise, method, 'same_class']:.3f}"[1:] for method in methods]
            kept = means[data, noise, methods[1], "power"]
            share = "all" if kept == 1 else f"{kept:.2f}"[1:]
            lead = f"{name} " if noise == _NOISE[0] else ""
            lines.append(f"| {lead}| {noise} | {' | '.join(shares)} | {share} |")
    return "\n".join([*lines, ""])


def _means(rows: pd.DataFrame) -> dict[tuple[str, int, str, str], float]:
    """Return the mean of each table, number of noise columns, method and metric."""
    selection = rows[(rows.variant == "recommended") & ((rows.k == _K) | (rows.metric == "power"))]
    index = selection[["data", "noise_dims", "method", "metric"]]
    return dict(zip(index.itertuples(index=False, name=None), selection["mean"], strict=True))
