"""What must hold of a config beyond its schema: parameters, methods, cases."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.config.explain import explain
from geoforest_cli.config.schema import Config, Method, Variant
from geoforest_cli.config.yaml_loader import Document, Path_
from geoforest_cli.errors import ConfigError, ConfigErrors, UserError
from geoforest_cli.experiment import Experiment
from geoforest_cli.hints import unknown
from geoforest_cli.methods import METHODS, kind_of
from geoforest_cli.plan.identity import same_numbers
from geoforest_cli.plan.points import Axes, Point, axes, points
from geoforest_cli.registry import parameter_model

__all__ = ["check_methods", "check_params", "check_size"]

_MOST_CELLS = 1_000_000

Layers = list[tuple[Path_, Mapping[str, Any]]]


def check_size(config: Config, experiment: Experiment[Any], document: Document) -> None:
    """Refuse what could not even be listed.

    Raises
    ------
    ConfigError
    """
    count = sum(
        math.prod(len(grid[name]) for name in axes(config, experiment).outer)
        for grid in config.grids
    )
    repetitions = 0
    for name, method in config.methods.items():
        for variant in method.variants.values():
            several = (case.repetitions or 0 for case in variant.cases)
            here = max((variant.repetitions or config.repetitions, *several))
            repetitions += here * (name not in config.leave_out)
    if count * repetitions > _MOST_CELLS:
        place = document.place(("repetitions",) if repetitions > count else ("grid",), key=True)
        raise place.error(
            f"these are {count * repetitions} cells, {count} grid points with {repetitions} "
            f"repetitions of all methods and variants; at most {_MOST_CELLS} can be run"
        )


def check_params(
    config: Config, experiment: Experiment[Any], document: Document
) -> list[ConfigError]:
    """Validate the experiment's parameters at every grid point."""
    problems = _check_grid(config, experiment, document)
    if problems:
        # what follows walks over the grid
        raise ConfigErrors(problems)
    found: dict[str, ConfigError] = {}
    split = axes(config, experiment)
    samples: list[tuple[Path_, Mapping[str, Any]]] = [((), {})]
    for where, _, variant in _variants(config):
        overlap = [name for name in variant.sample if name in config.grid]
        for name in overlap:
            place = document.place((*where, "sample", name), key=True)
            found[str(place)] = place.error(f"{name!r} stands in sample and in grid")
        if variant.sample and not overlap:
            samples.append(((*where, "sample"), variant.sample))
    for point in points(config, split):
        values = split.of_experiment(point.values)
        for at, sample in samples:
            locate = functools.partial(_in_config, point=point, at=at, sample=sample)
            given = {**config.params, **sample, **values, **point.inner}
            try:
                experiment.params.model_validate(given)
            except ValidationError as error:
                for problem in explain(error, document, experiment.params, locate):
                    found.setdefault(str(problem), problem)
    return list(found.values())


def _variants(config: Config) -> Iterator[tuple[Path_, Method, Variant]]:
    for name, method in config.methods.items():
        for variant_name, variant in method.variants.items():
            yield ("methods", name, "variants", variant_name), method, variant


def _in_config(loc: Path_, point: Point, at: Path_, sample: Mapping[str, Any]) -> Path_:
    """Return where a part of the experiment's parameters stands in the config."""
    if loc and loc[0] in point.places:
        rest = () if loc[0] in point.values else loc[1:]
        return (*point.places[str(loc[0])], *rest)
    return (*at, *loc) if loc and loc[0] in sample else ("params", *loc)


def _check_grid(
    config: Config, experiment: Experiment[Any], document: Document
) -> list[ConfigError]:
    """Find parameters that stand in the wrong section, and values that stand twice."""
    problems = []
    for name in config.params:
        place = document.place(("params", name), key=True)
        if name in config.grid:
            problems.append(place.error(f"{name!r} stands in params and in grid"))
        elif name in experiment.inner:
            message = f"{name!r} belongs in grid: this experiment evaluates it within each cell"
            problems.append(place.error(message))
    for name in experiment.inner:
        if name not in config.grid and name not in config.params:
            message = f"the key {name!r} is missing in grid"
            problems.append(document.place(("grid",), key=True).error(message))
    for number, other in enumerate(config.also):
        for name in other:
            if name not in config.grid:
                place = document.place(("also", number, name), key=True)
                problems.append(place.error(unknown("grid parameter", name, config.grid)))
    sections: list[tuple[Path_, Mapping[str, Any]]] = [(("grid",), config.grid)]
    sections += [(("also", number), other) for number, other in enumerate(config.also)]
    for at, grid in sections:
        problems += _twice(at, grid, document)
    return problems


def _twice(at: Path_, grid: Mapping[str, Any], document: Document) -> Iterator[ConfigError]:
    for name, values in grid.items():
        seen = set()
        for i, value in enumerate(values):
            if (known := repr(same_numbers(value))) in seen:
                place = document.place((*at, name, i))
                yield place.error(f"the value {value!r} stands twice in {at[0]}.{name}")
            seen.add(known)


def check_methods(
    config: Config, experiment: Experiment[Any], document: Document, base_grid: Mapping[str, Any]
) -> list[ConfigError]:
    """Validate names, kinds, parameters and cases of all methods."""
    problems = [
        document.place(("leave_out", i)).error(unknown("method", name, config.methods))
        for i, name in enumerate(config.leave_out)
        if name not in config.methods
    ]
    if not set(config.methods) - set(config.leave_out):
        problems.append(document.place(("leave_out",)).error("leave_out leaves no method"))
    split = axes(config, experiment)
    for name, method in config.methods.items():
        path: Path_ = ("methods", name, "use") if method.use else ("methods", name)
        place = document.place(path, key=method.use is None)
        try:
            model = _parameters(method.use or name, experiment.methods)
        except UserError as error:
            problems.append(place.error(str(error)))
            continue
        lost = list(_check_from_grid(model, method, ("methods", name), config, split, document))
        problems += lost
        if lost:
            continue
        for variant_name, variant in method.variants.items():
            where: Path_ = ("methods", name, "variants", variant_name)
            problems += _check_variant(model, config, method, variant, where, document)
            problems += _check_cases(variant, where, document, config, base_grid, split)
    return list({str(problem): problem for problem in problems}.values())


def _parameters(use: str, kinds: tuple[str, ...]) -> type[BaseModel]:
    """Return the model of a method's parameters, if it is of the experiment's kind or kinds."""
    fitting = [name for name, entry in METHODS.items() if entry.kind in kinds]
    if use not in METHODS:
        raise UserError(unknown("method", use, fitting))
    kind = kind_of(use)
    if kind is not None and kind not in kinds:
        raise UserError(
            f"{use!r} is a method of kind {kind}; this experiment takes {' or '.join(kinds)}: "
            f"{', '.join(fitting)}"
        )
    thing = METHODS[use].load()
    try:
        return parameter_model(thing)
    except (TypeError, NameError, ValueError) as error:
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        raise UserError(f"{use!r} is no method: its parameters cannot be read ({cause})") from None


def _check_from_grid(
    model: type[BaseModel],
    method: Method,
    where: Path_,
    config: Config,
    split: Axes,
    document: Document,
) -> Iterator[ConfigError]:
    for name, column in method.from_grid.items():
        at: Path_ = (*where, "from_grid", name)
        if name not in model.model_fields:
            message = unknown("parameter", name, model.model_fields)
            yield document.place(at, key=True).error(message)
        elif column not in split.outer:
            outer = [known for known in config.grid if known in split.outer]
            yield document.place(at).error(unknown("grid parameter", column, outer))


def _check_variant(
    model: type[BaseModel],
    config: Config,
    method: Method,
    variant: Variant,
    where: Path_,
    document: Document,
) -> list[ConfigError]:
    problems = []
    cases: list[Layers] = [
        [((*where, "cases", i, "params"), case.params)] for i, case in enumerate(variant.cases)
    ]
    layers: Layers = [
        ((*where[:2], "params"), method.params),
        ((*where, "params"), variant.params),
    ]
    for places, values in _grid_layers(config, method):
        for extra in [[], *cases]:
            stack = [*layers, *extra]
            given = {**layers[0][1], **values}
            given |= {key: value for _, params in stack[1:] for key, value in params.items()}
            try:
                model.model_validate(given)
            except ValidationError as error:
                locate = functools.partial(_in_layers, layers=stack, places=places)
                problems += explain(error, document, model, locate)
    return problems


def _grid_layers(
    config: Config, method: Method
) -> Iterable[tuple[Mapping[str, Path_], Mapping[str, Any]]]:
    """Yield the values a method takes from the grid, one grid value at a time."""
    if not method.from_grid:
        yield {}, {}
    for name, column in method.from_grid.items():
        for i, value in enumerate(config.grid[column]):
            yield {name: ("grid", column, i)}, {name: value}
        for number, other in enumerate(config.also):
            for i, value in enumerate(other.get(column, ())):
                yield {name: ("also", number, column, i)}, {name: value}


def _in_layers(loc: Path_, layers: Layers, places: Mapping[str, Path_]) -> Path_:
    """Return where a parameter stands: in the last layer that has it."""
    holders = [path for path, params in layers if loc and loc[0] in params]
    if loc and loc[0] in places and holders in ([], [layers[0][0]]):
        return (*places[str(loc[0])], *loc[1:])
    return (*(holders or [layers[1][0]])[-1], *loc)


def _check_cases(
    variant: Variant,
    where: Path_,
    document: Document,
    config: Config,
    base_grid: Mapping[str, Any],
    split: Axes,
) -> list[ConfigError]:
    problems = []
    for i, case in enumerate(variant.cases):
        for name, values in case.when.items():
            path: Path_ = (*where, "cases", i, "when", name)
            if name not in split.outer:
                error = unknown("grid parameter", name, split.outer)
                problems.append(document.place(path, key=True).error(error))
                continue
            # a profile with a smaller grid leaves cases of the full one without cells
            base = base_grid.get(name, ())
            known = [*config.grid_values[name], *(base if isinstance(base, list) else [base])]
            for j, value in enumerate(values):
                if value not in known:
                    shown = dict.fromkeys(map(str, known))
                    error = unknown(f"value of {name}", value, shown)
                    problems.append(document.place((*path, j)).error(error))
    return problems
