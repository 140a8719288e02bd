"""Seconds to train a classifier and to classify a test set, on one thread."""

import time
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from geoforest_cli.problems.simulations import SIMULATIONS
from geoforest_cli.study.experiment import Count, Experiment, Params, Row, Task, Uses


class TimingParams(Params):
    """Parameters of one cell."""

    data: Annotated[Literal["circle", "bars", "impulse"], Uses(SIMULATIONS)]
    n: Annotated[int, Field(ge=10)]
    test: Annotated[int, Field(ge=10)] = 10_000
    repeats: Count = 3


class ClassifierTiming(Experiment[TimingParams]):
    """Warm the classifier up on a small sample, then take the median of several fits.

    Compilation is not timed; seconds are those of the processor (MORF, Figure 2).
    """

    methods = ("classifier",)
    yields = ("train_seconds", "test_seconds", "error")
    measured = True

    def run_cell(self, task: Task[TimingParams]) -> list[Row]:
        """Return the median seconds of training and testing, and the test error."""
        params = task.params
        simulate = SIMULATIONS[params.data].load()
        X, y = simulate(params.n, task.rng("sample", "train"))
        X_test, y_test = simulate(params.test, task.rng("sample", "test"))
        task.build_method().fit(X[:10], y[:10]).predict(X_test[:10])
        training, testing = [], []
        for _ in range(params.repeats):
            start = time.process_time()
            classifier = task.build_method().fit(X, y)
            trained = time.process_time()
            found = classifier.predict(X_test)
            training.append(trained - start)
            testing.append(time.process_time() - trained)
        return [
            Row("train_seconds", float(np.median(training))),
            Row("test_seconds", float(np.median(testing))),
            Row("error", float(np.mean(found != y_test))),
        ]
