"""What the parts of a run hand to each other stays as it was made."""

from dataclasses import FrozenInstanceError, fields

import pytest

from geoforest_cli.study.engine import driver, pending, preview, provenance, rows, store
from geoforest_cli.study.engine.executors import contract, payload, worker
from geoforest_cli.study.plan import cells, points

VALUES = [
    driver.Failure, driver.RunResult, pending.PlanState, preview.Group, preview.Preview,
    provenance.Clock, rows.Collected, store.Record, contract.Started, contract.Outcome,
    contract.Note, payload.Payload, worker.CellTask, cells.Setting, cells.Cell, cells.Job,
    cells.PlanEntry, cells.Plan, points.Axes, points.Point,
]  # fmt: skip


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_nobody_changes_what_others_have_too(kind):
    for field in fields(kind):
        with pytest.raises(FrozenInstanceError):
            setattr(object.__new__(kind), field.name, 0)
