"""Seconds, megabytes and errors of classifiers, ours and peers'."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from geoforest_cli.core.machine import Watch
from geoforest_cli.estimators.baselines.isolated import PeerMethod
from geoforest_cli.problems.simulations import SIMULATIONS
from geoforest_cli.study.experiment import Count, Experiment, Params, Row, Task, Uses


class SupervisedTimingParams(Params):
    """Parameters of one cell."""

    data: Annotated[Literal["circle", "bars", "impulse"], Uses(SIMULATIONS)]
    n: Annotated[int, Field(ge=10)]
    test: Annotated[int, Field(ge=10)] = 10_000
    repeats: Count = 3


class SupervisedTiming(Experiment[SupervisedTimingParams]):
    """Warm the classifier up on a small sample, then take the median of several fits.

    Seconds are those of the processor, on one thread; a peer times itself, in a process of its
    own. Megabytes are those by which the process grows while it fits.
    """

    methods = ("classifier",)
    yields = ("train_seconds", "test_seconds", "megabytes", "error")
    measured = True

    def run_cell(self, task: Task[SupervisedTimingParams]) -> list[Row]:
        """Return the medians of training and testing, and the test error."""
        params = task.params
        simulate = SIMULATIONS[params.data].load()
        X, y = simulate(params.n, task.rng("sample", "train"))
        X_test, y_test = simulate(params.test, task.rng("sample", "test"))
        task.build_method().fit(X[:10], y[:10]).predict(X_test[:10])
        training: list[Any] = []
        testing: list[Any] = []
        for _ in range(params.repeats):
            classifier = task.build_method()
            with Watch() as fit:
                classifier.fit(X, y)
            with Watch() as predict:
                found = classifier.predict(X_test)
            its_own = isinstance(classifier, PeerMethod)
            training.append(classifier.spent["fit"] if its_own else fit)
            testing.append(classifier.spent["predict"] if its_own else predict)
        return [
            Row("train_seconds", float(np.median([one.seconds for one in training]))),
            Row("test_seconds", float(np.median([one.seconds for one in testing]))),
            Row("megabytes", float(np.median([one.megabytes for one in training]))),
            Row("error", float(np.mean(found != y_test))),
        ]
