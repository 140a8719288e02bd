"""Seconds to learn a distance from given pairs, ours and a plain program's."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from geoforest_cli.experiment import Experiment, Params, Row, Task, Uses
from geoforest_cli.machine import Watch
from geoforest_cli.metrics.distances import mean_spearman
from geoforest_cli.plan.identity import derive_seed
from geoforest_cli.simulations import SIMILARITIES


class MetricTimingParams(Params):
    """What one cell can be told."""

    setting: Annotated[Literal["regression", "bilinear", "radial"], Uses(SIMILARITIES)]
    n: Annotated[int, Field(ge=20)]
    test: Annotated[int, Field(ge=20)] = 200


class MetricTiming(Experiment[MetricTimingParams]):
    """Learn from n points and their distances, once, after a small fit that pays for compilation.

    Seconds are those of the processor, on one thread.
    """

    methods = ("metric",)
    yields = ("fit_seconds", "predict_seconds", "megabytes", "spearman")
    measured = True

    def run_cell(self, task: Task[MetricTimingParams]) -> list[Row]:
        """Return the seconds of learning and of predicting, and how good the prediction is."""
        params = task.params
        simulate = SIMILARITIES[params.setting].load()
        X, Z = simulate(params.n, np.random.default_rng(derive_seed("train", task.sample_seed)))
        new, truth = simulate(
            params.test, np.random.default_rng(derive_seed("test", task.sample_seed))
        )
        task.build_method().fit(X[:20], Z[:20, :20]).pairwise_distances(new[:20])
        model = task.build_method()
        with Watch() as fit:
            model.fit(X, Z)
        with Watch() as predict:
            predicted = model.pairwise_distances(new)
        return [
            Row("fit_seconds", fit.seconds),
            Row("predict_seconds", predict.seconds),
            Row("megabytes", fit.megabytes),
            Row("spearman", mean_spearman(truth, predicted)),
        ]
