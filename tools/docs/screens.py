"""The table of rows that pairs need in docs/screening.md, from the reference."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from tools.docs.blocks import missing_note, summary

__all__ = ["block"]

# shape -> its name, and the share of its columns that depends on another one by pairs
_SHAPES = {
    "linear": ("line", 1.0),
    "gaussian_mixture": ("mixture of three Gaussians", 1.0),
    "circle": ("circle", 1.0),
    "moons": ("two half circles", 1.0),
    "helix": ("helix", 1.0),
    "sphere": ("sphere", 1.0),
    "swiss_roll": ("Swiss roll: two of three columns, never the width", 2 / 3),
    "s_curve": ("S-curve: the same", 2 / 3),
    "torus": ("torus: two of three columns, never the height", 2 / 3),
    "sphere5": ("unit sphere in five dimensions", 1.0),
    "sphere10": ("unit sphere in ten dimensions", 1.0),
    "parity": ("parity: no two columns depend on each other", 1.0),
}
_NOISE = (10, 100, 1000)
_CLOSE = 1e-6  # the summary is rounded


def block(reference: Path) -> str:
    """Return from how many rows on pairs keep all; a sentence if the outcome is not there."""
    rows = summary(reference, "screening")
    if rows is None:
        return missing_note("screening")
    rows = rows[(rows.metric == "power") & (rows.method == "pairs")]
    lines = [f"| shape | {_NOISE[0]} noise columns | {' | '.join(map(str, _NOISE[1:]))} |"]
    lines.append(f"|---|{len(_NOISE) * '---|'}")
    for shape, (name, share) in _SHAPES.items():
        here = rows[rows.manifold == shape]
        cells = [_least(here[here.noise_dims == noise], share) for noise in _NOISE]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _least(rows: pd.DataFrame, share: float) -> str:
    """Return the smallest number of rows from which on every table's share is that."""
    least = "over {:.0f}"
    for n, power in sorted(zip(rows.n, rows["mean"], strict=True), reverse=True):
        if power < share - _CLOSE:
            return least.format(n)
        least = f"{n:.0f}"
    return least
