"""From a validated config to its cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from geoforest_cli.core.identity import same_numbers
from geoforest_cli.core.processor import processor
from geoforest_cli.core.registry import Entry, parameter_model
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.datasets import DataEntry
from geoforest_cli.study.config.schema import Config, Method, Variant
from geoforest_cli.study.experiment import Experiment, Params
from geoforest_cli.study.plan.cells import Cell, PlanEntry, Setting
from geoforest_cli.study.plan.experiments import code_of
from geoforest_cli.study.plan.points import Axes, Point, axes, points

__all__ = ["Expanded", "expand"]


class Expanded(NamedTuple):
    """The entries of a plan, and what its cells use."""

    entries: tuple[PlanEntry, ...]
    used: dict[str, Entry]


def expand(
    config: Config, experiment: Experiment[Any], path: Path, folders: tuple[Path, ...]
) -> Expanded:
    """Return every entry: grid points x methods x variants x repetitions, in the config's order."""
    builder = _PlanBuilder(config, experiment, path, folders)
    entries = tuple(entry for point in points(config, builder.split) for entry in builder.at(point))
    return Expanded(entries, builder.used)


class _PlanBuilder:
    """Makes the cells of one grid point after the other; equal ones are made once."""

    def __init__(
        self, config: Config, experiment: Experiment[Any], path: Path, folders: tuple[Path, ...]
    ) -> None:
        self.split: Axes = axes(config, experiment)
        self.used: dict[str, Entry] = {}
        self._config, self._experiment = config, experiment
        self._cells: dict[tuple[str, int], Cell] = {}
        self._shared: dict[str, Any] = {
            "experiment": path,
            "folders": folders,
            "code": code_of(experiment, path),
            "inner_names": experiment.inner,
            "detail": experiment.detail,
            "seed": config.seed,
            "measured": processor() if experiment.measured else "",
            "timeout": config.timeout,
            "memory": config.memory,
            "axes": frozenset(self.split.outer),
        }

    def at(self, grid_point: Point) -> Iterator[PlanEntry]:
        params = {**self._config.params, **self.split.of_experiment(grid_point.values)}
        plain = self._validated(params, grid_point)
        point = dict(grid_point.values)
        for name, value in point.items():
            # 70 written for a number is 70.0 in the rows, however it was written
            valid = getattr(plain, name, value)
            point[name] = valid if isinstance(valid, float) else value
        inner = {name: getattr(plain, name) for name in self._experiment.inner}
        for name, method in self._config.methods.items():
            for key, variant in (
                method.variants.items() if name not in self._config.leave_out else ()
            ):
                given, repetitions = _settings(self._config, method, variant, grid_point.values)
                if repetitions:
                    changed = self._validated({**params, **variant.sample}, grid_point)
                    setting = self._setting(plain, changed, method.use or name, given, key)
                for repetition in range(repetitions):
                    cell = Cell(setting, repetition)
                    cell = self._cells.setdefault((setting.digest, repetition), cell)
                    yield PlanEntry(cell, name, point, inner)

    def _validated(self, params: Mapping[str, Any], point: Point) -> Params:
        return self._experiment.params.model_validate({**params, **point.inner})

    def _setting(
        self, plain: Params, params: Params, use: str, method_params: dict[str, Any], variant: str
    ) -> Setting:
        experiment, entry = self._experiment, METHODS[use]
        used = experiment.used(params)
        self.used |= used
        inner = set(experiment.inner)
        point = plain.model_dump(exclude=inner, exclude_defaults=True)
        valid = parameter_model(entry.load()).model_validate(method_params)
        return Setting(
            **self._shared,
            params=params.model_dump(exclude=inner),
            drawn={name: v for name, v in point.items() if name not in experiment.after_draw},
            point=point,
            used={name: _version(thing) for name, thing in used.items()},
            use=use,
            method_version=entry.version,
            method_params=valid.model_dump(),
            variant=variant,
            withdrawn=entry.withdrawn,
        )


def _version(entry: Entry) -> int | str:
    files = entry.dataset if isinstance(entry, DataEntry) else None
    return entry.version if files is None else f"{entry.version} of {files.version}"


def _settings(
    config: Config, method: Method, variant: Variant, point: Mapping[str, Any]
) -> tuple[dict[str, Any], int]:
    """Return parameters and repetitions of a method in a variant at a grid point."""
    from_grid = {name: point[column] for name, column in method.from_grid.items()}
    params = {**method.params, **from_grid, **variant.params}
    # a profile with fewer repetitions is overruled neither by a variant nor by a case
    repetitions = min(config.repetitions, variant.repetitions or config.repetitions)
    for case in variant.cases:
        if all(_among(point[name], values) for name, values in case.when.items()):
            params |= case.params
            repetitions = min(repetitions, case.repetitions or repetitions) * (not case.leave_out)
    return params, repetitions


def _among(value: Any, values: tuple[Any, ...]) -> bool:
    return same_numbers(value) in map(same_numbers, values)
