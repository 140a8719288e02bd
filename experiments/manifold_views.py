"""The simulated manifolds in three dimensions, coloured by distance from one point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.stats import rankdata

from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise
from geoforest_cli.problems.manifolds.sample import Components, Sample
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.problems.simulations import SIMILARITIES
from geoforest_cli.study.experiment import (
    Count,
    Experiment,
    ManifoldName,
    Model,
    Params,
    Row,
    Task,
    drawing,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from geoforest_cli.study.experiment import Context

Floats = npt.NDArray[np.float64]


class ViewParams(Params):
    """Parameters of one cell."""

    manifold: ManifoldName
    n: Annotated[int, Field(ge=10)] = 1000
    noise_dims: Annotated[int, Field(ge=0)] = 0
    noise_variance: Annotated[float, Field(ge=0)] = 70.0
    k: Count = 50


@drawing
class Views(Model):
    """Style of the views; angles in degrees, sizes in inches.

    With `similarity` the three simulated distances of SMERF are drawn instead (its Figure 4 is
    the radial one): the first two of 20 columns, coloured by the distance from one point.
    """

    elevation: float = 22.0
    azimuth: float = -58.0
    width: float = 7.0
    row_height: float = 1.6
    similarity: bool = False


class ManifoldViews(Experiment[ViewParams]):
    """Draw a manifold, fit a method on it, rank all points by their distance from one of them.

    Along the manifold and as the method has it (Geodesic Forests, Figure 1).
    """

    methods = ("neighbors",)
    yields = ("x", "y", "z", "true_rank", "rank", "precision", "chance")
    detail = ("point",)
    figure = Views

    def run_cell(self, task: Task[ViewParams]) -> list[Row]:
        """Return each point's place and its ranks (0 to 1) from the query, and precision at k."""
        params = task.params
        rng = task.rng("sample")
        sample: Sample = MANIFOLDS[params.manifold].load()(params.n, task.sample_kind, rng)
        points = add_noise(sample.points, params.noise_dims, params.noise_variance, rng)
        method = task.build_method().fit(points)
        query = _query(sample.points)
        truth = sample.truth
        if isinstance(truth, Components):
            true = (truth.labels != truth.labels[query]).astype(float)
        else:
            true = truth.distances()[query]
        ranks = {"true_rank": _ranks(true), "rank": _ranks(method.distances()[query])}
        columns = dict(zip("xyz", sample.points.T, strict=True)) | ranks
        rng = task.rng("ties")
        neighbors = retrieved(method, params.k, "random", rng)
        (score,) = precision_recall(truth, neighbors, (params.k,), task.sample_kind, rng)
        return [
            Row("precision", score.precision),
            Row("chance", score.chance),
            *(
                Row(name, float(value), point=i)
                for name, values in columns.items()
                for i, value in enumerate(values)
            ),
        ]

    @drawing
    def draw(self, context: Context) -> Figure:
        """Draw one column of views per manifold: the truth, then each method."""
        options = Views.model_validate(context.options)
        if options.similarity:
            return _similarity(options.width, context.config.seed)
        return _views(context, options)


def _query(points: Floats) -> int:
    """Choose a point on the outside: the one with the largest last coordinate but a tenth."""
    return int(np.argsort(points[:, -1])[int(0.9 * len(points))])


def _ranks(distances: Floats) -> Floats:
    filled = np.nan_to_num(distances, nan=np.inf, posinf=np.finfo(float).max)
    ranks: Floats = (rankdata(filled) - 1) / (len(filled) - 1)
    return ranks


@drawing
def _views(context: Context, options: Views) -> Figure:
    from matplotlib.figure import Figure

    words = {"gaussian_mixture": "Gaussian mixture"}
    manifolds = context.values("manifold")
    names = ["truth", *context.methods]
    foot, head, left = 0.6, 0.25, 0.75
    height = options.row_height * len(names) + foot + head
    figure = Figure(figsize=(options.width, height))
    dots = None
    for j, manifold in enumerate(manifolds):
        for i, name in enumerate(names):
            method = context.methods[0] if name == "truth" else name
            table = _table(context.rows, manifold, method)
            width = (options.width - left) / len(manifolds)
            bottom = height - head - (i + 1) * options.row_height
            place = (
                (left + j * width) / options.width,
                bottom / height,
                width / options.width,
                options.row_height / height,
            )
            axes: Any = figure.add_axes(place, projection="3d")
            shade = table["true_rank" if name == "truth" else "rank"]
            dots = axes.scatter(
                table["x"], table["y"], table["z"], c=shade, cmap="viridis", vmin=0, vmax=1,
                s=3, linewidths=0, depthshade=False, rasterized=True,
            )  # fmt: skip
            query = table.loc[_query(table[["x", "y", "z"]].to_numpy())]
            axes.scatter(
                *query[["x", "y", "z"]], marker="*", s=60, c="#D55E00", edgecolors="white",
                linewidths=0.4, depthshade=False, zorder=10,
            )  # fmt: skip
            axes.view_init(options.elevation, options.azimuth)
            axes.set_box_aspect((1, 1, 1), zoom=1.18)
            for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
                axis.set_ticklabels([])
                axis.set_tick_params(length=0)
            if i == 0:
                word = words.get(str(manifold), str(manifold).replace("_", " "))
                middle = (left + (j + 0.5) * width) / options.width
                figure.text(middle, 1 - 0.14 / height, word, ha="center", va="center", fontsize=9)
            if j == 0:
                label = "truth" if name == "truth" else context.label(name)
                figure.text(
                    0.35 / options.width, (bottom + options.row_height / 2) / height, label,
                    ha="center", va="center", rotation=90, fontsize=8.5,
                )  # fmt: skip
    bar = figure.add_axes((0.36, 0.33 / height, 0.4, 0.07 / height))
    assert dots is not None
    figure.colorbar(dots, cax=bar, orientation="horizontal", ticks=[0, 0.5, 1])
    bar.tick_params(labelsize=7, length=2)
    note = "rank of the distance from the star"
    figure.text(0.34, 0.365 / height, note, ha="right", va="center", fontsize=7)
    return figure


@drawing
def _similarity(width: float, seed: int) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, width / 3 + 0.1), layout="constrained")
    for panel, (name, entry) in zip(figure.subplots(1, 3), SIMILARITIES.items(), strict=True):
        X, Z = entry.load()(1000, np.random.default_rng(seed))
        # one point in the upper right, where the distances differ most
        query = int(np.argsort(X[:, :2].sum(axis=1))[-50])
        dots = panel.scatter(X[:, 0], X[:, 1], c=Z[query], cmap="viridis", s=5, linewidths=0)
        panel.plot(*X[query, :2], "*", color="#D55E00", markersize=11, markeredgecolor="white")
        panel.set_box_aspect(1)
        panel.set_title(name)
        panel.set_xlabel("first column")
        figure.colorbar(dots, ax=panel, shrink=0.75, pad=0.03)
    figure.axes[0].set_ylabel("second column")
    return figure


@drawing
def _table(rows: pd.DataFrame, manifold: Any, method: str) -> pd.DataFrame:
    """Return one row per point: x, y, z, true_rank, rank; of the first repetition."""
    mine = rows[
        (rows["manifold"] == manifold)
        & (rows["method"] == method)
        & rows["point"].notna()
        & (rows["repetition"] == rows["repetition"].min())
    ]
    table = mine.pivot_table(index="point", columns="metric", values="value", aggfunc="first")
    ordered: pd.DataFrame = table.sort_index()
    return ordered
