"""Checks of a config beyond its schema: parameters, methods, cases, figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

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

Locate = Callable[[KeyPath], KeyPath]
_MOST_CELLS = 1_000_000


class Checks:
    """The checks of one config.

    Parameters
    ----------
    opened : LoadedConfig
    experiment : Experiment
        The one that the config names.
    """

    def __init__(self, opened: LoadedConfig, experiment: Experiment[Any]) -> None:
        self._opened = opened
        self._config = opened.config
        self._experiment = experiment
        self._split = axes(opened.config, experiment)
        # the grid and those of `also`, as the config has them
        self._grids: dict[KeyPath, Mapping[str, Sequence[Any]]] = {("grid",): opened.config.grid}
        self._grids |= {("also", i): grid for i, grid in enumerate(opened.config.also)}
        self._variants = [
            (method, variant, ("methods", name, "variants", key))
            for name, method in opened.config.methods.items()
            for key, variant in method.variants.items()
        ]

    def refuse_size(self) -> None:
        """Refuse what could not even be listed.

        Raises
        ------
        ConfigError
        """
        config = self._config
        count = sum(math.prod(len(grid[n]) for n in self._split.outer) for grid in config.grids)
        repetitions = 0
        for _, variant, where in self._variants:
            here = [variant.repetitions or config.repetitions]
            here += [case.repetitions or 0 for case in variant.cases]
            repetitions += max(here) * (where[1] not in config.leave_out)
        if count * repetitions > _MOST_CELLS:
            message = (
                f"these are {count * repetitions} cells, {count} grid points with {repetitions} "
                f"repetitions of all methods and variants; at most {_MOST_CELLS} can be run"
            )
            path = ("repetitions",) if repetitions > count else ("grid",)
            raise self._error(message, path, key=True)

    def params(self) -> list[ConfigError]:
        """Validate the experiment's parameters at every grid point."""
        if unfit := [*self._section_problems(), *self._grid_problems()]:
            raise ConfigErrors(unfit)  # what follows walks over the grid
        problems: dict[str, ConfigError] = {}
        samples: list[tuple[KeyPath, Mapping[str, Any]]] = [((), {})]
        samples += [((*where, "sample"), v.sample) for _, v, where in self._variants if v.sample]
        for point in points(self._config, self._split):
            values = self._split.of_experiment(point.values)
            for at, sample in samples:
                given = {**self._config.params, **sample, **values, **point.inner}
                places = {name: (*at, name) for name in sample}
                locate = self._locate_at(point, places)
                invalid = self._invalid(self._experiment.params, given, locate)
                invalid = invalid or list(self._too_many_neighbors(given, locate))
                problems |= {str(error): error for error in invalid}
        return list(problems.values())

    def methods(self) -> Iterator[ConfigError]:
        """Validate names, kinds, parameters and cases of all methods."""
        config = self._config
        for i, name in enumerate(config.leave_out):
            if name not in config.methods:
                yield self._error(unknown("method", name, config.methods), ("leave_out", i))
        if not set(config.methods) - set(config.leave_out):
            yield self._error("leave_out leaves no method", ("leave_out",))
        models: dict[str, type[BaseModel]] = {}
        for name, method in config.methods.items():
            path: KeyPath = ("methods", name)
            try:
                model = _parameters(method.use or name, self._experiment.methods)
            except UserError as error:
                path = (*path, "use") if method.use else path
                yield self._error(str(error), path, key=method.use is None)
                continue
            lost = list(self._from_grid_problems(model, method, path))
            yield from lost
            if not lost:
                models[name] = model
        for method, variant, where in self._variants:
            if where[1] in models:
                yield from self._variant_problems(models[where[1]], method, variant, where)
                yield from self._case_problems(variant, where)

    def figures(self) -> Iterator[ConfigError]:
        """Validate the options of the config's figures."""
        config, kind = self._config, self._experiment.figure
        sections: dict[KeyPath, Any] = {
            ("more_figures", name): options for name, options in config.more_figures.items()
        }
        if "figure" in self._opened.document.mapping:
            sections["figure",] = config.figure
        for at, options in sections.items():
            locate = _locate({}, at)
            if invalid := self._invalid(kind, options, locate):
                yield from invalid
                continue
            checked = kind.model_validate(options)
            for path, message in unknown_names(checked, options, config, self._experiment):
                yield self._error(message, locate(path), key=path[-2:-1] == ("where",))

    def _error(self, message: str, path: KeyPath, *, key: bool = False) -> ConfigError:
        return self._opened.document.locate(path, key=key).error(message)

    def _invalid(self, model: type[BaseModel], given: Any, locate: Locate) -> list[ConfigError]:
        """Return what a model finds wrong with what is given."""
        try:
            model.model_validate(given)
        except ValidationError as error:
            return explain(error, self._opened.document, model, locate)
        return []

    def _locate_at(self, point: Point, places: Mapping[str, KeyPath]) -> Locate:
        """Return a function from a part of the experiment's parameters to where it is set."""

        def locate(loc: KeyPath) -> KeyPath:
            name = str(loc[0]) if loc else ""
            if name in point.inner:
                value = point.inner[name][int(loc[1])] if len(loc) > 1 else None
                return (*self._in_grid(name, value), *loc[2:])
            if name in point.values:
                return self._in_grid(name, point.values[name])
            return _locate(places, ("params",))(loc)

        return locate

    def _in_grid(self, name: str, value: Any) -> KeyPath:
        """Return where the grid, or one of `also`, has a value of a parameter."""
        places = (
            (*path, name, i)
            for path, grid in self._grids.items()
            for i, other in enumerate(grid.get(name, ()))
            if same_numbers(other) == same_numbers(value)
        )
        return next(places, ("grid", name))

    def _too_many_neighbors(
        self, given: Mapping[str, Any], locate: Locate
    ) -> Iterator[ConfigError]:
        """Find more neighbours than there are: k of n points, in lists of several lengths."""
        fields = self._experiment.params.model_fields
        n = given.get("n", fields["n"].default) if "n" in fields else math.inf
        for i, k in enumerate(given["k"] if "k" in self._experiment.inner else ()):
            if k >= n:
                message = f"k={k}: {n} points have at most {n - 1} neighbours each"
                yield self._error(message, locate(("k", i)))

    def _section_problems(self) -> Iterator[ConfigError]:
        """Find parameters in the wrong section."""
        config, inner = self._config, self._experiment.inner
        sections: list[tuple[KeyPath, Any]] = [(("params",), config.params)]
        sections += [((*where, "sample"), variant.sample) for _, variant, where in self._variants]
        for path, section in sections:
            for name in section:
                message = f"{name!r} is set in both {path[-1]} and grid"
                if name not in config.grid:
                    message = f"{name!r} belongs in grid: this experiment evaluates it in each cell"
                if name in config.grid or name in inner:
                    yield self._error(message, (*path, name), key=True)
        for name in inner:
            if name not in config.grid and name not in config.params:
                yield self._error(f"the key {name!r} is missing in grid", ("grid",), key=True)

    def _grid_problems(self) -> Iterator[ConfigError]:
        """Find parameters that only `also` has, and duplicate values."""
        for path, grid in self._grids.items():
            for name, values in grid.items():
                if name not in self._config.grid:
                    message = unknown("grid parameter", name, self._config.grid)
                    yield self._error(message, (*path, name), key=True)
                numbers = [same_numbers(value) for value in values]
                for i, value in enumerate(values):
                    if numbers[i] in numbers[:i]:
                        message = f"duplicate value {value!r} in {path[0]}.{name}"
                        yield self._error(message, (*path, name, i))

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
        """Validate a method's parameters: with each value of the grid, and in each case."""
        cases: list[tuple[KeyPath, Mapping[str, Any]]] = [((), {})]
        cases += [((*where, "cases", i, "params"), c.params) for i, c in enumerate(variant.cases)]
        for name, value, position in self._from_grid(method) or [("", None, ())]:
            for case in cases:
                given = dict(method.params)
                places = {key: (*where[:2], "params", key) for key in method.params}
                if name:
                    given[name], places[name] = value, position
                for path, params in (((*where, "params"), variant.params), case):
                    given |= params
                    places |= {key: (*path, key) for key in params}
                yield from self._invalid(model, given, _locate(places, (*where, "params")))

    def _from_grid(self, method: Method) -> list[tuple[str, Any, KeyPath]]:
        """Return the values a method takes from the grid, each with its place."""
        return [
            (name, value, (*path, column, i))
            for name, column in method.from_grid.items()
            for path, grid in self._grids.items()
            for i, value in enumerate(grid.get(column, ()))
        ]

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
            choices = [*self._config.grid_values[name], *self._opened.base_grid.get(name, ())]
            for i, value in enumerate(values):
                position = self._opened.document.locate((*path, i))
                # and so does the smaller grid of a config that extends another one
                if value not in choices and position.file == str(self._opened.path):
                    message = unknown(f"value of {name}", value, dict.fromkeys(map(str, choices)))
                    yield position.error(message)


def _locate(places: Mapping[str, KeyPath], default: KeyPath) -> Locate:
    """Return a function from a part of parameters to its place: below `default` if it has none."""

    def locate(loc: KeyPath) -> KeyPath:
        if loc and loc[0] in places:
            return (*places[str(loc[0])], *loc[1:])
        return (*default, *loc)

    return locate


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
    try:
        return parameter_model(METHODS[use].load())
    except (TypeError, NameError, ValueError) as error:
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        raise UserError(f"{use!r} is no method: its parameters cannot be read ({cause})") from None
