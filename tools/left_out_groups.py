"""What it brings to leave groups of columns out; prints a table of docs/choosing.md.

``python -m tools.left_out_groups [REPETITIONS]`` draws the cells of
configs/noise_kinds_choosing.yaml with seeds of its own, and four more among a hundred columns of
factors, and fits `AdaptiveNeighbors` with and without the rule wherever the rule changes which
columns are kept: elsewhere nothing differs.
"""

from __future__ import annotations

import importlib
import itertools
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pandas as pd
import yaml

from geoforest_cli import AdaptiveNeighbors
from geoforest_cli.core.errors import UserError
from geoforest_cli.estimators.adaptive import columns
from geoforest_cli.estimators.adaptive.columns import kept_columns
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import retrieved

__all__ = ["cells", "compared"]

quality = importlib.import_module("experiments.neighbor_quality")
_CONFIG = Path(__file__).parents[1] / "configs" / "noise_kinds_choosing.yaml"
_SEED = 20261126
_MORE = ("helix", "sphere", "digits", "wine")


def cells() -> Iterator[Any]:
    """Yield the cells of the config, then those of four more data sets among factors."""
    config = yaml.safe_load(_CONFIG.read_text("utf-8"))
    seen = set()
    for part in ({}, *config["also"]):
        axes = {**config["grid"], **part}
        for values in itertools.product(*axes.values()):
            cell = quality.QualityParams.model_validate(dict(zip(axes, values, strict=True)))
            if cell.model_dump_json() not in seen:
                seen.add(cell.model_dump_json())
                yield cell
    for name in _MORE:
        yield quality.QualityParams(data=name, n=500, noise_dims=100, noise_kind="factors")


def compared(cell: Any, repetition: int) -> dict[str, Any]:
    """Return the precision without and with the rule, and how many columns are left out."""
    seeds = [_SEED, repetition, cell.n, *map(ord, cell.data)]
    points, truth, k = quality.draw(cell, np.random.default_rng(seeds))
    table = quality.noisy(points, cell, seed=1000 * repetition + cell.n)
    kept = kept_columns(table, np.random.default_rng(0))
    found = {
        "groups": int(kept.groups.max(initial=0)),
        "left_out": len(kept.left_out),
        "signal_left_out": int((kept.left_out < points.shape[1]).sum()),
    }
    if not len(kept.left_out):
        return {**found, "without": np.nan, "with": np.nan}
    with patch.object(columns, "linear_groups", lambda *_: np.empty(0, np.int64)):
        without = _precision(table, truth, k)
    return {**found, "without": without, "with": _precision(table, truth, k)}


def _precision(table: npt.NDArray[np.float64], truth: Any, k: int) -> float:
    model = AdaptiveNeighbors(n_neighbors=k, random_state=0).fit(table)
    near = retrieved(model, k, "random", np.random.default_rng(1))
    (score,) = precision_recall(truth, near, (k,), "as_written", np.random.default_rng(1))
    return float(score.precision)


def main(repetitions: int = 3) -> None:
    """Print one line per cell in which groups were found, and what all others have in common."""
    rows = []
    for cell in cells():
        name = f"{cell.data}, {cell.n} rows, {cell.noise_dims} {cell.noise_kind}, {cell.transform}"
        try:
            rows += [{"cell": name, **compared(cell, r)} for r in range(repetitions)]
        except UserError as error:
            print(f"{name}: {error}", file=sys.stderr)
    frame = pd.DataFrame(rows)
    several = frame.groupby("cell", sort=False).filter(lambda part: part["groups"].max() > 1)
    with pd.option_context("display.max_rows", None, "display.width", 150):
        print(several.groupby("cell", sort=False).mean().round(3).to_string())
    print(f"{frame['cell'].nunique()} cells, {len(frame)} tables")
    print(f"columns are left out in {int((frame['left_out'] > 0).sum())} tables")
    change = frame["with"] - frame["without"]
    print(f"change there: mean {change.mean():.3f}, least {change.min():.3f}")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main(*map(int, sys.argv[1:]))
