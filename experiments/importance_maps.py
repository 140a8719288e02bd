"""Which pixels classifiers of two digits use, as maps.

One cell trains on a hundred images of each digit and reports the share of every pixel in the
chosen projections, how smooth the map is, how much of it lies on pixels that never vary, and how
it follows the difference of the two mean images (MORF, Figure 4).
"""

import functools
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure
from pydantic import Field
from scipy.stats import spearmanr

from geoforest_cli import report
from geoforest_cli.config.cells import Task
from geoforest_cli.config.schema import Model
from geoforest_cli.datasets.mnist import Digits, digits, mnist

VERSION = 2
KIND = "classifier"
INNER = ()
DETAIL = ("pixel",)
YIELDS = (
    "importance", "mean_first", "mean_second", "total_variation", "geary", "background", "spearman",
)  # fmt: skip

Floats = npt.NDArray[np.float64]


class Params(Model):
    """What one cell of this experiment can be told; `n` images of each digit."""

    data: Literal["mnist", "digits"]
    first: Annotated[int, Field(ge=0, le=9)] = 3
    second: Annotated[int, Field(ge=0, le=9)] = 5
    n: Annotated[int, Field(ge=5)] = 100


class FigureOptions(Model):
    """The width in inches."""

    width: float = 6.0


def files(params: Params) -> str | None:
    """Name the data set of the catalogue that a cell reads."""
    return "mnist" if params.data == "mnist" else None


@functools.cache
def _data(name: str) -> Digits:
    return mnist() if name == "mnist" else digits()


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Train; return the map and what can be said of it in numbers."""
    params: Params = task.params
    data = _data(params.data)
    rng = np.random.default_rng(task.repetition_seed)
    images = []
    for digit in (params.first, params.second):
        rows = np.flatnonzero(data.train_labels == digit)
        images.append(data.train[rng.choice(rows, params.n, replace=False)])
    X = np.concatenate(images).astype(np.float64)
    y = np.repeat([0, 1], params.n)
    importance = task.build_method().fit(X, y).feature_importances_
    means = [part.mean(axis=0) for part in images]
    grid = importance.reshape(data.shape)
    variation = np.abs(np.diff(grid, axis=0)).sum() + np.abs(np.diff(grid, axis=1)).sum()
    follows = spearmanr(importance, np.abs(means[0] - means[1])).statistic
    maps = {"importance": importance, "mean_first": means[0], "mean_second": means[1]}
    return [
        {"metric": "total_variation", "value": float(variation)},
        {"metric": "geary", "value": _geary(grid)},
        {"metric": "background", "value": float(importance[X.var(axis=0) == 0].sum())},
        {"metric": "spearman", "value": float(follows)},
        *(
            {"metric": metric, "value": float(value), "pixel": pixel}
            for metric, values in maps.items()
            for pixel, value in enumerate(values)
        ),
    ]


def _geary(grid: Floats) -> float:
    """Geary's C of an image: 0 if neighbouring pixels are alike, about 1 if they are unrelated.

    Half the mean squared difference of neighbours over the variance: unlike the total variation
    it does not grow with a map's contrast.
    """
    steps = np.concatenate([np.diff(grid, axis=0).ravel(), np.diff(grid, axis=1).ravel()])
    return float((steps**2).mean() / (2 * grid.var(ddof=1)))


def draw(context: report.Context) -> Figure:
    """Draw the two mean images and their difference, and below them the maps."""
    options = FigureOptions(**context.options)
    methods = list(context.methods)
    columns = max(3, len(methods))
    side = options.width / columns
    figure = Figure(figsize=(options.width, 2 * side * 1.12))
    axes: Any = figure.subplots(2, columns, squeeze=False)
    for panel in axes.ravel():
        panel.axis("off")
    first = _map(context.rows, methods[0], "mean_first")
    second = _map(context.rows, methods[0], "mean_second")
    params = context.config.params
    digits_ = (params.get("first", 3), params.get("second", 5))
    top = [
        (f"mean {digits_[0]}", first, "Greys"),
        (f"mean {digits_[1]}", second, "Greys"),
        ("absolute difference", np.abs(first - second), "viridis"),
    ]
    for panel, (title, image, colours) in zip(axes[0], top, strict=False):
        panel.imshow(image, cmap=colours)
        panel.set_title(title, fontsize=8)
    for panel, method in zip(axes[1], methods, strict=False):
        panel.imshow(_map(context.rows, method, "importance"), cmap="viridis")
        panel.set_title(f"importance, {context.label(method)}", fontsize=8)
    figure.tight_layout(pad=0.5)
    return figure


def _map(rows: pd.DataFrame, method: str, metric: str) -> Floats:
    """Return the mean of a map over the repetitions, as an image."""
    mine = rows[(rows["method"] == method) & (rows["metric"] == metric) & rows["pixel"].notna()]
    values = mine.groupby("pixel")["value"].mean().sort_index().to_numpy(float)
    side = round(len(values) ** 0.5)
    image: Floats = values.reshape(side, -1)
    return image
