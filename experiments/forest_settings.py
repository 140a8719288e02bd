"""One score for neighbours on simulated manifolds and on real tables, among noise of any kind."""

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field
from sklearn import datasets

from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import NoiseKind, add_noise, min_max
from geoforest_cli.problems.manifolds.sample import SampleKind
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import retrieved
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

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
# (score, chance) of the (N, k) neighbours found
Judge: TypeAlias = Callable[[Integers, np.random.Generator], tuple[float, float]]

_OF_SCIKIT_LEARN = {
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "iris": datasets.load_iris,
    "digits": datasets.load_digits,
}
_WITH_CLASSES = ("banknote", "drosophila_right", "drosophila_left")
_WITH_RESPONSE = ("concrete", "ccpp")
_TABLES = (*_OF_SCIKIT_LEARN, *_WITH_CLASSES, *_WITH_RESPONSE)


def _known(name: str) -> str:
    if name not in _TABLES and name not in MANIFOLDS:
        allowed = ", ".join((*MANIFOLDS, *_TABLES))
        raise ValueError(f"unknown setting {name!r} (known: {allowed})")
    return name


SettingName: TypeAlias = Annotated[str, AfterValidator(_known), Uses(MANIFOLDS, DATASETS)]


class SettingParams(Params):
    """Parameters of one cell.

    A setting is a manifold, of which `n` points are drawn, or a table, of whose rows `n` are
    drawn if it has more. Noise columns of variance 70 are appended, then every column is scaled
    to [0, 1], so that no width tells signal from noise.
    """

    setting: SettingName
    n: Annotated[int, Field(ge=10)] = 500
    noise_dims: Annotated[int, Field(ge=0)] = 0
    noise_kind: AfterDraw[NoiseKind] = "normal"
    k: Inner[Count] = (20,)


class ForestSettings(Experiment[SettingParams]):
    """Fit one method, score its k nearest points: 1 is perfect everywhere.

    On a manifold the score is geodesic precision (Geodesic Forests, section 4); on a table with
    classes the share of neighbours of the own class; on one with a response the part of its
    variance in which neighbours do not differ, 1 - mean((y_i - y_j)^2) / (2 var y).
    """

    methods = ("neighbors",)
    yields = ("score", "chance")

    def run_cell(self, task: Task[SettingParams]) -> list[Row]:
        """Fit one method on one sample; return its score at each k, and that of chance."""
        points, judge = _draw(task.params, task.sample_kind, task.seed("sample"))
        method = task.build_method().fit(points)
        rows = []
        for k in task.params.k:
            rng = task.rng("ties", k)
            score, chance = judge(retrieved(method, k, "random", rng), rng)
            rows += [Row("score", score, k=k), Row("chance", chance, k=k)]
        return rows


def _draw(params: SettingParams, kind: SampleKind, seed: int) -> tuple[Floats, Judge]:
    rng = np.random.default_rng(seed)
    if params.setting in _TABLES:
        points, told = _table(params.setting)
        chosen = rng.permutation(len(points))[: params.n]
        points = points[chosen]
        judge = _by_response if params.setting in _WITH_RESPONSE else _by_class
        judged = judge(told[chosen])
    else:
        sample = MANIFOLDS[params.setting].load()(params.n, kind, rng)
        points = sample.points
        judged = _by_geodesic(sample.truth, kind)
    noisy = add_noise(points, params.noise_dims, 70.0, rng, params.noise_kind)
    return min_max(noisy), judged


def _table(name: str) -> tuple[Floats, npt.NDArray[Any]]:
    if name in _OF_SCIKIT_LEARN:
        points, classes = _OF_SCIKIT_LEARN[name](return_X_y=True)
        return np.asarray(points, np.float64), classes
    data = DATASETS[name].load()()
    return data.points, data.response if name in _WITH_RESPONSE else data.labels


def _by_geodesic(truth: Any, kind: SampleKind) -> Judge:
    def judge(near: Integers, rng: np.random.Generator) -> tuple[float, float]:
        (found,) = precision_recall(truth, near, (near.shape[1],), kind, rng)
        return found.precision, found.chance

    return judge


def _by_class(labels: npt.NDArray[Any]) -> Judge:
    _, classes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    chance = float(np.mean((sizes[classes] - 1) / (len(labels) - 1)))
    return lambda near, _: (float(np.mean(classes[near] == classes[:, None])), chance)


def _by_response(y: Floats) -> Judge:
    n = len(y)

    def judge(near: Integers, rng: np.random.Generator) -> tuple[float, float]:
        del rng
        # between two different rows drawn at random the mean is 2 var y n / (n - 1)
        return float(1.0 - np.mean((y[near] - y[:, None]) ** 2) / (2.0 * np.var(y))), -1.0 / (n - 1)

    return judge
