"""Two columns of the connectome's embedding: every neuron with its type."""

from typing import Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field

from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.datasets.drosophila import Labelled
from geoforest_cli.problems.manifolds.sample import Components
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.study.experiment import Count, Experiment, Params, Row, Scatter, Task, Uses

Column: TypeAlias = Annotated[int, Field(ge=1, le=6)]


class PictureParams(Params):
    """Parameters of one cell; columns are counted from 1."""

    dataset: Annotated[Literal["drosophila_right", "drosophila_left"], Uses(DATASETS)]
    horizontal: Column = 1
    vertical: Column = 2
    k: Count = 50


class DatasetPicture(Experiment[PictureParams]):
    """Take two columns of the embedding, ask how many of k neighbours there share the type.

    Geodesic Forests, Figure 5, its upper half.
    """

    methods = ("neighbors",)
    yields = ("x", "y", "precision", "precision_all", "lost", "chance")
    detail = ("point", "group")
    figure = Scatter

    def run_cell(self, task: Task[PictureParams]) -> list[Row]:
        """Return precision in the two columns, in all, their difference; and each row's place."""
        params = task.params
        data: Labelled = DATASETS[params.dataset].load()()
        _, classes = np.unique(data.labels, return_inverse=True)
        two = data.points[:, [params.horizontal - 1, params.vertical - 1]]
        scores = {}
        for name, points in (("two", two), ("all", data.points)):
            rng = task.rng("ties", name)
            found = retrieved(task.build_method().fit(points), params.k, "random", rng)
            (scores[name],) = precision_recall(
                Components(classes), found, (params.k,), task.sample_kind, rng
            )
        return [
            Row("precision", scores["two"].precision),
            Row("precision_all", scores["all"].precision),
            Row("lost", scores["all"].precision - scores["two"].precision),
            Row("chance", scores["two"].chance),
            *(
                Row(axis, float(value), point=i, group=str(label))
                for axis, values in zip("xy", two.T, strict=True)
                for i, (value, label) in enumerate(zip(values, data.labels, strict=True))
            ),
        ]
