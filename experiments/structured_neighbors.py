"""Share of an image's or a series' neighbours that are of its class."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.ndimage import uniform_filter

from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.datasets.mnist import Digits
from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.problems.simulations import SIMULATIONS
from geoforest_cli.problems.simulations.structured import SHAPES
from geoforest_cli.study.experiment import (
    AfterDraw,
    Count,
    Experiment,
    Inner,
    Params,
    Row,
    Task,
    Uses,
)

Floats = npt.NDArray[np.floating[Any]]
_CYCLIC = {"circle"}


class StructuredParams(Params):
    """Parameters of one cell.

    `smoothed` is the window of a moving mean that every image or series goes through before the
    method sees it, as a share of each side; 0 leaves them as they are.
    """

    data: Annotated[Literal["circle", "bars", "impulse", "digits"], Uses(SIMULATIONS, DATASETS)]
    n: Annotated[int, Field(ge=10)] = 500
    smoothed: AfterDraw[Annotated[float, Field(ge=0, le=1)]] = 0.0
    k: Inner[Count] = (10,)


class Sample(NamedTuple):
    """Images or series, their classes, and their height and width."""

    points: Floats
    labels: npt.NDArray[np.int64]
    shape: tuple[int, int]


class StructuredNeighbors(Experiment[StructuredParams]):
    """Fit one method on images or series, ask how many near rows are of one class.

    Nobody tells the methods about the classes. Every repetition draws a sample of its own; of the
    digits n of all.
    """

    methods = ("neighbors",)
    yields = ("same_class", "chance")

    def run_cell(self, task: Task[StructuredParams]) -> list[Row]:
        """Fit one method; return the share of rows of the own class among k, and by chance."""
        sample = _drawn(task.params, task.seed("sample"))
        points, labels = _smoothed(sample, task.params), sample.labels
        method = task.build_method().fit(points)
        sizes = np.bincount(labels)[labels]
        chance = float(np.mean((sizes - 1) / (len(labels) - 1)))
        rows = []
        for k in task.params.k:
            ties = task.rng("ties", k)
            near = retrieved(method, k, "random", ties)
            same = float(np.mean(labels[near] == labels[:, None]))
            rows += [Row("same_class", same, k=k), Row("chance", chance, k=k)]
        return rows


def _drawn(params: StructuredParams, seed: int) -> Sample:
    rng = np.random.default_rng(seed)
    if params.data in SIMULATIONS:
        points, labels = SIMULATIONS[params.data].load()(params.n, rng)
        return Sample(points, labels, SHAPES[params.data])
    data: Digits = DATASETS[params.data].load()()
    images = np.concatenate([data.train, data.test])
    labels = np.concatenate([data.train_labels, data.test_labels])
    chosen = rng.permutation(len(images))[: params.n]
    return Sample(images[chosen], labels[chosen], data.shape)


def _smoothed(sample: Sample, params: StructuredParams) -> Floats:
    height, width = sample.shape
    window = tuple(max(1, round(params.smoothed * side)) for side in sample.shape)
    if window == (1, 1):
        return sample.points
    images = sample.points.reshape(-1, height, width)
    edge = "wrap" if params.data in _CYCLIC else "reflect"
    found: Floats = uniform_filter(images, (0, *window), mode=edge).reshape(sample.points.shape)
    return found
