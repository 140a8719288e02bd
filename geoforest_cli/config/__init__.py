"""Configs: strict YAML in, a validated plan of cells out."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from geoforest_cli.config import experiments
from geoforest_cli.config.cells import Cell, Plan, Task
from geoforest_cli.config.checks import check_methods, check_params
from geoforest_cli.config.expand import expand
from geoforest_cli.config.explain import explain
from geoforest_cli.config.find import find, known_configs
from geoforest_cli.config.merge import apply_overrides, apply_profile, profile_names
from geoforest_cli.config.schema import Config
from geoforest_cli.config.yaml_loader import Document, Path_, Place, read
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
    config = _validated(document)
    module_path = _experiment(config, document, path)
    experiment = experiments.load(module_path)
    _refuse(
        [
            *check_params(config, experiment, document),
            *check_methods(config, experiment, document, _grid(original)),
            *_check_figure(config, experiment, document),
        ]
    )
    plan = Plan(
        config=config,
        profile=profile,
        name=path.stem,
        path=path,
        cells=expand(config, experiment, module_path),
        experiment=experiment,
        grid_columns=(*config.grid, *getattr(experiment, "DETAIL", ())),
        overrides=tuple(overrides),
    )
    _refuse(
        _place(document, loc, message).error(message)
        for check in checkers
        for loc, message in check(plan)
    )
    return plan


def profiles_of(name: str | Path) -> tuple[str, ...]:
    """Return the names of a config's profiles."""
    return profile_names(_top(read(find(name))))


def _top(document: Document) -> Document:
    if document.data is None:
        raise ConfigError("the config is empty", document.file, 1, 1)
    if not isinstance(document.data, dict):
        found = "a list" if isinstance(document.data, list) else f"{document.data!r:.40}"
        raise document.place(()).error(f"a config is a mapping (key: value), not {found}")
    return document


def _validated(document: Document) -> Config:
    try:
        return Config.model_validate(document.data)
    except ValidationError as error:
        problems = explain(error, document, Config, lambda loc: loc, more_keys=("profiles",))
        raise ConfigErrors(_sorted(problems)) from None


def _grid(document: Document) -> dict[str, Any]:
    grid = document.data.get("grid")
    return grid if isinstance(grid, dict) else {}


def _check_figure(config: Config, experiment: ModuleType, document: Document) -> list[ConfigError]:
    model = getattr(experiment, "FigureOptions", None)
    if model is None:
        return []
    sections: list[tuple[Path_, Any]] = [
        (("more_figures", name), options) for name, options in config.more_figures.items()
    ]
    if "figure" in document.data:
        sections.append((("figure",), config.figure))
    problems = []
    for at, options in sections:
        try:
            model.model_validate(options)
        except ValidationError as error:
            locate = functools.partial(_below, at)
            problems += explain(error, document, model, locate)
    return problems


def _below(at: Path_, loc: Path_) -> Path_:
    return (*at, *loc)


def _place(document: Document, loc: Path_, message: str) -> Place:
    """Return where a checker's problem stands: on the key, if it is about the key."""
    about_key = bool(loc) and message.startswith("unknown") and f" {loc[-1]!r}" in message
    return document.place(loc, key=about_key)


def _sorted(problems: Iterable[ConfigError]) -> list[ConfigError]:
    return sorted(problems, key=lambda one: (str(one.file), one.line or 0, one.column or 0))


def _refuse(problems: Iterable[ConfigError]) -> None:
    listed = {str(one): one for one in problems}
    if listed:
        raise ConfigErrors(_sorted(listed.values()))


def _experiment(config: Config, document: Document, path: Path) -> Path:
    known = experiments.available(path)
    if config.experiment not in known:
        place = document.place(("experiment",))
        raise place.error(unknown("experiment", config.experiment, known))
    return known[config.experiment]
