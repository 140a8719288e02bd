"""Learning distances from given pairs, judged on new points.

One cell learns from n points and their pairwise distances and predicts those of 200 new points
(SMERF, Figures 1 and 5).
"""

from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from pydantic import Field

from geoforest_cli import report
from geoforest_cli.config.cells import Task, derive_seed
from geoforest_cli.config.schema import Model
from geoforest_cli.metrics.distances import mean_average_precision, mean_spearman, pair_rmse
from geoforest_cli.simulations.similarity import SETTINGS

VERSION = 1
KIND = "metric"
INNER = ()
DETAIL = ("feature",)
YIELDS = (
    "map_10", "map_10_truncated", "spearman", "rmse", "max_features", "importance",
    "relevant_found",
)  # fmt: skip


class FigureOptions(report.Curves):
    """As `report.Curves`; with `importance`, bars of the features' importances instead."""

    importance: bool = False


class Params(Model):
    """What one cell of this experiment can be told."""

    setting: Literal["regression", "bilinear", "radial"]
    n: Annotated[int, Field(ge=10)]
    test: Annotated[int, Field(ge=20)] = 200
    k: Annotated[int, Field(ge=1)] = 10


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Fit, predict, score; with the importances of a forest."""
    params: Params = task.params
    draw_sample = SETTINGS[params.setting]
    X, Z = draw_sample(params.n, np.random.default_rng(derive_seed("train", task.sample_seed)))
    new, truth = draw_sample(
        params.test, np.random.default_rng(derive_seed("test", task.sample_seed))
    )
    model = task.build_method().fit(X, Z)
    predicted = model.pairwise_distances(new)
    rng = np.random.default_rng(task.metric_seed)
    full = mean_average_precision(truth, predicted, params.k, rng)
    short = mean_average_precision(truth, predicted, params.k, rng, truncated=True)
    rows: list[dict[str, Any]] = [
        {"metric": "map_10", "value": full},
        {"metric": "map_10_truncated", "value": short},
        {"metric": "spearman", "value": mean_spearman(truth, predicted)},
        {"metric": "rmse", "value": pair_rmse(truth, predicted)},
    ]
    if hasattr(model, "feature_importances_"):
        importance = model.feature_importances_
        top = set(np.argsort(importance)[-2:].tolist())
        rows.append({"metric": "max_features", "value": model.best_params_["max_features"]})
        rows.append({"metric": "relevant_found", "value": float(top == {0, 1})})
        rows += [
            {"metric": "importance", "value": float(value), "feature": j + 1}
            for j, value in enumerate(importance)
        ]
    return rows


def draw(context: report.Context) -> Figure:
    """Draw the curves of the config's figure section, or the importances."""
    options = FigureOptions(**context.options)
    if not options.importance:
        return report.draw_curves(context, options)
    rows = context.rows
    for column, value in options.where.items():
        rows = rows[rows[column] == value]
    return _bars(rows[(rows["metric"] == "importance") & rows["feature"].notna()], options.width)


def _bars(rows: pd.DataFrame, width: float) -> Figure:
    figure = Figure(figsize=(width, 2.4))
    axes = figure.subplots()
    grouped = rows.groupby("feature")["value"]
    mean, low, high = grouped.mean(), grouped.min(), grouped.max()
    places = mean.index.to_numpy(int)
    colours = ["#D55E00" if j <= 2 else "#7F7F7F" for j in places]
    axes.bar(places, mean, color=colours, width=0.75)
    axes.errorbar(places, mean, [mean - low, high - mean], fmt="none", ecolor="black", lw=0.8)
    axes.set_xticks(places)
    axes.set_xlabel("column (bars: mean, lines: range over the repetitions)")
    axes.set_ylabel("importance")
    figure.tight_layout()
    return figure
