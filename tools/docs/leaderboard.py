"""The table of all methods on all shapes in docs/choosing.md, from the reference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from tools.docs.blocks import missing_note, summary

__all__ = ["block"]

_METHODS = {
    "euclidean": "Euclidean",
    "flann": "FLANN",
    "isomap": "Isomap",
    "spherelets": "Spherelets (SG, by evidence)",
    "umap": "UMAP",
    "gf": "GF",
    "random_forest": "random forest, unsupervised",
    "gf_corrected": "GF, Fast-BIC",
    "urf": "URF, two-means",
}
_NOISE = (0, 10, 100)
_N = 300


def block(reference: Path) -> str:
    """Return the mean precision over all shapes, screened and not; a sentence if it is not there.

    Of normal noise, in the order of the best of both with the most of it.
    """
    rows = summary(reference, "leaderboard")
    if rows is None:
        return missing_note("leaderboard")
    means = _means(rows)
    ranked = sorted(_METHODS, key=lambda name: -max(_with_most_noise(means, name)))
    lines = [
        f"| method | {' | '.join(map(str, _NOISE))} | screened: {' | '.join(map(str, _NOISE))} |",
        f"|---|{2 * len(_NOISE) * '---|'}",
    ]
    for name in ranked:
        keys = [(form, noise) for form in _forms(name) for noise in _NOISE]
        cells = [f"{means[key]:.2f}"[1:] if key in means else "" for key in keys]
        lines.append(f"| {_METHODS[name]} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _forms(name: str) -> tuple[str, str]:
    return name, f"{name}_screened"


def _with_most_noise(means: Mapping[tuple[str, int], float], name: str) -> list[float]:
    return [means[form, _NOISE[-1]] for form in _forms(name) if (form, _NOISE[-1]) in means]


def _means(rows: pd.DataFrame) -> dict[tuple[str, int], float]:
    """Return the mean over the shapes of each method and number of noise columns."""
    cells = rows[(rows.metric == "precision") & (rows.variant == "recommended") & (rows.n == _N)]
    cells = cells[cells.noise_kind == "normal"]
    means = cells.groupby(["method", "noise_dims"])["mean"].mean()
    return dict(zip(means.index.to_flat_index(), means, strict=True))
