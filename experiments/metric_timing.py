"""Seconds to learn a distance from given pairs, ours and a plain program's."""

from typing import Annotated, Literal

from pydantic import Field

from geoforest_cli.core.machine import Watch
from geoforest_cli.problems.metrics.distances import mean_spearman
from geoforest_cli.problems.simulations import SIMILARITIES
from geoforest_cli.study.experiment import Experiment, Params, Row, Task, Uses


class MetricTimingParams(Params):
    """Parameters of one cell."""

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
        X, Z = simulate(params.n, task.rng("sample", "train"))
        new, truth = simulate(params.test, task.rng("sample", "test"))
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
