"""From a validated config to its cells: grid points, identities, seeds, what they require."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import UserError
from geoforest_cli.core.yaml_loader import KeyPath
from geoforest_cli.study.config.loading import LoadedConfig, open_config, refuse
from geoforest_cli.study.plan import experiments
from geoforest_cli.study.plan.cells import Cell, Job, Plan, PlanEntry
from geoforest_cli.study.plan.checks import Checks
from geoforest_cli.study.plan.expand import expand

__all__ = ["Cell", "Checker", "Job", "Plan", "PlanEntry", "load"]

Checker = Callable[[Plan], Iterable[tuple[KeyPath, str]]]


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
    opened = open_config(name, profile, overrides)
    config = opened.config
    module = _experiment_file(opened)
    with user_modules.searched_in(*opened.folders):
        experiment = experiments.load(module)
        checks = Checks(opened, experiment)
        checks.refuse_size()
        refuse([*checks.params(), *checks.methods(), *checks.figures()])
        expanded = expand(config, experiment, module, opened.folders)
    plan = Plan(
        config=config,
        profile=profile,
        name=opened.path.stem,
        path=opened.path,
        entries=tuple(expanded.entries),
        experiment=experiment,
        grid_columns=(*config.grid, *experiment.detail),
        used=expanded.used,
        overrides=tuple(overrides),
        parents=opened.parents,
        notes=_notes(module),
        texts={path: path.read_text("utf-8", "replace") for path in (opened.path, *opened.parents)},
    )
    refuse(
        opened.locate(loc, message).error(message)
        for checker in checkers
        for loc, message in checker(plan)
    )
    return plan


def _experiment_file(opened: LoadedConfig) -> Path:
    try:
        return experiments.find(opened.config.experiment, opened.folders)
    except UserError as error:
        raise opened.document.locate(("experiment",)).error(str(error)) from None


def _notes(module: Path) -> tuple[str, ...]:
    note = f"the experiment {module.stem} is the file {module}, not geoforest's own"
    return (note,) if experiments.shadowed(module) else ()
