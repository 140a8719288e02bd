"""What must hold of a config beyond its schema: parameters, methods, cases."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from geoforest_cli.core.errors import ConfigError, ConfigErrors, UserError
from geoforest_cli.core.identity import same_numbers
from geoforest_cli.core.registry import parameter_model
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.core.yaml_loader import KeyPath, Node
from geoforest_cli.estimators.methods import METHODS, kind_of
from geoforest_cli.study.config.explanation import explain
from geoforest_cli.study.config.schema import Config, Method, Variant
from geoforest_cli.study.experiment import Experiment
from geoforest_cli.study.plan.points import Axes, Point, axes, points

__all__ = ["check_methods", "check_params", "check_size"]

_MOST_CELLS = 1_000_000


class _Layer(NamedTuple):
    """Parameters of a method from one place of a config; later layers replace earlier ones."""

    path: KeyPath  # of the mapping, or of the one value of a grid
    params: Mapping[str, Any]
    of_grid: bool = False


def check_size(config: Config, experiment: Experiment[Any], document: Node) -> None:
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
        place = document.locate(("repetitions",) if repetitions > count else ("grid",), key=True)
        raise place.error(
            f"these are {count * repetitions} cells, {count} grid points with {repetitions} "
            f"repetitions of all methods and variants; at most {_MOST_CELLS} can be run"
        )


def check_params(config: Config, experiment: Experiment[Any], document: Node) -> list[ConfigError]:
    """Validate the experiment's parameters at every grid point."""
    problems = list(_check_grid(config, experiment, document))
    if problems:
        # what follows walks over the grid
        raise ConfigErrors(problems)
    errors: dict[str, ConfigError] = {}
    split = axes(config, experiment)
    samples: list[tuple[KeyPath, Mapping[str, Any]]] = [((), {})]
    for where, _, variant in _variants(config):
        overlap = [name for name in variant.sample if name in config.grid]
        for name in overlap:
            place = document.locate((*where, "sample", name), key=True)
            errors[str(place)] = place.error(f"{name!r} is set in both sample and grid")
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
                    errors.setdefault(str(problem), problem)
    return list(errors.values())


def _variants(config: Config) -> Iterator[tuple[KeyPath, Method, Variant]]:
    for name, method in config.methods.items():
        for variant_name, variant in method.variants.items():
            yield ("methods", name, "variants", variant_name), method, variant


def _in_config(loc: KeyPath, point: Point, at: KeyPath, sample: Mapping[str, Any]) -> KeyPath:
    """Return where the config sets a part of the experiment's parameters."""
    if loc and loc[0] in point.places:
        rest = () if loc[0] in point.values else loc[1:]
        return (*point.places[str(loc[0])], *rest)
    return (*at, *loc) if loc and loc[0] in sample else ("params", *loc)


def _check_grid(
    config: Config, experiment: Experiment[Any], document: Node
) -> Iterator[ConfigError]:
    """Find parameters in the wrong section, and duplicate values."""
    for name in config.params:
        place = document.locate(("params", name), key=True)
        if name in config.grid:
            yield place.error(f"{name!r} is set in both params and grid")
        elif name in experiment.inner:
            message = f"{name!r} belongs in grid: this experiment evaluates it within each cell"
            yield place.error(message)
    for name in experiment.inner:
        if name not in config.grid and name not in config.params:
            message = f"the key {name!r} is missing in grid"
            yield document.locate(("grid",), key=True).error(message)
    yield from _check_duplicates(("grid",), config.grid, document)
    for number, other in enumerate(config.also):
        for name in other:
            if name not in config.grid:
                place = document.locate(("also", number, name), key=True)
                yield place.error(unknown("grid parameter", name, config.grid))
        yield from _check_duplicates(("also", number), other, document)


def _check_duplicates(
    path: KeyPath, grid: Mapping[str, Any], document: Node
) -> Iterator[ConfigError]:
    for name, values in grid.items():
        seen = set()
        for i, value in enumerate(values):
            if (known := repr(same_numbers(value))) in seen:
                place = document.locate((*path, name, i))
                yield place.error(f"duplicate value {value!r} in {path[0]}.{name}")
            seen.add(known)


def check_methods(
    config: Config, experiment: Experiment[Any], document: Node, base_grid: Mapping[str, Any]
) -> list[ConfigError]:
    """Validate names, kinds, parameters and cases of all methods."""
    problems = [
        document.locate(("leave_out", i)).error(unknown("method", name, config.methods))
        for i, name in enumerate(config.leave_out)
        if name not in config.methods
    ]
    if not set(config.methods) - set(config.leave_out):
        problems.append(document.locate(("leave_out",)).error("leave_out leaves no method"))
    split = axes(config, experiment)
    for name, method in config.methods.items():
        path: KeyPath = ("methods", name, "use") if method.use else ("methods", name)
        place = document.locate(path, key=method.use is None)
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
            where: KeyPath = ("methods", name, "variants", variant_name)
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
    where: KeyPath,
    config: Config,
    split: Axes,
    document: Node,
) -> Iterator[ConfigError]:
    for name, column in method.from_grid.items():
        at: KeyPath = (*where, "from_grid", name)
        if name not in model.model_fields:
            message = unknown("parameter", name, model.model_fields)
            yield document.locate(at, key=True).error(message)
        elif column not in split.outer:
            outer = [known for known in config.grid if known in split.outer]
            yield document.locate(at).error(unknown("grid parameter", column, outer))


def _check_variant(
    model: type[BaseModel],
    config: Config,
    method: Method,
    variant: Variant,
    where: KeyPath,
    document: Node,
) -> list[ConfigError]:
    problems = []
    method_layer = _Layer((*where[:2], "params"), method.params)
    variant_layer = _Layer((*where, "params"), variant.params)
    cases = [
        [_Layer((*where, "cases", i, "params"), case.params)]
        for i, case in enumerate(variant.cases)
    ]
    for grid_layer in _grid_layers(config, method):
        for case_layer in [[], *cases]:
            layers = [method_layer, *grid_layer, variant_layer, *case_layer]
            given = {name: value for layer in layers for name, value in layer.params.items()}
            try:
                model.model_validate(given)
            except ValidationError as error:
                locate = functools.partial(_in_layers, layers=layers, otherwise=variant_layer.path)
                problems += explain(error, document, model, locate)
    return problems


def _grid_layers(config: Config, method: Method) -> Iterator[list[_Layer]]:
    """Yield the values a method takes from the grid, one grid value at a time."""
    if not method.from_grid:
        yield []
    grids: list[tuple[KeyPath, Mapping[str, Any]]] = [(("grid",), config.grid)]
    grids += [(("also", number), grid) for number, grid in enumerate(config.also)]
    for name, column in method.from_grid.items():
        for path, grid in grids:
            for i, value in enumerate(grid.get(column, ())):
                yield [_Layer((*path, column, i), {name: value}, of_grid=True)]


def _in_layers(loc: KeyPath, layers: Sequence[_Layer], otherwise: KeyPath) -> KeyPath:
    """Return where a parameter is set: in the last layer that has it."""
    for layer in reversed(layers):
        if loc and loc[0] in layer.params:
            return (*layer.path, *(loc[1:] if layer.of_grid else loc))
    return (*otherwise, *loc)


def _check_cases(
    variant: Variant,
    where: KeyPath,
    document: Node,
    config: Config,
    base_grid: Mapping[str, Any],
    split: Axes,
) -> Iterator[ConfigError]:
    conditions = [
        ((*where, "cases", i, "when", name), name, values)
        for i, case in enumerate(variant.cases)
        for name, values in case.when.items()
    ]
    for path, name, values in conditions:
        if name not in split.outer:
            error = unknown("grid parameter", name, split.outer)
            yield document.locate(path, key=True).error(error)
            continue
        # a profile with a smaller grid leaves cases of the full one without cells
        base = base_grid.get(name, ())
        known = [*config.grid_values[name], *(base if isinstance(base, list) else [base])]
        for i, value in enumerate(values):
            if value not in known:
                error = unknown(f"value of {name}", value, dict.fromkeys(map(str, known)))
                yield document.locate((*path, i)).error(error)
