"""Cells, the unit of work, and the plan that holds them."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from geoforest_cli.config import experiments
from geoforest_cli.config.schema import Config
from geoforest_cli.datasets.files import fetch
from geoforest_cli.methods import METHODS

__all__ = ["Cell", "Plan", "Task", "canonical", "derive_seed"]


def canonical(value: Any) -> Any:
    """Return what is hashed for a value: 70 and 70.0 are the same, tuples are lists.

    Examples
    --------
    >>> canonical({"b": (1.0, 2.5), "a": 3})
    {'a': 3, 'b': [1, 2.5]}
    """
    if isinstance(value, Mapping):
        return {str(key): canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def digest(value: Any) -> str:
    """Return the sha256 of a value's canonical JSON, in hexadecimal digits."""
    text = json.dumps(canonical(value), separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def derive_seed(*parts: Any) -> int:
    """Return a 63-bit seed that depends on nothing but the parts.

    Examples
    --------
    >>> derive_seed("sample", 1, {"n": 10}) == derive_seed("sample", 1, {"n": 10.0})
    True
    """
    return int(digest(list(parts))[:16], 16) >> 1


@dataclass(frozen=True)
class Task:
    """What an experiment's `run_cell` is given.

    Attributes
    ----------
    params : Model
        The experiment's validated parameters at one grid point.
    method : str
        Registry name.
    method_params : dict
    variant : {"as_written", "as_run", "recommended"}
    repetition : int
    sample_seed : int
        The same for all methods of a grid point and repetition.
    method_seed, metric_seed : int
        This cell's own.
    repetition_seed : int
        The same for all cells of a repetition: for samples that are parts of one another.
    """

    params: Any
    method: str
    method_params: Mapping[str, Any]
    variant: str
    repetition: int
    sample_seed: int
    method_seed: int
    metric_seed: int
    repetition_seed: int = 0

    @property
    def sample_kind(self) -> str:
        """How the sample is drawn: the recommended variant uses the sample as written."""
        return "as_run" if self.variant == "as_run" else "as_written"

    def build_method(self) -> Any:
        """Return a new instance of the method, seeded, on one thread."""
        cls = METHODS[self.method].load()
        accepted = inspect.signature(cls).parameters
        given = dict(self.method_params)
        if "random_state" in accepted:
            given["random_state"] = self.method_seed
        if "n_jobs" in accepted:
            given["n_jobs"] = 1
        return cls(**given)


@dataclass(frozen=True)
class Cell:
    """One grid point, one method in one variant, one repetition.

    Attributes
    ----------
    point : dict
        Values of the outer grid parameters.
    inner : dict
        Values of the grid parameters that the experiment evaluates inside the cell.
    method, use : str
        The method's name in the config, and in the registry.
    timeout : float
        Seconds.
    memory : int, optional
        Bytes.
    sample : dict
        Parameters of the experiment that this cell's variant has otherwise than the config.
    of_methods : frozenset of str
        Outer grid parameters that the experiment does not know.
    after_draw : frozenset of str
        Outer grid parameters that act on a sample once it is drawn: the draw is the same for all
        their values.
    """

    experiment_path: Path
    experiment_version: int
    point: Mapping[str, Any]
    inner: Mapping[str, tuple[Any, ...]]
    params: Mapping[str, Any]
    method: str
    use: str
    method_version: int
    variant: str
    method_params: Mapping[str, Any]
    repetition: int
    seed: int
    data_version: str = ""
    timeout: float = 3600.0
    memory: int | None = None
    sample: Mapping[str, Any] = field(default_factory=dict)
    of_methods: frozenset[str] = frozenset()
    after_draw: frozenset[str] = frozenset()

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that the cell's rows depend on."""
        sample: dict[str, Any] = {"sample": dict(self.sample)} if self.sample else {}
        if self.after_draw:
            sample["after_draw"] = sorted(self.after_draw)
        return {
            **sample,
            "experiment": self.experiment_path.stem,
            "experiment_version": self.experiment_version,
            "point": dict(self.point),
            "inner": {name: list(values) for name, values in self.inner.items()},
            "params": dict(self.params),
            "use": self.use,
            "method_version": self.method_version,
            "variant": self.variant,
            "method_params": dict(self.method_params),
            "repetition": self.repetition,
            "seed": self.seed,
            "data_version": self.data_version,
        }

    @functools.cached_property
    def key(self) -> str:
        """Hash of the identity: 24 hexadecimal digits."""
        return digest(self.identity)[:24]

    @property
    def detail(self) -> tuple[str, ...]:
        """The experiment's columns of detail."""
        return tuple(getattr(experiments.load(self.experiment_path), "DETAIL", ()))

    def task(self) -> Task:
        """Return what the experiment is given."""
        experiment = experiments.load(self.experiment_path)
        kind = "as_run" if self.variant == "as_run" else "as_written"
        # neither a method's own grid parameter nor its variant's sample changes the draw
        point = {name: v for name, v in self.point.items() if name not in self.of_methods}
        drawn = {name: v for name, v in point.items() if name not in self.after_draw}
        sample = [self.experiment_path.stem, drawn, self.params, self.repetition, kind]
        given = {**self.params, **self.sample, **point, **self.inner}
        return Task(
            params=experiment.Params(**given),
            method=self.use,
            method_params=self.method_params,
            variant=self.variant,
            repetition=self.repetition,
            sample_seed=derive_seed("sample", self.seed, *sample),
            method_seed=derive_seed("method", self.key),
            metric_seed=derive_seed("metric", self.key),
            repetition_seed=derive_seed("repetition", self.seed, self.repetition),
        )

    def describe(self) -> str:
        """Return one short line for people."""
        point = ", ".join(f"{name}={value}" for name, value in self.point.items())
        return f"{self.method} ({self.variant}), {point}, repetition {self.repetition}"


@dataclass(frozen=True)
class Plan:
    """A validated config with one profile, and its cells.

    Attributes
    ----------
    name : str
        Stem of the config's file name.
    experiment : module
    grid_columns : tuple of str
        All grid parameters in the config's order, then the experiment's columns of detail.
    """

    config: Config
    profile: str
    name: str
    path: Path
    cells: tuple[Cell, ...]
    experiment: ModuleType
    grid_columns: tuple[str, ...]
    overrides: tuple[str, ...] = ()

    def unavailable(self) -> dict[str, str]:
        """Return the methods whose packages are not installed, and how to get them."""
        found = {}
        for cell in self.cells:
            extra = METHODS[cell.use].extra
            needed = str(extra.get("needs", ""))
            if needed and importlib.util.find_spec(needed) is None:
                found[cell.method] = f"{needed} is not installed ({extra['install']})"
        return found

    def without(self, methods: Iterable[str]) -> Plan:
        """Return the plan without the cells of some methods; their claims stay undecided."""
        left_out = set(methods)
        kept = tuple(cell for cell in self.cells if cell.method not in left_out)
        return replace(self, cells=kept)

    def prepare(self) -> None:
        """Fetch the files that the cells need, before any runs.

        Raises
        ------
        DataError
            If a data set cannot be had.
        """
        points = {cell.task().params for cell in self.cells if cell.repetition == 0}
        found = (experiments.data_set(self.experiment, params) for params in points)
        for dataset in {one.name: one for one in found if one is not None}.values():
            fetch(dataset)
