"""Share of a row's neighbours in a user's own table that are of its class."""

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import model_validator
from sklearn.preprocessing import StandardScaler

from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.study.experiment import Count, Experiment, Inner, Params, Row, Task, Uses
from geoforest_cli.tables.labelled import TABLES, labelled


class OwnTableParams(Params):
    """Parameters of one cell.

    `table` is a file beside the config (CSV, TSV, Parquet), `label` its column of classes,
    `columns` those to use; by default all numbers and categories. `scaling` is that of the table
    which the method is given.
    """

    table: Annotated[str, Uses(TABLES)]
    label: str
    columns: tuple[str, ...] = ()
    scaling: Literal["raw", "standardised"] = "raw"
    k: Inner[Count] = (10,)

    @model_validator(mode="after")
    def _readable(self) -> Self:
        rows = len(labelled(self.table, self.label, self.columns).points)
        if max(self.k) >= rows:
            raise ValueError(f"k={max(self.k)}: the table has {rows} rows")
        return self


class OwnNeighbors(Experiment[OwnTableParams]):
    """Fit one method on a user's own table, ask how many near rows are of one class.

    The whole table is the sample: repetitions differ in the method's seed and in random ties.
    """

    methods = ("neighbors",)
    yields = ("same_class", "chance")

    def run_cell(self, task: Task[OwnTableParams]) -> list[Row]:
        """Fit one method; return the share of rows of the own class among k, and by chance."""
        params = task.params
        points, classes, _ = labelled(params.table, params.label, params.columns)
        if params.scaling == "standardised":
            points = StandardScaler().fit_transform(points)
        method = task.build_method().fit(points)
        sizes = np.bincount(classes)[classes]
        chance = float(np.mean((sizes - 1) / (len(classes) - 1)))
        rows = []
        for k in params.k:
            ties = task.rng("ties", k)
            near = retrieved(method, k, "random", ties)
            same = float(np.mean(classes[near] == classes[:, None]))
            rows += [Row("same_class", same, k=k), Row("chance", chance, k=k)]
        return rows
