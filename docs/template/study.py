"""The share of a row's nearest neighbours that are of its class, beside columns of noise."""

import numpy as np
from sklearn.datasets import load_iris

from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.study.experiment import Count, Experiment, Inner, Params, Row, Task


class StudyParams(Params):
    """Parameters of one cell: what the config's params and grid may set."""

    noise_columns: int = 0
    k: Inner[Count] = (10,)  # one fit for all its values


class Study(Experiment[StudyParams]):
    """Columns of normal noise stand beside scikit-learn's iris data."""

    methods = ("neighbors",)
    yields = ("same_class",)

    def run_cell(self, task: Task[StudyParams]) -> list[Row]:
        """Fit one method; return the share of neighbours of the own class at each k."""
        points, classes = load_iris(return_X_y=True)
        noise = task.rng("sample").normal(size=(len(points), task.params.noise_columns))
        method = task.build_method().fit(np.hstack([points, noise]))
        rows = []
        for k in task.params.k:
            near = retrieved(method, k, "random", task.rng("ties", k))
            rows.append(Row("same_class", float(np.mean(classes[near] == classes[:, None])), k=k))
        return rows
