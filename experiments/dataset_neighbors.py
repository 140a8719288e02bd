"""Precision and recall of neighbour methods on a real data set with classes."""

from typing import Annotated, Literal

import numpy as np

from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.datasets.drosophila import Labelled
from geoforest_cli.problems.manifolds.sample import Components
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import Ties, retrieved
from geoforest_cli.study.experiment import Count, Experiment, Inner, Params, Row, Task, Uses


class NeighborParams(Params):
    """Parameters of one cell."""

    dataset: Annotated[
        Literal["drosophila_right", "drosophila_left", "banknote", "galaxy_zoo"], Uses(DATASETS)
    ]
    k: Inner[Count] = (50,)


class DatasetNeighbors(Experiment[NeighborParams]):
    """Fit one method, ask how many of the k points it holds nearest share the query's class.

    Two points are truly near if they are of one class (Geodesic Forests, section 4.4).
    """

    methods = ("neighbors",)
    yields = ("precision", "recall", "chance", "recall_chance")

    def run_cell(self, task: Task[NeighborParams]) -> list[Row]:
        """Fit one method on the data; return precision, recall and both by chance, at each k."""
        data: Labelled = DATASETS[task.params.dataset].load()()
        _, classes = np.unique(data.labels, return_inverse=True)
        truth = Components(classes)
        method = task.build_method().fit(data.points)
        as_run = task.variant == "as_run"
        ties: Ties = "index" if as_run else "random"
        others = (np.bincount(classes)[classes] - 1).astype(float)
        # as run, the query is one of its own class
        found_by_chance = others / (others + as_run) / (len(classes) - 1)
        share = float(np.mean(found_by_chance[others > 0]))
        rows = []
        for k in task.params.k:
            rng = np.random.default_rng([task.seed("ties"), k])
            neighbors = retrieved(method, k, ties, rng)
            (score,) = precision_recall(truth, neighbors, (k,), task.sample_kind, rng)
            rows += [
                Row("precision", score.precision, k=k),
                Row("recall", score.recall, k=k),
                Row("chance", score.chance, k=k),
                Row("recall_chance", k * share, k=k),
            ]
        return rows
