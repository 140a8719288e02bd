"""What must hold of a config beyond its schema: parameters, methods, cases, figures."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from geoforest_cli.core.errors import ConfigError, ConfigErrors, UserError
from geoforest_cli.core.explanation import explain
from geoforest_cli.core.identity import same_numbers
from geoforest_cli.core.registry import parameter_model
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.core.yaml_loader import KeyPath
from geoforest_cli.estimators.methods import METHODS, kind_of
from geoforest_cli.study.config.loading import LoadedConfig
from geoforest_cli.study.config.schema import Method, Variant
from geoforest_cli.study.experiment import Experiment
from geoforest_cli.study.plan.figure_checks import unknown_names
from geoforest_cli.study.plan.points import Point, axes, points

__all__ = ["Checks"]

_MOST_CELLS = 1_000_000


class _Layer(NamedTuple):
    """Parameters of a method from one place of a config; later layers replace earlier ones."""

    path: KeyPath  # of the mapping, or of the one value of a grid
    params: Mapping[str, Any]
    of_grid: bool = False


class Checks:
    """The checks of one config.

    Parameters
    ----------
    opened : LoadedConfig
    experiment : Experiment
        The one that the config names.
    """

    def __init__(self, opened: LoadedConfig, experiment: Experiment[Any]) -> None:
        self._config = opened.config
        self._document = opened.document
        self._path = str(opened.path)
        self._base_grid = opened.base_grid
        self._experiment = experiment
        self._split = axes(opened.config, experiment)

    def refuse_size(self) -> None:
        """Refuse what could not even be listed.

        Raises
        ------
        ConfigError
        """
        config = self._config
        count = sum(
            math.prod(len(grid[name]) for name in self._split.outer) for grid in config.grids
        )
        repetitions = 0
        for (_, name, *_), _, variant in self._variants():
            several = (case.repetitions or 0 for case in variant.cases)
            here = max((variant.repetitions or config.repetitions, *several))
            repetitions += here * (name not in config.leave_out)
        if count * repetitions > _MOST_CELLS:
            raise self._error(
                f"these are {count * repetitions} cells, {count} grid points with {repetitions} "
                f"repetitions of all methods and variants; at most {_MOST_CELLS} can be run",
                ("repetitions",) if repetitions > count else ("grid",),
                key=True,
            )

    def params(self) -> list[ConfigError]:
        """Validate the experiment's parameters at every grid point."""
        if unfit := list(self._grid_problems()):
            # what follows walks over the grid
            raise ConfigErrors(unfit)
        problems: dict[str, ConfigError] = {}
        config = self._config
        samples: list[tuple[KeyPath, Mapping[str, Any]]] = [((), {})]
        for where, _, variant in self._variants():
            overlap = [name for name in variant.sample if name in config.grid]
            for name in overlap:
                at: KeyPath = (*where, "sample", name)
                error = self._error(f"{name!r} is set in both sample and grid", at, key=True)
                problems[str(error)] = error
            if variant.sample and not overlap:
                samples.append(((*where, "sample"), variant.sample))
        for point in points(config, self._split):
            values = self._split.of_experiment(point.values)
            for at, sample in samples:
                locate = functools.partial(_in_config, point=point, at=at, sample=sample)
                given = {**config.params, **sample, **values, **point.inner}
                invalid = self._invalid(self._experiment.params, given, locate)
                invalid = invalid or list(self._too_many_neighbors(given, locate))
                problems |= {str(error): error for error in invalid}
        return list(problems.values())

    def methods(self) -> list[ConfigError]:
        """Validate names, kinds, parameters and cases of all methods."""
        config = self._config
        problems = [
            self._error(unknown("method", name, config.methods), ("leave_out", i))
            for i, name in enumerate(config.leave_out)
            if name not in config.methods
        ]
        if not set(config.methods) - set(config.leave_out):
            problems.append(self._error("leave_out leaves no method", ("leave_out",)))
        for name, method in config.methods.items():
            path: KeyPath = ("methods", name, "use") if method.use else ("methods", name)
            try:
                model = _parameters(method.use or name, self._experiment.methods)
            except UserError as error:
                problems.append(self._error(str(error), path, key=method.use is None))
                continue
            lost = list(self._from_grid_problems(model, method, ("methods", name)))
            problems += lost
            if lost:
                continue
            for variant_name, variant in method.variants.items():
                where: KeyPath = ("methods", name, "variants", variant_name)
                problems += self._variant_problems(model, method, variant, where)
                problems += self._case_problems(variant, where)
        return problems

    def figures(self) -> Iterator[ConfigError]:
        """Validate the options of the config's figures."""
        config = self._config
        sections: dict[KeyPath, Any] = {
            ("more_figures", name): options for name, options in config.more_figures.items()
        }
        if "figure" in self._document.data:
            sections["figure",] = config.figure
        for at, options in sections.items():
            locate = functools.partial(_below, at)
            if invalid := self._invalid(self._experiment.figure, options, locate):
                yield from invalid
                continue
            chosen = self._experiment.figure.model_validate(options)
            for path, message in unknown_names(chosen, options, config, self._experiment):
                yield self._error(message, locate(path), key=path[-2:-1] == ("where",))

    def _error(self, message: str, path: KeyPath, *, key: bool = False) -> ConfigError:
        return self._document.locate(path, key=key).error(message)

    def _invalid(
        self, model: type[BaseModel], given: Any, locate: Callable[[KeyPath], KeyPath]
    ) -> list[ConfigError]:
        """Return what a model finds wrong with what is given."""
        try:
            model.model_validate(given)
        except ValidationError as error:
            return explain(error, self._document, model, locate)
        return []

    def _too_many_neighbors(
        self, given: Mapping[str, Any], locate: Callable[[KeyPath], KeyPath]
    ) -> Iterator[ConfigError]:
        """Find more neighbours than there are: k of n points, in lists of several lengths."""
        fields = self._experiment.params.model_fields
        if "n" not in fields or "k" not in self._experiment.inner:
            return
        n = given.get("n", fields["n"].default)
        for place, k in enumerate(given["k"]):
            if k >= n:
                message = f"k={k}: {n} points have at most {n - 1} neighbours each"
                yield self._error(message, locate(("k", place)))

    def _variants(self) -> Iterator[tuple[KeyPath, Method, Variant]]:
        for name, method in self._config.methods.items():
            for variant_name, variant in method.variants.items():
                yield ("methods", name, "variants", variant_name), method, variant

    def _grid_problems(self) -> Iterator[ConfigError]:
        """Find parameters in the wrong section, and duplicate values."""
        config, inner = self._config, self._experiment.inner
        for name in config.params:
            if name in config.grid:
                message = f"{name!r} is set in both params and grid"
                yield self._error(message, ("params", name), key=True)
            elif name in inner:
                message = f"{name!r} belongs in grid: this experiment evaluates it within each cell"
                yield self._error(message, ("params", name), key=True)
        for name in inner:
            if name not in config.grid and name not in config.params:
                yield self._error(f"the key {name!r} is missing in grid", ("grid",), key=True)
        yield from self._duplicates(("grid",), config.grid)
        for number, other in enumerate(config.also):
            for name in other:
                if name not in config.grid:
                    message = unknown("grid parameter", name, config.grid)
                    yield self._error(message, ("also", number, name), key=True)
            yield from self._duplicates(("also", number), other)

    def _duplicates(self, path: KeyPath, grid: Mapping[str, Any]) -> Iterator[ConfigError]:
        for name, values in grid.items():
            seen = set()
            for i, value in enumerate(values):
                if (known := repr(same_numbers(value))) in seen:
                    message = f"duplicate value {value!r} in {path[0]}.{name}"
                    yield self._error(message, (*path, name, i))
                seen.add(known)

    def _from_grid_problems(
        self, model: type[BaseModel], method: Method, where: KeyPath
    ) -> Iterator[ConfigError]:
        for name, column in method.from_grid.items():
            at: KeyPath = (*where, "from_grid", name)
            if name not in model.model_fields:
                yield self._error(unknown("parameter", name, model.model_fields), at, key=True)
            elif column not in self._split.outer:
                yield self._error(unknown("grid parameter", column, self._split.outer), at)

    def _variant_problems(
        self, model: type[BaseModel], method: Method, variant: Variant, where: KeyPath
    ) -> Iterator[ConfigError]:
        method_layer = _Layer((*where[:2], "params"), method.params)
        variant_layer = _Layer((*where, "params"), variant.params)
        cases = [
            [_Layer((*where, "cases", i, "params"), case.params)]
            for i, case in enumerate(variant.cases)
        ]
        for grid_layer in self._grid_layers(method):
            for case_layer in [[], *cases]:
                layers = [method_layer, *grid_layer, variant_layer, *case_layer]
                given = {name: value for layer in layers for name, value in layer.params.items()}
                locate = functools.partial(_in_layers, layers=layers, otherwise=variant_layer.path)
                yield from self._invalid(model, given, locate)

    def _grid_layers(self, method: Method) -> Iterator[list[_Layer]]:
        """Yield the values a method takes from the grid, one grid value at a time."""
        if not method.from_grid:
            yield []
        grids: list[tuple[KeyPath, Mapping[str, Any]]] = [(("grid",), self._config.grid)]
        grids += [(("also", number), grid) for number, grid in enumerate(self._config.also)]
        for name, column in method.from_grid.items():
            for path, grid in grids:
                for i, value in enumerate(grid.get(column, ())):
                    yield [_Layer((*path, column, i), {name: value}, of_grid=True)]

    def _case_problems(self, variant: Variant, where: KeyPath) -> Iterator[ConfigError]:
        conditions = [
            ((*where, "cases", i, "when", name), name, values)
            for i, case in enumerate(variant.cases)
            for name, values in case.when.items()
        ]
        for path, name, values in conditions:
            if name not in self._split.outer:
                message = unknown("grid parameter", name, self._split.outer)
                yield self._error(message, path, key=True)
                continue
            # a profile with a smaller grid leaves cases of the full one without cells
            known = [*self._config.grid_values[name], *self._base_grid.get(name, ())]
            for i, value in enumerate(values):
                # and so does the smaller grid of a config that extends another one
                if value not in known and self._document.locate((*path, i)).file == self._path:
                    message = unknown(f"value of {name}", value, dict.fromkeys(map(str, known)))
                    yield self._error(message, (*path, i))


def _in_config(loc: KeyPath, point: Point, at: KeyPath, sample: Mapping[str, Any]) -> KeyPath:
    """Return where the config sets a part of the experiment's parameters."""
    if len(loc) > 1 and loc[0] in point.inner:
        return (*point.inner_places[str(loc[0])][int(loc[1])], *loc[2:])
    if loc and loc[0] in point.places:
        return point.places[str(loc[0])]
    return (*at, *loc) if loc and loc[0] in sample else ("params", *loc)


def _in_layers(loc: KeyPath, layers: Sequence[_Layer], otherwise: KeyPath) -> KeyPath:
    """Return where a parameter is set: in the last layer that has it."""
    for layer in reversed(layers):
        if loc and loc[0] in layer.params:
            return (*layer.path, *(loc[1:] if layer.of_grid else loc))
    return (*otherwise, *loc)


def _below(at: KeyPath, loc: KeyPath) -> KeyPath:
    return (*at, *loc)


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
