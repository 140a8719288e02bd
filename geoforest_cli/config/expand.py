"""From a validated config to its cells."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.config.cells import Cell
from geoforest_cli.config.explain import explain
from geoforest_cli.config.schema import Config, Method, Variant
from geoforest_cli.config.yaml_loader import Document, Path_
from geoforest_cli.errors import ConfigError
from geoforest_cli.hints import unknown
from geoforest_cli.methods import METHODS
from geoforest_cli.registry import parameter_model

__all__ = ["check_methods", "check_params", "expand"]


def outer_and_inner(config: Config, experiment: ModuleType) -> tuple[list[str], list[str]]:
    """Split the grid's parameters into those that multiply cells and those evaluated inside."""
    inner = [name for name in config.grid if name in experiment.INNER]
    return [name for name in config.grid if name not in inner], inner


def check_params(config: Config, experiment: ModuleType, document: Document) -> list[ConfigError]:
    """Validate the experiment's parameters at every value of the grid."""
    outer, inner = outer_and_inner(config, experiment)
    base = {**config.params, **{name: config.grid[name][0] for name in outer}}
    base |= {name: config.grid[name] for name in inner}
    problems: dict[str, ConfigError] = {}
    for name in outer or [""]:
        values = config.grid[name] if name else (None,)
        for i, value in enumerate(values):
            given = base | {name: value} if name else base
            places = dict.fromkeys(outer, 0) | ({name: i} if name else {})
            for problem in _validated(experiment.Params, given, document, places, inner):
                problems.setdefault(str(problem), problem)
    return list(problems.values())


def _validated(
    model: type[BaseModel],
    given: Mapping[str, Any],
    document: Document,
    places: Mapping[str, int],
    inner: list[str],
) -> list[ConfigError]:
    def locate(loc: Path_) -> Path_:
        if loc and loc[0] in places:
            return ("grid", loc[0], places[str(loc[0])])
        return ("grid" if loc and loc[0] in inner else "params", *loc)

    try:
        model(**given)
    except ValidationError as error:
        return explain(error, document, model, locate)
    return []


def check_methods(
    config: Config, experiment: ModuleType, document: Document, base_grid: Mapping[str, Any]
) -> list[ConfigError]:
    """Validate names, kinds, parameters and cases of all methods."""
    problems: list[ConfigError] = []
    outer, _ = outer_and_inner(config, experiment)
    for name, method in config.methods.items():
        use = method.use or name
        path: Path_ = ("methods", name, "use") if method.use else ("methods", name)
        place = document.place(path, key=method.use is None)
        if use not in METHODS:
            problems.append(place.error(unknown("method", use, METHODS)))
            continue
        kind = METHODS[use].extra.get("kind")
        if kind != experiment.KIND:
            problems.append(
                place.error(
                    f"{use!r} is a method of kind {kind}, this experiment takes {experiment.KIND}"
                )
            )
            continue
        for variant_name, variant in method.variants.items():
            where: Path_ = ("methods", name, "variants", variant_name)
            problems += _check_variant(use, method, variant, where, document)
            problems += _check_cases(variant, where, document, config.grid, base_grid, outer)
    return list({str(problem): problem for problem in problems}.values())


def _check_variant(
    use: str, method: Method, variant: Variant, where: Path_, document: Document
) -> list[ConfigError]:
    model = parameter_model(METHODS[use].load())
    problems = []
    layers: list[tuple[Path_, Mapping[str, Any]]] = [
        (where[:2], method.params),
        (where, variant.params),
    ]
    cases = [[((*where, "cases", i), case.params)] for i, case in enumerate(variant.cases)]
    for extra in [[], *cases]:
        stack = [*layers, *extra]

        def locate(loc: Path_, stack: list[tuple[Path_, Mapping[str, Any]]] = stack) -> Path_:
            holders = [path for path, params in stack if loc and loc[0] in params]
            return (*(holders or [where])[-1], "params", *loc)

        given = {key: value for _, params in stack for key, value in params.items()}
        try:
            model(**given)
        except ValidationError as error:
            problems += explain(error, document, model, locate)
    return problems


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
            known = [*grid[name], *(v for v in base_grid.get(name, ()) if v not in grid[name])]
            for j, value in enumerate(values):
                if value not in known:
                    error = unknown(f"value of {name}", value, map(str, known))
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
        params = experiment.Params(**config.params, **point, **inner)
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
