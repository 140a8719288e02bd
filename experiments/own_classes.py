"""Errors of classifiers on a user's own table, each repetition one random split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from geoforest_cli.study.experiment import Boxes, Experiment, Params, Row, Task, Uses, drawing
from geoforest_cli.tables.labelled import TABLES, labelled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from geoforest_cli.study.experiment import Context


class OwnClassesParams(Params):
    """Parameters of one cell.

    `table` is a file beside the config (CSV, TSV, Parquet), `label` its column of classes,
    `columns` those to use; by default all numbers and categories. `test` is the share of rows
    that is held out, of every class alike; columns are scaled by the other rows.
    """

    table: Annotated[str, Uses(TABLES)]
    label: str
    columns: tuple[str, ...] = ()
    test: Annotated[float, Field(gt=0, lt=1)] = 0.3
    scaling: Literal["raw", "standardised"] = "raw"

    @model_validator(mode="after")
    def _readable(self) -> Self:
        found = labelled(self.table, self.label, self.columns)
        sizes = np.bincount(found.classes)
        if sizes.min() < 2:
            rare = found.names[int(np.argmin(sizes))]
            raise ValueError(f"the class {rare!r} has one row: none to train or none to test")
        classes, rows = len(sizes), len(found.classes)
        if not classes <= round(self.test * rows) <= rows - classes:
            raise ValueError(
                f"test={self.test}: each part of {rows} rows must hold all {classes} classes"
            )
        return self


class OwnClasses(Experiment[OwnClassesParams]):
    """Train on a random part of a table, test on the rest.

    The split is the same for all methods of a repetition. Splits of one table overlap: intervals
    over them tell of the splits, not of other tables.
    """

    methods = ("classifier",)
    yields = ("error", "largest_class")
    figure = Boxes

    def run_cell(self, task: Task[OwnClassesParams]) -> list[Row]:
        """Train, test; return the error, and that of always naming the largest class."""
        params = task.params
        points, classes, _ = labelled(params.table, params.label, params.columns)
        seed = task.seed("repetition", "split") % 2**32
        train, test = train_test_split(
            np.arange(len(classes)), test_size=params.test, stratify=classes, random_state=seed
        )
        if params.scaling == "standardised":
            points = StandardScaler().fit(points[train]).transform(points)
        model = task.build_method().fit(points[train], classes[train])
        error = float(np.mean(model.predict(points[test]) != classes[test]))
        largest = int(np.argmax(np.bincount(classes[train])))
        return [
            Row("error", error),
            Row("largest_class", float(np.mean(classes[test] != largest))),
        ]

    @drawing
    def draw(self, context: Context) -> Figure:
        """Draw boxes of the error over the splits."""
        from geoforest_cli.study.figures.boxes import draw_boxes

        options = Boxes.model_validate(context.options) if context.options else Boxes(y="error")
        return draw_boxes(context, options)
