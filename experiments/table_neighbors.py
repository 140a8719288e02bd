"""How many of a row's neighbours in an ordinary table are of its class."""

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from geoforest_cli.experiment import Count, Experiment, Inner, Params, Row, Task
from geoforest_cli.metrics.ranking import retrieved
from geoforest_cli.plan.identity import derive_seed

Table: TypeAlias = Literal["wine", "breast_cancer", "iris", "digits"]
_LOADERS = {
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "iris": datasets.load_iris,
    "digits": datasets.load_digits,
}


class TableParams(Params):
    """What one cell can be told.

    `scaling` is that of the table which the method is given; what the method makes of it is its
    own affair.
    """

    data: Table
    scaling: Literal["raw", "standardised"] = "raw"
    k: Inner[Count] = (10,)


class TableNeighbors(Experiment[TableParams]):
    """Fit one method on a table of scikit-learn's, ask how many near rows are of one class.

    The whole table is the sample: repetitions differ in the method's seed and in random ties.
    """

    methods = ("neighbors",)
    yields = ("same_class", "chance")

    def run_cell(self, task: Task[TableParams]) -> list[Row]:
        """Fit one method; return the share of rows of the own class among k, and by chance."""
        points, labels = _table(task.params)
        method = task.build_method().fit(points)
        sizes = np.bincount(labels)[labels]
        chance = float(np.mean((sizes - 1) / (len(labels) - 1)))
        rows = []
        for k in task.params.k:
            ties = np.random.default_rng(derive_seed(task.metric_seed, k))
            near = retrieved(method, k, "random", ties)
            same = float(np.mean(labels[near] == labels[:, None]))
            rows += [Row("same_class", same, k=k), Row("chance", chance, k=k)]
        return rows


def _table(params: TableParams) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    points, labels = _LOADERS[params.data](return_X_y=True)
    if params.scaling == "standardised":
        points = StandardScaler().fit_transform(points)
    return points, labels
