"""``geoforest classify``: cross-validated classification of a user's images, series or tables."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold

from geoforest_cli.cli.neighbors import method_parameters
from geoforest_cli.datasets.user_table import read_frame, read_table
from geoforest_cli.errors import DataError, UserError
from geoforest_cli.hints import unknown
from geoforest_cli.methods import METHODS
from geoforest_cli.report.render import save
from geoforest_cli.report.style import style

__all__ = ["classify"]

_SHAPE = re.compile(r"(?:(\d+)\s*x\s*)?(\d+)", re.IGNORECASE)


@click.command()
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--label", required=True, metavar="COLUMN", help="Column with the classes.")
@click.option("--method", default="morf", show_default=True, help="A classifier's name.")
@click.option(
    "--shape", help="Height x width of the images in the rows, or the length of a series."
)
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the method; may be repeated.",
)
@click.option("--columns", default="", metavar="A,B,...", help="Columns to use.  [default: all]")
@click.option(
    "--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Parts to test on."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="CSV of the predictions.")
@click.option("--picture", type=click.Path(path_type=Path), help="PNG of the importance.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of everything random.")
@click.option("--jobs", type=click.IntRange(min=1), help="Threads.  [default: one per core]")
def classify(
    *,
    table: Path,
    label: str,
    method: str,
    shape: str | None,
    params: tuple[str, ...],
    columns: str,
    folds: int,
    output: Path | None,
    picture: Path | None,
    seed: int,
    jobs: int | None,
) -> None:
    """Classify the rows of TABLE (CSV, TSV, Parquet) with cross-validation.

    Says the accuracy of each fold, their mean and a naive guess's. The importance picture needs
    a forest; with --shape it is an image, otherwise bars.
    """
    given = method_parameters(method, params, "classifier")
    points, labels, names = _data(table, label, columns)
    sides = _sides(shape, points.shape[1])
    cls = METHODS[method].load()
    accepted = inspect.signature(cls).parameters
    if "image_shape" in accepted and sides is not None:
        given.setdefault("image_shape", sides)
    if "n_jobs" in accepted:
        given["n_jobs"] = jobs or -1
    _, counts = np.unique(labels, return_counts=True)
    if counts.min() < folds:
        raise DataError(
            f"the smallest class of {label!r} has {counts.min()} rows: --folds is 2 to "
            f"{counts.min()}, not {folds}"
        )
    found = np.empty(len(labels), labels.dtype)
    scores = []
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for number, (train, test) in enumerate(splits.split(points, labels), 1):
        model = _built(cls, given, seed).fit(points[train], labels[train])
        found[test] = model.predict(points[test])
        scores.append(float(np.mean(found[test] == labels[test])))
        click.echo(f"fold {number} of {folds}: accuracy {scores[-1]:.4f}")
    mean, error = float(np.mean(scores)), float(np.std(scores, ddof=1) / np.sqrt(folds))
    click.echo(
        f"{method}: accuracy {mean:.4f}, standard error {error:.4f} over {folds} folds; "
        f"the most frequent class makes {counts.max() / len(labels):.4f}"
    )
    if output is not None:
        pd.DataFrame({"row": np.arange(len(labels)), "label": labels, "predicted": found}).to_csv(
            output, index=False
        )
        click.echo(output)
    if picture is not None:
        model = _built(cls, given, seed).fit(points, labels)
        if not hasattr(model, "feature_importances_"):
            raise UserError(f"--picture: {method} has no importances; morf, sporf and rf have")
        _draw(model.feature_importances_, sides, names, picture)
        click.echo(picture)


def _data(
    path: Path, label: str, columns: str
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], tuple[str, ...]]:
    frame = read_frame(path)
    frame.columns = pd.Index([str(name) for name in frame.columns])
    if label not in frame.columns:
        raise DataError(f"{path}: {unknown('column', label, list(frame.columns))}")
    if frame[label].isna().any():
        row = int(np.argmax(frame[label].isna().to_numpy())) + 1
        raise DataError(f"{path}: the label {label!r} is missing in row {row}")
    chosen = [name.strip() for name in columns.split(",") if name.strip()]
    # pixels that never vary belong to the image: they stay
    table = read_table(path, chosen, identifier=label, constant=True)
    for note in table.notes:
        if "repeat a name" not in note:
            click.echo(note, err=True)
    labels = frame[label].astype(str).to_numpy(str)
    if len(np.unique(labels)) < 2:
        raise DataError(f"{path}: the label {label!r} has one class only")
    return table.points, labels, table.columns


def _sides(shape: str | None, p: int) -> tuple[int, int] | None:
    if shape is None:
        return None
    match = _SHAPE.fullmatch(shape.strip())
    if match is None:
        raise UserError(f"--shape {shape}: a shape is HEIGHTxWIDTH, such as 28x28, or a length")
    sides = int(match[1] or 1), int(match[2])
    if sides[0] * sides[1] != p:
        raise UserError(f"--shape {shape}: that makes {sides[0] * sides[1]} columns, not {p}")
    return sides


def _built(cls: Any, given: dict[str, Any], seed: int) -> Any:
    accepted = inspect.signature(cls).parameters
    return cls(**given, **({"random_state": seed} if "random_state" in accepted else {}))


def _draw(
    importance: npt.NDArray[np.float64],
    sides: tuple[int, int] | None,
    names: tuple[str, ...],
    path: Path,
) -> None:
    with style("geoforest-classify"):
        if sides is not None and sides[0] > 1:
            figure = Figure(figsize=(3.6, 3.2))
            axes: Any = figure.subplots()
            image = axes.imshow(importance.reshape(sides), cmap="viridis")
            figure.colorbar(image, label="share of the projections")
            axes.axis("off")
        else:
            figure = Figure(figsize=(6.0, 2.6))
            axes = figure.subplots()
            axes.bar(range(len(importance)), importance, color="#D55E00", width=0.9)
            axes.set_ylabel("share of the projections")
            if len(names) <= 30 and sides is None:
                axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
            else:
                axes.set_xlabel("column")
        figure.tight_layout()
        save(figure, path.with_suffix(""), kinds=("png",))
