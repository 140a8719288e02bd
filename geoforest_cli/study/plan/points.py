"""The points of a config's grid."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from geoforest_cli.core.identity import same_numbers
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.experiment import Experiment

__all__ = ["Axes", "Point", "axes", "points"]


@dataclass(frozen=True)
class Axes:
    """Grid parameters by their role.

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
    """

    values: dict[str, Any]
    inner: dict[str, tuple[Any, ...]]


def points(config: Config, split: Axes) -> list[Point]:
    """Return every point once, the config's grid first, then those of `also`.

    A further grid that changes only inner parameters adds their values to existing points.
    """
    result: dict[tuple[Any, ...], Point] = {}
    for grid in config.grids:
        for values in itertools.product(*(grid[name] for name in split.outer)):
            new = Point(dict(zip(split.outer, values, strict=True)), {})
            inner = result.setdefault(same_numbers(values), new).inner
            for name in split.inner:
                listed = inner.get(name, ())
                numbers = [same_numbers(value) for value in listed]
                more = [value for value in grid[name] if same_numbers(value) not in numbers]
                inner[name] = (*listed, *more)
    return list(result.values())
