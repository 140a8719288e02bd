"""Learning distances from given pairs, judged on new points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from geoforest_cli.problems.metrics.distances import (
    mean_average_precision,
    mean_spearman,
    pair_rmse,
)
from geoforest_cli.problems.simulations import SIMILARITIES
from geoforest_cli.study.experiment import (
    Count,
    Curves,
    Experiment,
    Params,
    Row,
    Task,
    Uses,
    drawing,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from geoforest_cli.study.experiment import Context


class DistanceParams(Params):
    """Parameters of one cell."""

    setting: Annotated[Literal["regression", "bilinear", "radial"], Uses(SIMILARITIES)]
    n: Annotated[int, Field(ge=10)]
    test: Annotated[int, Field(ge=20)] = 200
    k: Count = 10


@drawing
class Pictures(Curves):
    """As `Curves`; with `importance`, bars of the features' importances instead."""

    importance: bool = False


class DistanceLearning(Experiment[DistanceParams]):
    """Learn from n points and their pairwise distances, predict those of new points.

    SMERF, Figures 1 and 5.
    """

    methods = ("metric",)
    yields = (
        "map_10", "map_10_truncated", "spearman", "rmse", "max_features", "importance",
        "relevant_found",
    )  # fmt: skip
    detail = ("feature",)
    figure = Pictures

    def run_cell(self, task: Task[DistanceParams]) -> list[Row]:
        """Fit, predict, score; with the importances of a forest."""
        params = task.params
        simulate = SIMILARITIES[params.setting].load()
        X, Z = simulate(params.n, task.rng("sample", "train"))
        new, truth = simulate(params.test, task.rng("sample", "test"))
        model = task.build_method().fit(X, Z)
        predicted = model.pairwise_distances(new)
        rng = task.rng("ties")
        full = mean_average_precision(truth, predicted, params.k, rng)
        short = mean_average_precision(truth, predicted, params.k, rng, truncated=True)
        rows = [
            Row("map_10", full),
            Row("map_10_truncated", short),
            Row("spearman", mean_spearman(truth, predicted)),
            Row("rmse", pair_rmse(truth, predicted)),
        ]
        if hasattr(model, "feature_importances_"):
            importance = model.feature_importances_
            top = set(np.argsort(importance)[-2:].tolist())
            rows.append(Row("max_features", model.best_params_["max_features"]))
            rows.append(Row("relevant_found", float(top == {0, 1})))
            rows += [
                Row("importance", float(value), feature=j + 1) for j, value in enumerate(importance)
            ]
        return rows

    @drawing
    def draw(self, context: Context) -> Figure:
        """Draw the curves of the config's figure section, or the importances."""
        options = Pictures.model_validate(context.options) if context.options else None
        if not options or not options.importance:
            return super().draw(context)
        rows = context.rows
        for column, value in options.where.items():
            rows = rows[rows[column] == value]
        return _bars(
            rows[(rows["metric"] == "importance") & rows["feature"].notna()], options.width
        )


@drawing
def _bars(rows: pd.DataFrame, width: float) -> Figure:
    from matplotlib.figure import Figure

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
