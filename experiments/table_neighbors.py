"""Share of a row's neighbours in an ordinary table that are of its class, noise columns beside."""

from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from geoforest_cli.estimators.methods import build
from geoforest_cli.estimators.screening.neighbors import ScreenedNeighbors
from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.problems.metrics.screening import selection_scores
from geoforest_cli.study.experiment import Count, Experiment, Inner, Params, Row, Task, Uses

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Table: TypeAlias = Literal["wine", "breast_cancer", "iris", "digits", "drosophila_right"]
_LOADERS = {
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "iris": datasets.load_iris,
    "digits": datasets.load_digits,
}


class TableParams(Params):
    """Parameters of one cell.

    `scaling` is that of the table which the method is given; what the method makes of it is its
    own affair. Normal noise columns are appended before: each as wide as one of the table's own,
    in turn.
    """

    data: Annotated[Table, Uses(DATASETS)]
    scaling: Literal["raw", "standardised"] = "raw"
    noise_dims: Annotated[int, Field(ge=0)] = 0
    k: Inner[Count] = (10,)


class TableNeighbors(Experiment[TableParams]):
    """Fit one method on a table of scikit-learn's, ask how many near rows are of one class.

    The whole table is the sample: repetitions differ in the noise columns, in the method's seed
    and in random ties. A screened method also tells what its screen kept, where a column of the
    table counts as wanted, whether or not it has to do with the classes; and how much is `lost`
    against the same method, without a screen, on the table without noise columns.
    """

    methods = ("neighbors",)
    yields = ("same_class", "chance", "lost", "power", "false_share", "found_all")

    def run_cell(self, task: Task[TableParams]) -> list[Row]:
        """Fit one method; return the share of rows of the own class among k, and by chance."""
        points, labels = _table(task.params, task.seed("sample"))
        method = task.build_method().fit(points)
        sizes = np.bincount(labels)[labels]
        chance = float(np.mean((sizes - 1) / (len(labels) - 1)))
        rows = []
        for k in task.params.k:
            same = _same(task, method, labels, k)
            rows += [Row("same_class", same, k=k), Row("chance", chance, k=k)]
        if isinstance(method, ScreenedNeighbors):
            own = np.arange(points.shape[1]) < points.shape[1] - task.params.noise_dims
            told = selection_scores(method.screen_.get_support(), own)
            names = "power", "false_share", "found_all"
            rows += [Row(name, getattr(told, name), k=k) for name in names for k in task.params.k]
            clean = _clean(task)
            for row in [row for row in rows if row.metric == "same_class"]:
                at = row.at["k"]
                rows.append(Row("lost", _same(task, clean, labels, at) - row.value, k=at))
        return rows


def _same(task: Task[TableParams], method: Any, labels: Integers, k: Any) -> float:
    ties = task.rng("ties", k)
    near = retrieved(method, k, "random", ties)
    return float(np.mean(labels[near] == labels[:, None]))


def _clean(task: Task[TableParams]) -> Any:
    """Fit the method behind a screen on the same table without noise columns."""
    params = task.params.model_copy(update={"noise_dims": 0})
    points, _ = _table(params, task.seed("sample"))
    given = task.method_params
    method = build(given["method"], given["params"] or {}, seed=task.seed("method"), n_jobs=1)
    return method.fit(points)


def _table(params: TableParams, seed: int) -> tuple[Floats, Integers]:
    if params.data == "drosophila_right":
        data = DATASETS[params.data].load()()
        points, labels = data.points, np.unique(data.labels, return_inverse=True)[1]
    else:
        points, labels = _LOADERS[params.data](return_X_y=True)
    widths = points.std(axis=0)
    widths = widths[widths > 0]
    shape = len(points), params.noise_dims
    noise = np.random.default_rng(seed).normal(size=shape)
    points = np.hstack([points, noise * np.resize(widths, params.noise_dims)])
    if params.scaling == "standardised":
        points = StandardScaler().fit_transform(points)
    return points, labels
