"""How far the score without labels agrees with labels; prints the numbers of docs/own_data.md.

``python -m tools.label_free_agreement FOLDER [TABLE ...]``: both comparisons of
``geoforest neighbors --compare`` on labelled tables of 300 rows at most. Each table is a file in
FOLDER, and is not computed again; what is printed is of all files that are there. By default all
tables run: those of ``LABELLED``, and those that the packages ISLP (with gene expression: ``khan``
and ``nci60``) and scanpy (``pbmc68k``, read by h5py) bring, where they are installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import spearmanr

from geoforest_cli import tables
from geoforest_cli.core.errors import Unavailable
from geoforest_cli.core.files import write_atomically
from geoforest_cli.problems.datasets import LABELLED

__all__ = ["LOADERS", "agreement", "summary"]

_ROWS, _K, _NEAR = 300, 10, 0.02
_SEED = 20261125
_DEFAULT = "adaptive_neighbors"


class Labelled(NamedTuple):
    """Points (N, p) and their classes."""

    points: npt.NDArray[np.float64]
    labels: npt.NDArray[np.str_]


def _registered(name: str) -> Labelled:
    table = LABELLED[name].load()()
    return Labelled(table.points, table.labels)


def _file(package: str, name: str) -> Path:
    """Return a file that a package brings, which is not imported.

    Raises
    ------
    Unavailable
        If the package is not installed.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable(f"{package} is not installed")
    return Path(spec.submodule_search_locations[0]) / name


def _islp(name: str, label: str) -> Labelled:
    frame = pd.read_csv(_file("ISLP", f"data/{name}.csv"), na_values="?").dropna()
    points = frame.drop(columns=label).select_dtypes("number")
    return Labelled(points.to_numpy(np.float64), frame[label].to_numpy(str))


def _nci60() -> Labelled:
    labels = pd.read_csv(_file("ISLP", "data/NCI60labs.csv"))["label"]
    return Labelled(np.load(_file("ISLP", "data/NCI60data.npy")), labels.to_numpy(str))


def _khan() -> Labelled:
    points, labels = (
        pd.concat([pd.read_csv(_file("ISLP", f"data/Khan_{what}{part}.csv")) for part in parts])
        for what, parts in (("x", ("train", "test")), ("y", ("train", "test")))
    )
    return Labelled(points.to_numpy(np.float64), labels.to_numpy(str).ravel())


def _pbmc68k() -> Labelled:
    h5py: Any = importlib.import_module("h5py")
    with h5py.File(_file("scanpy", "datasets/10x_pbmc68k_reduced.h5ad")) as file:
        return Labelled(file["X"][:].astype(np.float64), file["obs"]["bulk_labels"].astype(str))


LOADERS: Mapping[str, Callable[[], Labelled]] = {
    **{name: partial(_registered, name) for name in LABELLED},
    "cars": partial(_islp, "Auto", "origin"),
    "car_seats": partial(_islp, "Carseats", "ShelveLoc"),
    "colleges": partial(_islp, "College", "Private"),
    "orange_juice": partial(_islp, "OJ", "Purchase"),
    "stock_market": partial(_islp, "Smarket", "Direction"),
    "khan": _khan,
    "nci60": _nci60,
    "pbmc68k": _pbmc68k,
}


def agreement(table: Labelled, methods: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return the score of each method by labels, and by the columns alone.

    Methods that the halves have too few columns for are in neither.
    """
    points, labels = table.points, np.asarray(table.labels)
    if len(points) > _ROWS:
        rows = np.random.default_rng(_SEED).choice(len(points), _ROWS, replace=False)
        points, labels = points[np.sort(rows)], labels[np.sort(rows)]
    frame = pd.DataFrame(points).add_prefix("x")
    alone = tables.compare_neighbors(frame, _K, methods=methods, n_jobs=1)
    labelled = tables.compare_neighbors(
        frame.assign(label=labels), _K, "label", methods=alone.methods, n_jobs=1
    )
    scores = pd.Series(dict(zip(labelled.methods, labelled.scores, strict=True)))
    columns = pd.Series(dict(zip(alone.methods, alone.scores, strict=True)))
    lines = pd.DataFrame({"balanced_share": scores, "prediction": columns}).dropna()
    return lines.rename_axis("method").reset_index()


def summary(scores: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one line per table: Spearman's correlation, both best methods, and losses.

    The loss is the score by labels of the best by labels minus that of the best by columns, and
    minus that of the default method.

    Examples
    --------
    >>> scores = {"balanced_share": [0.5, 0.9], "prediction": [2, 1]}
    >>> found = summary({"t": pd.DataFrame({"method": ["a", "b"], **scores})}).loc["t"]
    >>> found["best by labels"], found["best by columns"], round(float(found["loss"]), 3)
    ('b', 'a', 0.4)
    """
    lines = {}
    for name, frame in scores.items():
        table = frame.set_index("method")
        shares, predictions = table["balanced_share"], table["prediction"]
        best, chosen = str(shares.idxmax()), str(predictions.idxmax())
        correlation = float(spearmanr(shares, predictions).statistic)
        losses = shares[best] - shares.reindex([chosen, _DEFAULT]).to_numpy(np.float64)
        lines[name] = [correlation, best, chosen, *losses]
    columns = ["spearman", "best by labels", "best by columns", "loss", "loss of default"]
    return pd.DataFrame.from_dict(lines, orient="index", columns=columns)


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.argument("names", nargs=-1, metavar="[TABLE ...]")
def main(folder: Path, names: tuple[str, ...]) -> None:
    """Compute the tables that FOLDER lacks, and print the agreement over all that are there."""
    for name in names or LOADERS:
        file = folder / f"{name}.csv"
        if file.exists():
            continue
        try:
            table = LOADERS[name]()
        except (Unavailable, ImportError) as error:
            click.echo(f"{name}: {error}", err=True)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lines = agreement(table)
        write_atomically(file, lines.to_csv(index=False))
        click.echo(f"{name}: {len(lines)} methods", err=True)
    files = sorted(folder.glob("*.csv"))
    if not files:
        sys.exit("no table could be computed")
    lines = summary({file.stem: pd.read_csv(file) for file in files})
    click.echo(lines.round(3).to_string())
    spearman, loss, default = lines["spearman"], lines["loss"], lines["loss of default"]
    click.echo(
        f"{len(lines)} tables: Spearman's correlation {spearman.mean():.2f} on average, median "
        f"{spearman.median():.2f}, positive in {(spearman > 0).sum()}; the best by columns is "
        f"within {_NEAR} of the best by labels in {(loss <= _NEAR).sum()}, {loss.mean():.3f} below "
        f"it on average, {loss.max():.3f} at worst; {_DEFAULT} in {(default <= _NEAR).sum()}, "
        f"{default.mean():.3f} on average, {default.max():.3f} at worst"
    )


if __name__ == "__main__":
    main()
