"""The table of real tables among noise columns in docs/choosing.md, from the reference."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from geoforest_cli.documentation.kept import nothing_of, summary

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
        return nothing_of("own_tables")
    means = _means(rows)
    heads = [word for name in _COLUMNS.values() for word in (name, "screened")]
    lines = [
        f"| table | noise columns | {' | '.join(heads)} | signal columns kept |",
        f"|---|---|{'---|' * (len(heads) + 1)}",
    ]
    methods = [one for name in _COLUMNS for one in (name, f"{name}_screened")]
    for data, name in _TABLES.items():
        for noise in _NOISE:
            shares = [f"{means[data, noise, one, 'same_class']:.3f}"[1:] for one in methods]
            kept = means[data, noise, methods[1], "power"]
            said = "all" if kept == 1 else f"{kept:.2f}"[1:]
            lead = f"{name} " if noise == _NOISE[0] else ""
            lines.append(f"| {lead}| {noise} | {' | '.join(shares)} | {said} |")
    return "\n".join([*lines, ""])


def _means(rows: pd.DataFrame) -> dict[tuple[str, int, str, str], float]:
    """Return the mean of each table, number of noise columns, method and metric."""
    asked = rows[(rows.variant == "recommended") & ((rows.k == _K) | (rows.metric == "power"))]
    index = asked[["data", "noise_dims", "method", "metric"]]
    return dict(zip(index.itertuples(index=False, name=None), asked["mean"], strict=True))
