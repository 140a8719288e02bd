"""Cells, the unit of work; entries, where the config asks for them; and the plan of both."""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.identity import derive_seed, digest
from geoforest_cli.core.registry import Entry
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.datasets import DataEntry
from geoforest_cli.problems.datasets.files import Dataset, fetch
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.experiment import Experiment, Task

__all__ = ["Cell", "Inner", "Job", "Plan", "PlanEntry", "Setting", "combinations"]

# inner grid parameter -> the values to evaluate
Inner: TypeAlias = Mapping[str, tuple[Any, ...]]
Combination: TypeAlias = tuple[Any, ...]


def combinations(inner: Inner) -> frozenset[Combination]:
    """Return every combination of values, the parameters in the order of their names.

    Examples
    --------
    >>> sorted(combinations({"k": (5, 10), "a": ("x",)}))
    [('x', 5), ('x', 10)]
    """
    return frozenset(itertools.product(*(inner[name] for name in sorted(inner))))


@dataclass(frozen=True)
class Setting:
    """Facts that the repetitions of a cell share.

    Attributes
    ----------
    experiment : Path
        Its file.
    folders : tuple of Path
        That of the config, then those of the files it extends: the user's modules are searched
        there.
    code : str
        Digest of the experiment's source, and its version.
    params : mapping
        The experiment's validated parameters, defaults filled in; without inner ones.
    drawn : mapping
        The part of them that differs from the defaults and acts before a sample is drawn, as the
        config has it: what the sample's seed comes from.
    point : mapping
        The part of them that differs from the defaults: what the method's seed comes from.
    used : mapping
        Manifolds, data sets and so on -> their versions.
    use : str
        The method's name in the registry.
    method_version : int or str
    method_params : mapping
        Validated, defaults filled in.
    variant : str
    inner_names, detail : tuple of str
    seed : int
        The config's.
    measured : str
        The processor, where the experiment measures time; empty otherwise.
    timeout : float
        Seconds. Neither limit is part of what a cell is.
    memory : int, optional
        Bytes.
    axes : frozenset of str
        The config's grid parameters.
    withdrawn : mapping
        Parameters that the method no longer has: see `MethodEntry`.
    """

    experiment: Path
    folders: tuple[Path, ...]
    code: str
    params: Mapping[str, Any]
    drawn: Mapping[str, Any]
    point: Mapping[str, Any]
    used: Mapping[str, int | str]
    use: str
    method_version: int | str
    method_params: Mapping[str, Any]
    variant: str
    inner_names: tuple[str, ...]
    detail: tuple[str, ...]
    seed: int
    measured: str = ""
    timeout: float = 3600.0
    memory: int | None = None
    axes: frozenset[str] = frozenset()
    withdrawn: Mapping[str, Any] = field(default_factory=dict)

    @functools.cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that rows depend on, but for the repetition."""
        measured = {"processor": self.measured} if self.measured else {}
        return {
            **measured,
            "experiment": self.code,
            "params": dict(self.params),
            "used": dict(self.used),
            "use": self.use,
            "method_version": self.method_version,
            "method_params": {**self.withdrawn, **self.method_params},
            "variant": self.variant,
            "seed": self.seed,
        }

    @functools.cached_property
    def digest(self) -> str:
        """Hash of the identity."""
        return digest(self.identity)

    @functools.cached_property
    def point_group(self) -> str:
        """Hash of what repetitions share: method, variant and parameters, of all versions."""
        method_params = {**self.withdrawn, **self.method_params}
        return digest([self.use, self.variant, method_params, self.params])[:16]

    @functools.cached_property
    def method_group(self) -> str:
        """Hash of what the grid points of a method share: its variant, and the other parameters."""
        sized = {name: value for name, value in self.params.items() if name not in self.axes}
        return digest([self.use, self.variant, sized])[:16]

    def task(self, repetition: int, inner: Inner, experiment: Experiment[Any]) -> Task[Any]:
        """Return what the experiment is given."""
        kind = "as_run" if self.variant == "as_run" else "as_written"
        seeds = (self.seed, repetition)
        return Task(
            params=experiment.params.model_validate({**self.params, **inner}),
            method=self.use,
            method_params=self.method_params,
            variant=self.variant,
            repetition=repetition,
            sample_seed=derive_seed("sample", *seeds, self.drawn, kind),
            method_seed=derive_seed("method", *seeds, self.point, self.use),
            metric_seed=derive_seed("metric", *seeds, self.point, self.use, self.variant),
            repetition_seed=derive_seed("repetition", *seeds),
        )

    def refuse_changes(self, code: str) -> None:
        """Refuse to run with other sources than those that the identity knows.

        Raises
        ------
        UserError
            If the experiment or a method of the user's was edited since the run was planned.
        """
        if code != self.code:
            raise UserError(f"{self.experiment} was edited since this run began: run it again")
        if ":" in self.use and METHODS[self.use].version != self.method_version:
            raise UserError(f"{self.use} was edited since this run began: run it again")
        for name, version in self.used.items():
            kind, _, manifold = name.partition(" ")
            if kind == "manifold" and ":" in manifold and MANIFOLDS[manifold].version != version:
                raise UserError(f"{manifold} was edited since this run began: run it again")

    def refuse_other_files(self, used: Mapping[str, Entry]) -> None:
        """Refuse to run on other files than those that the identity knows.

        Parameters
        ----------
        used : mapping
            What the experiment uses now.

        Raises
        ------
        UserError
            If a table of the user's was written again since the run was planned.
        """
        for name, entry in used.items():
            if not isinstance(entry, DataEntry) and entry.version != self.used.get(name):
                table = name.partition(" ")[2]
                raise UserError(f"{table} was edited since this run began: run it again")


@dataclass(frozen=True)
class Cell:
    """One grid point, one method in one variant, one repetition."""

    setting: Setting
    repetition: int

    @functools.cached_property
    def key(self) -> str:
        """Hash of everything its rows depend on: 24 hexadecimal digits."""
        text = f"{self.setting.digest}:{self.repetition}"
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    @property
    def identity(self) -> dict[str, Any]:
        """Everything its rows depend on."""
        return {**self.setting.identity, "repetition": self.repetition}

    def task(self, inner: Inner, experiment: Experiment[Any]) -> Task[Any]:
        """Return what the experiment is given for these values of its inner parameters."""
        return self.setting.task(self.repetition, inner, experiment)


@dataclass(frozen=True)
class Job:
    """A cell with the inner values that are to be computed, as an executor gets it."""

    cell: Cell
    inner: Inner
    label: str = ""

    @property
    def key(self) -> str:
        """The cell's key."""
        return self.cell.key

    @property
    def use(self) -> str:
        """The method's name in the registry."""
        return self.cell.setting.use

    @property
    def timeout(self) -> float:
        """Seconds it may take."""
        return self.cell.setting.timeout

    @property
    def memory(self) -> int | None:
        """Bytes its process may hold, if bounded."""
        return self.cell.setting.memory

    def describe(self) -> str:
        """Return one short line."""
        return self.label or f"cell {self.key}"


@dataclass(frozen=True)
class PlanEntry:
    """Where a config asks for a cell: under which name of its method, at which grid point.

    A cell may have several entries: under two names of one method, or at every value of a grid
    parameter that its method does not take.

    Attributes
    ----------
    cell : Cell
    method : str
        The method's name in the config.
    point : mapping
        Values of the outer grid parameters, in the order of the config.
    inner : mapping
        The inner values that the config asks for here.
    """

    cell: Cell
    method: str
    point: Mapping[str, Any]
    inner: Inner

    @property
    def variant(self) -> str:
        """``as_written``, ``as_run`` or ``recommended``."""
        return self.cell.setting.variant

    @property
    def repetition(self) -> int:
        """Counted from 0."""
        return self.cell.repetition

    def describe(self) -> str:
        """Return one short line."""
        point = [f"{name}={value}" for name, value in self.point.items()]
        return ", ".join(
            [f"{self.method} ({self.variant})", *point, f"repetition {self.repetition}"]
        )


@dataclass(frozen=True)
class Plan:
    """A validated config with one profile, and its cells.

    Attributes
    ----------
    name : str
        Stem of the config's file name.
    experiment : Experiment
    entries : tuple of PlanEntry
        In the order of the config.
    grid_columns : tuple of str
        All grid parameters in the config's order, then the experiment's columns of detail.
    used : mapping
        The manifolds, data sets and so on that the cells use.
    overrides : tuple of str
        KEY=VALUE pairs that changed the config.
    parents : tuple of Path
        The files that the config extends.
    notes : tuple of str
        What a user should know before it runs, one sentence each.
    preliminary : str
        Which repetitions it is of, where that is not all of them.
    texts : mapping
        What the config and its parents held when they were read, by path.
    """

    config: Config
    profile: str
    name: str
    path: Path
    entries: tuple[PlanEntry, ...]
    experiment: Experiment[Any]
    grid_columns: tuple[str, ...]
    used: Mapping[str, Entry]
    overrides: tuple[str, ...] = ()
    parents: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    preliminary: str = ""
    texts: Mapping[Path, str] = field(default_factory=dict)

    @functools.cached_property
    def jobs(self) -> dict[str, Job]:
        """Every cell once, by key, with all inner values that some entry asks for."""
        jobs: dict[str, Job] = {}
        for entry in self.entries:
            key = entry.cell.key
            if key not in jobs:
                jobs[key] = Job(entry.cell, entry.inner, entry.describe())
            elif jobs[key].inner != entry.inner:
                inner = {
                    name: tuple(dict.fromkeys((*values, *entry.inner[name])))
                    for name, values in jobs[key].inner.items()
                }
                jobs[key] = replace(jobs[key], inner=inner)
        return jobs

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folder of the config, then those of the files it extends, each once."""
        return tuple(dict.fromkeys(path.resolve().parent for path in (self.path, *self.parents)))

    @property
    def size(self) -> str:
        """The profile, and whether something was changed: the folder of what it leaves."""
        return f"{self.profile}-changed" if self.overrides else self.profile

    @property
    def caution(self) -> str:
        """Why it does not judge the paper; empty at the published size."""
        if self.preliminary:
            return self.preliminary
        if self.overrides:
            return f"changed by --set {' --set '.join(self.overrides)}: it does not judge the paper"
        if self.profile != "paper":
            return f"profile {self.profile}: too small to judge the paper"
        return ""

    def unavailable(self) -> dict[str, str]:
        """Return the methods whose packages are not installed, and how to get them."""
        uses = {entry.method: entry.cell.setting.use for entry in self.entries}
        reasons = {method: METHODS[use].lacking() for method, use in uses.items() if ":" not in use}
        return {method: reason for method, reason in reasons.items() if reason}

    def without(self, methods: Iterable[str]) -> Plan:
        """Return the plan without the cells of some methods; their claims are not judged."""
        left_out = set(methods)
        kept = tuple(entry for entry in self.entries if entry.method not in left_out)
        return replace(self, entries=kept)

    def first(self, repetitions: int) -> Plan:
        """Return the plan of the first repetitions, marked as preliminary."""
        total = 1 + max(entry.repetition for entry in self.entries)
        kept = tuple(entry for entry in self.entries if entry.repetition < repetitions)
        text = f"preliminary, {repetitions} of {total} repetitions"
        return replace(self, entries=kept, preliminary=text)

    def data_sets(self) -> dict[str, Dataset]:
        """Return the data sets whose files the cells read, by name."""
        entries = (entry for entry in self.used.values() if isinstance(entry, DataEntry))
        data_sets = (entry.dataset for entry in entries)
        return {data.name: data for data in data_sets if data is not None}

    def prepare(self) -> None:
        """Fetch the files that the cells need, before any runs.

        Raises
        ------
        MissingData
            If a data set cannot be had.
        """
        for dataset in self.data_sets().values():
            fetch(dataset)
