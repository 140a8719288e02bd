"""Configs: strict YAML in, a validated plan of cells out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.config import experiments
from geoforest_cli.config.cells import Cell, Plan, Task
from geoforest_cli.config.expand import check_methods, check_params, expand
from geoforest_cli.config.explain import explain
from geoforest_cli.config.find import find, known_configs
from geoforest_cli.config.merge import apply_overrides, apply_profile, profile_names
from geoforest_cli.config.schema import Config
from geoforest_cli.config.yaml_loader import Document, Path_, read
from geoforest_cli.errors import ConfigError, ConfigErrors
from geoforest_cli.hints import unknown

__all__ = ["Cell", "Config", "Plan", "Task", "find", "known_configs", "load", "profiles_of"]

Checker = Callable[[Plan], Iterable[tuple[Path_, str]]]


def load(
    name: str | Path,
    profile: str = "paper",
    overrides: Sequence[str] = (),
    checkers: Sequence[Checker] = (),
) -> Plan:
    """Read and validate a config; return its plan.

    Parameters
    ----------
    name : str or path
        A file, or the name of a config that is known.
    profile : str
        Size of the config.
    overrides : sequence of str
        KEY=VALUE pairs.
    checkers : sequence of callable
        Each takes the plan and yields (path in the config, problem).

    Raises
    ------
    UserError
        With one sentence for every problem, each with its file, line and column.
    """
    path = find(name)
    original = _top(read(path))
    document = apply_profile(original, profile)
    document.data = copy.deepcopy(document.data)
    apply_overrides(document, overrides)
    config = _validate(Config, document.data, document, ())
    module_path = _experiment(config, document, path)
    experiment = experiments.load(module_path)
    problems = check_params(config, experiment, document)
    base_grid = original.data.get("grid")
    problems += check_methods(
        config, experiment, document, base_grid if isinstance(base_grid, dict) else {}
    )
    _refuse(problems)
    if hasattr(experiment, "FigureOptions"):
        _validate(experiment.FigureOptions, config.figure, document, ("figure",))
    plan = Plan(
        config=config,
        profile=profile,
        name=path.stem,
        path=path,
        cells=expand(config, experiment, module_path),
        experiment=experiment,
        grid_columns=tuple(config.grid),
        overrides=tuple(overrides),
    )
    _refuse(
        document.place(loc).error(message) for check in checkers for loc, message in check(plan)
    )
    return plan


def profiles_of(name: str | Path) -> tuple[str, ...]:
    """Return the names of a config's profiles."""
    return profile_names(_top(read(find(name))))


def _top(document: Document) -> Document:
    if document.data is None:
        raise ConfigError("the config is empty", document.file, 1, 1)
    if not isinstance(document.data, dict):
        raise document.place(()).error("a config is a mapping (key: value)")
    return document


def _validate(model: type[Any], data: Any, document: Document, prefix: Path_) -> Any:
    try:
        return model(**data)
    except ValidationError as error:
        found: type[BaseModel] = model
        problems = explain(error, document, found, lambda loc: (*prefix, *loc))
        raise ConfigErrors(problems) from None


def _refuse(problems: Iterable[ConfigError]) -> None:
    listed = list(problems)
    if listed:
        raise ConfigErrors(listed)


def _experiment(config: Config, document: Document, path: Path) -> Path:
    known = experiments.available(path)
    if config.experiment not in known:
        place = document.place(("experiment",))
        raise place.error(unknown("experiment", config.experiment, known))
    return known[config.experiment]
