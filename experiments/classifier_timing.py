"""Seconds to train a classifier and to classify a test set, on one thread.

One cell warms the classifier up on a small sample (compilation is not timed), then takes the
median processor time of several fits and predictions (MORF, Figure 2).
"""

import time
from typing import Annotated, Any, Literal

import numpy as np
from matplotlib.figure import Figure
from pydantic import Field

from geoforest_cli import report
from geoforest_cli.config.cells import Task, derive_seed
from geoforest_cli.config.schema import Model
from geoforest_cli.simulations.structured import SIMULATIONS

VERSION = 1
KIND = "classifier"
INNER = ()
YIELDS = ("train_seconds", "test_seconds", "error")
FigureOptions = report.Curves


class Params(Model):
    """What one cell of this experiment can be told."""

    data: Literal["circle", "bars", "impulse"]
    n: Annotated[int, Field(ge=10)]
    test: Annotated[int, Field(ge=10)] = 10_000
    repeats: Annotated[int, Field(ge=1)] = 3


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Return the median seconds of training and testing, and the test error."""
    params: Params = task.params
    simulate = SIMULATIONS[params.data]
    X, y = simulate(params.n, np.random.default_rng(derive_seed("train", task.sample_seed)))
    X_test, y_test = simulate(
        params.test, np.random.default_rng(derive_seed("test", task.sample_seed))
    )
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
        {"metric": "train_seconds", "value": float(np.median(training))},
        {"metric": "test_seconds", "value": float(np.median(testing))},
        {"metric": "error", "value": float(np.mean(found != y_test))},
    ]


def draw(context: report.Context) -> Figure:
    """Draw the curves that the config's figure section describes."""
    return report.draw_curves(context, FigureOptions(**context.options))
