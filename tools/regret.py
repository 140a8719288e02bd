"""How far methods stay behind the best rival, cell by cell of the grid of noise.

``python -m tools.regret results/noise_kinds_choosing/paper`` (more folders are put together) prints
what ``docs/choosing.md`` shows: the regret of a method in a cell is the precision of the best of
the rivals there minus its own, means over repetitions. Files of rows may be given instead of
folders. ``--cells adaptive`` lists the cells in which a method is more than 0.02 behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
import pandas as pd
import yaml

from geoforest_cli.problems.manifolds import MANIFOLDS

__all__ = ["CELL", "regrets", "rivals", "summary"]

CELL = ["data", "n", "noise_dims", "noise_kind", "transform"]
_GRID = Path(__file__).parents[1] / "configs" / "parts" / "noise_grid.yaml"
_NEAR = 0.02
_VARIANT = "recommended"


def rivals() -> list[str]:
    """Return the rivals that the grid's config names."""
    names: list[str] = yaml.safe_load(_GRID.read_text(encoding="utf-8"))["groups"]["rivals"]
    return names


def regrets(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the regret of every method (columns) in every cell.

    Parameters
    ----------
    rows : DataFrame
        Of `neighbor_quality`.
    names : sequence of str
        The rivals.

    Raises
    ------
    ValueError
        If no rival has a row.
    """
    used = rows[(rows["metric"] == "precision") & (rows["variant"] == _VARIANT)]
    precision = used.pivot_table(index=CELL, columns="method", values="value", aggfunc="mean")
    known = [name for name in names if name in precision]
    if not known:
        raise ValueError("the rows have none of the rivals")
    behind: pd.DataFrame = -precision.sub(precision[known].max(axis=1), axis=0)
    return behind


def summary(behind: pd.DataFrame) -> pd.DataFrame:
    """Return one line per method: mean, 95 % quantile, worst, and share of cells within 0.02.

    In the mean, shapes and tables weigh one half each, if there are both.
    """
    kinds = np.where(behind.index.get_level_values("data").isin(list(MANIFOLDS)), "shape", "table")
    lines = pd.DataFrame(
        {
            "mean": behind.groupby(kinds).mean().mean(),
            "q95": behind.quantile(0.95),
            "worst": behind.max(),
            "within": (behind <= _NEAR).sum() / behind.notna().sum(),
            "cells": behind.notna().sum(),
        }
    )
    return lines.sort_values("mean")


def _read(path: Path) -> pd.DataFrame:
    table = path / "rows.csv" if path.is_dir() else path
    try:
        rows = pd.read_csv(table, low_memory=False)
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise click.UsageError(f"{table} cannot be read: {error}") from None
    missing = [name for name in (*CELL, "method", "variant", "metric", "value") if name not in rows]
    if missing:
        raise click.UsageError(f"{table} has no column {missing[0]!r}: it has no rows of the grid")
    return rows


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--cells", metavar="METHOD", help="List the cells in which it is behind.")
def main(results: tuple[Path, ...], cells: str | None) -> None:
    """Print the regret of each method over the cells of RESULTS: rows.csv, or folders with it."""
    names = rivals()
    try:
        behind = regrets(pd.concat([_read(path) for path in results]), names)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if cells is not None and cells not in behind:
        known = ", ".join(map(str, behind.columns))
        raise click.BadParameter(f"{cells!r} is no method of the rows, which are {known}")
    lines = summary(behind)
    click.echo(lines.round(3).to_string())
    click.echo(f"best single rival: {next(name for name in lines.index if name in names)}")
    if cells is not None:
        misses = behind[cells][behind[cells] > _NEAR].sort_values(ascending=False)
        click.echo(f"\n{len(misses)} cells with {cells} more than {_NEAR} behind:")
        click.echo(misses.round(3).to_string())


if __name__ == "__main__":
    main()
