"""From a validated config to its cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from geoforest_cli.config.cells import Cell
from geoforest_cli.config.experiments import data_set
from geoforest_cli.config.points import axes, points
from geoforest_cli.config.schema import Config, Method, Variant
from geoforest_cli.methods import METHODS

__all__ = ["expand"]


def expand(config: Config, experiment: ModuleType, experiment_path: Path) -> tuple[Cell, ...]:
    """Return every cell: grid points x methods x variants x repetitions, in the config's order."""
    split = axes(config, experiment)
    after_draw = frozenset(split.outer) & frozenset(getattr(experiment, "AFTER_DRAW", ()))
    cells = []
    for grid_point in points(config, split):
        point, inner = dict(grid_point.values), grid_point.inner
        params = experiment.Params.model_validate(
            {**config.params, **split.of_experiment(point), **inner}
        )
        for name, value in point.items():
            # 70 written for a number is 70.0 in the rows, however it was written
            valid = getattr(params, name, value)
            point[name] = valid if isinstance(valid, float) else value
        dataset = data_set(experiment, params)
        data_version = "" if dataset is None else dataset.version
        for name, method, variant_name, variant in _variants(config):
            use = method.use or name
            settings = _settings(config, method, variant, point)
            cells += [
                Cell(
                    experiment_path=experiment_path,
                    experiment_version=experiment.VERSION,
                    point=point,
                    inner=inner,
                    params=config.params,
                    method=name,
                    use=use,
                    method_version=METHODS[use].version,
                    variant=variant_name,
                    method_params=settings.params,
                    repetition=repetition,
                    seed=config.seed,
                    data_version=data_version,
                    timeout=config.timeout,
                    memory=config.memory,
                    sample=variant.sample,
                    of_methods=split.of_methods,
                    after_draw=after_draw,
                )
                for repetition in range(settings.repetitions)
            ]
    return tuple(cells)


def _variants(config: Config) -> Iterator[tuple[str, Method, str, Variant]]:
    for name, method in config.methods.items():
        if name in config.leave_out:
            continue
        for variant_name, variant in method.variants.items():
            yield name, method, variant_name, variant


class _Settings(NamedTuple):
    params: dict[str, Any]
    repetitions: int


def _settings(
    config: Config, method: Method, variant: Variant, point: Mapping[str, Any]
) -> _Settings:
    from_grid = {name: point[column] for name, column in method.from_grid.items()}
    params = {**method.params, **from_grid, **variant.params}
    repetitions = variant.repetitions or config.repetitions
    for case in variant.cases:
        if all(point[name] in values for name, values in case.when.items()):
            params |= case.params
            # a profile with fewer repetitions is not overruled by a case
            repetitions = min(repetitions, case.repetitions or repetitions)
            if case.leave_out:
                repetitions = 0
    return _Settings(params, repetitions)
