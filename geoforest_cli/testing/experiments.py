"""Tests that hold for every experiment."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import ValidationError

from geoforest_cli.core import user_modules
from geoforest_cli.study import plan as planning
from geoforest_cli.study.engine.row_checks import require_complete, tidy_rows
from geoforest_cli.study.experiment import Row
from geoforest_cli.study.plan.cells import Plan, PlanEntry
from geoforest_cli.testing.chance import seeded_globally

__all__ = ["ExperimentTests"]

_load = functools.cache(planning.load)


class ExperimentTests:
    """Tests of an experiment, through a config that runs it.

    Attributes
    ----------
    config : str or Path
        File or name of a config; its smallest profile is enough.
    profile : str
    """

    config: ClassVar[Any] = None
    profile: ClassVar[str] = "smoke"

    @pytest.fixture
    def plan(self) -> Plan:
        """Return the plan of the config, without methods that cannot be had here."""
        if self.config is None:
            raise TypeError(f"{type(self).__name__} must name a config: config = 'mine.yaml'")
        return planned(self.config, self.profile)

    @pytest.fixture
    def places(self, plan: Plan) -> list[PlanEntry]:
        """Return the first cell of each method and variant."""
        return first_places(plan)

    @pytest.fixture
    def inner_places(self, places: list[PlanEntry]) -> list[PlanEntry]:
        """Return the cells that are tried with single inner values."""
        return places

    def test_cells_yield_what_is_declared(self, plan: Plan, places: list[PlanEntry]) -> None:
        """One row for each metric and value that is asked for; some are numbers."""
        experiment = plan.experiment
        for entry in places:
            rows = run_cell(plan, entry)
            tidy = tidy_rows(rows, (*experiment.inner, *experiment.detail))
            require_complete(tidy, experiment.yields, entry.inner)
            defined = [row.value for row in rows if row.status == "ok"]
            assert not all(math.isnan(value) for value in defined) or not defined

    def test_inner_values_do_not_depend_on_one_another(
        self, plan: Plan, inner_places: list[PlanEntry]
    ) -> None:
        """One that is missing from the store is computed alone."""
        for entry in inner_places:
            inner = dict(entry.inner)
            if len(inner.get("k", ())) == 1:
                inner["k"] = (3, *(k for k in inner["k"] if k != 3))
            together = run_cell(plan, entry, inner)
            for name, values in inner.items():
                alone = [
                    row
                    for value in values
                    for row in run_cell(plan, entry, {**inner, name: (value,)})
                ]
                assert comparable(alone) == comparable(together)

    def test_a_cell_is_the_same_again(self, plan: Plan, places: list[PlanEntry]) -> None:
        """Its rows come from the seeds of its task; times are measured, and differ."""
        if plan.experiment.measured:
            return
        entry = places[0]
        outcomes = []
        for seed in (1, 2):
            with seeded_globally(seed):
                outcomes.append(comparable(run_cell(plan, entry)))
        assert outcomes[0] == outcomes[1]

    def test_what_is_misspelt_is_refused(self, plan: Plan, places: list[PlanEntry]) -> None:
        """A parameter that is not there is an error, not a default."""
        given = {**places[0].cell.setting.params, **places[0].inner}
        plan.experiment.params.model_validate(given)
        with pytest.raises(ValidationError):
            plan.experiment.params.model_validate({**given, "no_such_parameter": 1})


def planned(config: str | Path, profile: str) -> Plan:
    """Return the plan of a config, without methods that cannot be had here."""
    whole = _load(config, profile)
    kept = whole.without(whole.unavailable())
    kept.prepare()
    return kept


def first_places(plan: Plan) -> list[PlanEntry]:
    """Return where each method and variant stands first."""
    seen: dict[tuple[str, str], PlanEntry] = {}
    for entry in plan.entries:
        seen.setdefault((entry.method, entry.variant), entry)
    return list(seen.values())


def run_cell(plan: Plan, entry: PlanEntry, inner: Any = None) -> list[Row]:
    """Return the rows of a cell, with the inner values of the config or others."""
    with user_modules.searched_in(*entry.cell.setting.folders):
        task = entry.cell.task(entry.inner if inner is None else inner, plan.experiment)
        return plan.experiment.run_cell(task)


def comparable(rows: Iterable[Row]) -> list[tuple[str, str, str, str]]:
    """Return the content of rows, NaN equal to itself."""
    return sorted((row.metric, repr(float(row.value)), row.status, repr(row.at)) for row in rows)
