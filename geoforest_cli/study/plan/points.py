"""The points of a config's grid."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from geoforest_cli.core.identity import same_numbers
from geoforest_cli.core.yaml_loader import KeyPath
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.experiment import Experiment

__all__ = ["Axes", "Point", "axes", "points"]


@dataclass(frozen=True)
class Axes:
    """Which grid parameter is whose.

    Attributes
    ----------
    outer, inner : tuple of str
        Those that multiply cells, and those that the experiment evaluates inside each cell.
    of_methods : frozenset of str
        Outer ones that only methods take (`from_grid`); the experiment does not know them.
    """

    outer: tuple[str, ...]
    inner: tuple[str, ...]
    of_methods: frozenset[str]

    def of_experiment(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """Return the part of a point that the experiment takes."""
        return {name: value for name, value in point.items() if name not in self.of_methods}


def axes(config: Config, experiment: Experiment[Any]) -> Axes:
    """Sort the grid's parameters by who takes them."""
    taken = {name for method in config.methods.values() for name in method.from_grid.values()}
    inner = tuple(name for name in config.grid if name in experiment.inner)
    return Axes(
        outer=tuple(name for name in config.grid if name not in inner),
        inner=inner,
        of_methods=frozenset(taken - set(experiment.params.model_fields)),
    )


@dataclass(frozen=True)
class Point:
    """One point of the outer grid.

    Attributes
    ----------
    values : dict
    inner : dict
        The inner parameters' values at this point.
    places : dict
        Where each parameter's value is in the config.
    inner_places : dict
        Where each value of an inner parameter is.
    """

    values: dict[str, Any]
    inner: dict[str, tuple[Any, ...]]
    places: dict[str, KeyPath]
    inner_places: dict[str, tuple[KeyPath, ...]]

    def add(self, inner: Mapping[str, tuple[Any, ...]], where: Mapping[str, KeyPath]) -> None:
        """Add values of inner parameters, without duplicates."""
        for name, values in inner.items():
            known = [same_numbers(value) for value in self.inner[name]]
            new = [i for i, value in enumerate(values) if same_numbers(value) not in known]
            self.inner[name] = (*self.inner[name], *(values[i] for i in new))
            self.inner_places[name] = (
                *self.inner_places[name], *((*where[name], i) for i in new)
            )  # fmt: skip


def points(config: Config, split: Axes) -> list[Point]:
    """Return every point once, the config's grid first, then those of `also`.

    A further grid that changes only inner parameters adds their values to existing points.
    """
    result: dict[tuple[Any, ...], Point] = {}
    for number, grid in enumerate(config.grids):
        where: dict[str, KeyPath] = {name: ("grid", name) for name in grid}
        if number:
            where |= {name: ("also", number - 1, name) for name in config.also[number - 1]}
        inner = {name: grid[name] for name in split.inner}
        for indices in itertools.product(*(range(len(grid[name])) for name in split.outer)):
            chosen = list(zip(split.outer, indices, strict=True))
            values = {name: grid[name][i] for name, i in chosen}
            known = tuple(same_numbers(value) for value in values.values())
            if known in result:
                result[known].add(inner, where)
                continue
            at: dict[str, KeyPath] = {name: (*where[name], i) for name, i in chosen}
            at |= {name: where[name] for name in split.inner}
            nothing: dict[str, tuple[Any, ...]] = dict.fromkeys(split.inner, ())
            result[known] = Point(values, dict(nothing), at, dict(nothing))
            result[known].add(inner, where)
    return list(result.values())
