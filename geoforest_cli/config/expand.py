"""From a validated config to its cells."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.config.cells import Cell, canonical
from geoforest_cli.config.explain import explain
from geoforest_cli.config.schema import Config, Method, Variant
from geoforest_cli.config.yaml_loader import Document, Path_
from geoforest_cli.errors import ConfigError, UserError
from geoforest_cli.hints import unknown
from geoforest_cli.methods import METHODS
from geoforest_cli.registry import parameter_model

__all__ = ["check_methods", "check_params", "expand"]

Layers = list[tuple[Path_, Mapping[str, Any]]]


def outer_and_inner(config: Config, experiment: ModuleType) -> tuple[list[str], list[str]]:
    """Split the grid's parameters into those that multiply cells and those evaluated inside."""
    inner = [name for name in config.grid if name in experiment.INNER]
    return [name for name in config.grid if name not in inner], inner


def check_params(config: Config, experiment: ModuleType, document: Document) -> list[ConfigError]:
    """Validate the experiment's parameters at every grid point."""
    problems = _check_grid(config, experiment, document)
    if problems:
        return problems
    found: dict[str, ConfigError] = {}
    outer, inner_names = outer_and_inner(config, experiment)
    inner = {name: config.grid[name] for name in inner_names}
    for places in itertools.product(*(range(len(config.grid[name])) for name in outer)):
        index = dict(zip(outer, places, strict=True))
        point = {name: config.grid[name][i] for name, i in index.items()}
        locate = functools.partial(_in_config, index=index, inner=inner)
        try:
            experiment.Params.model_validate({**config.params, **point, **inner})
        except ValidationError as error:
            for problem in explain(error, document, experiment.Params, locate):
                found.setdefault(str(problem), problem)
    return list(found.values())


def _in_config(loc: Path_, index: Mapping[str, int], inner: Mapping[str, Any]) -> Path_:
    """Return where a part of the experiment's parameters stands in the config."""
    if loc and loc[0] in index:
        return ("grid", loc[0], index[str(loc[0])])
    return ("grid" if loc and loc[0] in inner else "params", *loc)


def _check_grid(config: Config, experiment: ModuleType, document: Document) -> list[ConfigError]:
    """Find parameters that stand in the wrong section, and values that stand twice."""
    problems = []
    for name in config.params:
        place = document.place(("params", name), key=True)
        if name in config.grid:
            problems.append(place.error(f"{name!r} stands in params and in grid"))
        elif name in experiment.INNER:
            message = f"{name!r} belongs in grid: this experiment evaluates it within each cell"
            problems.append(place.error(message))
    for name in experiment.INNER:
        if name not in config.grid and name not in config.params:
            message = f"the key {name!r} is missing in grid"
            problems.append(document.place(("grid",), key=True).error(message))
    for name, values in config.grid.items():
        for i, value in enumerate(values):
            if canonical(value) in map(canonical, values[:i]):
                place = document.place(("grid", name, i))
                problems.append(place.error(f"the value {value!r} stands twice in grid.{name}"))
    return problems


def check_methods(
    config: Config, experiment: ModuleType, document: Document, base_grid: Mapping[str, Any]
) -> list[ConfigError]:
    """Validate names, kinds, parameters and cases of all methods."""
    problems = [
        document.place(("leave_out", i)).error(unknown("method", name, config.methods))
        for i, name in enumerate(config.leave_out)
        if name not in config.methods
    ]
    if not set(config.methods) - set(config.leave_out):
        problems.append(document.place(("leave_out",)).error("leave_out leaves no method"))
    outer, _ = outer_and_inner(config, experiment)
    for name, method in config.methods.items():
        path: Path_ = ("methods", name, "use") if method.use else ("methods", name)
        place = document.place(path, key=method.use is None)
        try:
            model = _parameters(method.use or name, experiment.KIND)
        except UserError as error:
            problems.append(place.error(str(error)))
            continue
        for variant_name, variant in method.variants.items():
            where: Path_ = ("methods", name, "variants", variant_name)
            problems += _check_variant(model, method, variant, where, document)
            problems += _check_cases(variant, where, document, config.grid, base_grid, outer)
    return list({str(problem): problem for problem in problems}.values())


def _parameters(use: str, kind: str) -> type[BaseModel]:
    """Return the model of a method's parameters, if it is of the experiment's kind."""
    fitting = [name for name, entry in METHODS.items() if entry.extra.get("kind") == kind]
    if use not in fitting:
        if use not in METHODS:
            raise UserError(unknown("method", use, fitting))
        message = f"{use!r} is a method of kind {METHODS[use].extra.get('kind')}"
        raise UserError(f"{message}; this experiment takes {kind}: {', '.join(fitting)}")
    return parameter_model(METHODS[use].load())


def _check_variant(
    model: type[BaseModel], method: Method, variant: Variant, where: Path_, document: Document
) -> list[ConfigError]:
    problems = []
    layers: Layers = [(where[:2], method.params), (where, variant.params)]
    cases: list[Layers] = [
        [((*where, "cases", i), case.params)] for i, case in enumerate(variant.cases)
    ]
    for extra in [[], *cases]:
        stack = [*layers, *extra]
        given = {key: value for _, params in stack for key, value in params.items()}
        try:
            model.model_validate(given)
        except ValidationError as error:
            locate = functools.partial(_in_layers, layers=stack)
            problems += explain(error, document, model, locate)
    return problems


def _in_layers(loc: Path_, layers: Layers) -> Path_:
    """Return where a parameter stands: in the last layer that has it."""
    holders = [path for path, params in layers if loc and loc[0] in params]
    return (*(holders or [layers[1][0]])[-1], "params", *loc)


def _check_cases(
    variant: Variant,
    where: Path_,
    document: Document,
    grid: Mapping[str, Any],
    base_grid: Mapping[str, Any],
    outer: list[str],
) -> list[ConfigError]:
    problems = []
    for i, case in enumerate(variant.cases):
        for name, values in case.when.items():
            path: Path_ = (*where, "cases", i, "when", name)
            if name not in outer:
                error = unknown("grid parameter", name, outer)
                problems.append(document.place(path, key=True).error(error))
                continue
            # a profile with a smaller grid leaves cases of the full one without cells
            base = base_grid.get(name, ())
            known = [*grid[name], *(base if isinstance(base, list) else [base])]
            for j, value in enumerate(values):
                if value not in known:
                    shown = dict.fromkeys(map(str, known))
                    error = unknown(f"value of {name}", value, shown)
                    problems.append(document.place((*path, j)).error(error))
    return problems


def expand(config: Config, experiment: ModuleType, experiment_path: Path) -> tuple[Cell, ...]:
    """Return every cell: grid points x methods x variants x repetitions, in the config's order."""
    outer, inner_names = outer_and_inner(config, experiment)
    inner = {name: config.grid[name] for name in inner_names}
    version = getattr(experiment, "data_version", lambda _: "")
    cells = []
    for values in itertools.product(*(config.grid[name] for name in outer)):
        point = dict(zip(outer, values, strict=True))
        params = experiment.Params.model_validate({**config.params, **point, **inner})
        for name, value in point.items():
            # 70 written for a number is 70.0 in the rows, however it was written
            valid = getattr(params, name, value)
            point[name] = valid if isinstance(valid, float) else value
        data_version = version(params)
        for name, method, variant_name, variant in _variants(config):
            use = method.use or name
            method_params, repetitions = _settings(config, method, variant, point)
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
                    method_params=method_params,
                    repetition=repetition,
                    seed=config.seed,
                    data_version=data_version,
                    timeout=config.timeout,
                    memory=config.memory,
                )
                for repetition in range(repetitions)
            ]
    return tuple(cells)


def _variants(config: Config) -> Iterator[tuple[str, Method, str, Variant]]:
    for name, method in config.methods.items():
        if name in config.leave_out:
            continue
        for variant_name, variant in method.variants.items():
            yield name, method, variant_name, variant


def _settings(
    config: Config, method: Method, variant: Variant, point: Mapping[str, Any]
) -> tuple[dict[str, Any], int]:
    params = {**method.params, **variant.params}
    repetitions = variant.repetitions or config.repetitions
    for case in variant.cases:
        if all(point[name] in values for name, values in case.when.items()):
            params |= case.params
            # a profile with fewer repetitions is not overruled by a case
            repetitions = min(repetitions, case.repetitions or repetitions)
    return params, repetitions
