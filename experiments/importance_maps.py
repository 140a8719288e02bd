"""Maps of the pixels that classifiers of two digits use."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.stats import spearmanr

from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.datasets.mnist import Digits
from geoforest_cli.study.experiment import Experiment, Model, Params, Row, Task, Uses, drawing

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from geoforest_cli.study.experiment import Context

Floats = npt.NDArray[np.float64]


class MapParams(Params):
    """Parameters of one cell; `n` images of each digit."""

    data: Annotated[Literal["mnist", "digits"], Uses(DATASETS)]
    first: Annotated[int, Field(ge=0, le=9)] = 3
    second: Annotated[int, Field(ge=0, le=9)] = 5
    n: Annotated[int, Field(ge=5)] = 100


@drawing
class Size(Model):
    """The width in inches."""

    width: float = 6.0


class ImportanceMaps(Experiment[MapParams]):
    """Train on images of two digits, report the share of every pixel in the chosen projections.

    And how smooth the map is, how much of it lies on pixels that never vary, and how it follows
    the difference of the two mean images (MORF, Figure 4).
    """

    version = 2
    methods = ("classifier",)
    yields = (
        "importance", "mean_first", "mean_second", "total_variation", "geary", "background",
        "spearman",
    )  # fmt: skip
    detail = ("pixel",)
    figure = Size

    def run_cell(self, task: Task[MapParams]) -> list[Row]:
        """Train; return the map and what can be said of it in numbers."""
        params = task.params
        data = _data(params.data)
        rng = task.rng("repetition")
        images = []
        for digit in (params.first, params.second):
            rows = np.flatnonzero(data.train_labels == digit)
            images.append(data.train[rng.choice(rows, params.n, replace=False)])
        X = np.concatenate(images).astype(np.float64)
        y = np.repeat([0, 1], params.n)
        importance: Floats = task.build_method().fit(X, y).projection_shares_
        means = [part.mean(axis=0) for part in images]
        grid = importance.reshape(data.shape)
        variation = np.abs(np.diff(grid, axis=0)).sum() + np.abs(np.diff(grid, axis=1)).sum()
        follows = spearmanr(importance, np.abs(means[0] - means[1])).statistic
        maps = {"importance": importance, "mean_first": means[0], "mean_second": means[1]}
        return [
            Row("total_variation", float(variation)),
            Row("geary", _geary(grid)),
            Row("background", float(importance[X.var(axis=0) == 0].sum())),
            Row("spearman", float(follows)),
            *(
                Row(metric, float(value), pixel=pixel)
                for metric, values in maps.items()
                for pixel, value in enumerate(values)
            ),
        ]

    @drawing
    def draw(self, context: Context) -> Figure:
        """Draw the two mean images and their difference; maps of one fit, and their means."""
        from matplotlib.figure import Figure

        options = Size.model_validate(context.options)
        methods = list(context.methods)
        columns = max(3, len(methods))
        side = options.width / columns
        figure = Figure(figsize=(options.width, 3 * side * 1.12))
        axes: Any = figure.subplots(3, columns, squeeze=False)
        for panel in axes.ravel():
            panel.axis("off")
        rows = context.rows
        first, second = (_map(rows, methods[0], f"mean_{name}") for name in ("first", "second"))
        fits = rows["repetition"].nunique()
        params = context.config.params
        top = [
            (f"mean {params.get('first', 3)}", first, "Greys"),
            (f"mean {params.get('second', 5)}", second, "Greys"),
            ("absolute difference", np.abs(first - second), "viridis"),
        ]
        for panel, (title, image, colours) in zip(axes[0], top, strict=False):
            panel.imshow(image, cmap=colours)
            panel.set_title(title, fontsize=8)
        single = rows[rows["repetition"] == rows["repetition"].min()]
        for panels, part, name in ((axes[1], single, "one fit"), (axes[2], rows, f"{fits} fits")):
            for panel, method in zip(panels, methods, strict=False):
                panel.imshow(_map(part, method, "importance"), cmap="viridis")
                panel.set_title(f"{context.label(method)}, {name}", fontsize=8)
        figure.tight_layout(pad=0.5)
        return figure


@functools.cache
def _data(name: str) -> Digits:
    images: Digits = DATASETS[name].load()()
    return images


def _geary(grid: Floats) -> float:
    """Geary's C of an image: 0 if neighbouring pixels are alike, about 1 if they are unrelated.

    Half the mean squared difference of neighbours over the variance: unlike the total variation
    it does not grow with a map's contrast.
    """
    steps = np.concatenate([np.diff(grid, axis=0).ravel(), np.diff(grid, axis=1).ravel()])
    return float((steps**2).mean() / (2 * grid.var(ddof=1)))


@drawing
def _map(rows: pd.DataFrame, method: str, metric: str) -> Floats:
    """Return the mean of a map over the repetitions, as an image."""
    mine = rows[(rows["method"] == method) & (rows["metric"] == metric) & rows["pixel"].notna()]
    values = mine.groupby("pixel")["value"].mean().sort_index().to_numpy(float)
    side = round(len(values) ** 0.5)
    image: Floats = values.reshape(side, -1)
    return image
