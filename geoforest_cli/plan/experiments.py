"""Finding and loading experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from geoforest_cli import sources
from geoforest_cli.config.find import bundled
from geoforest_cli.errors import ConfigError
from geoforest_cli.experiment import Experiment

__all__ = ["available", "code_of", "load"]


def available(*beside: Path) -> dict[str, Path]:
    """Return the experiments by name: those of a config's folders first, then geoforest's."""
    folders = [one for folder in beside for one in (folder.parent / "experiments", folder)]
    folders += [Path.cwd() / "experiments", bundled("experiments")]
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.py")) if folder.is_dir() else ():
            if not path.name.startswith("_"):
                found.setdefault(path.stem, path.resolve())
    return found


def load(path: Path) -> Experiment[Any]:
    """Import the experiment of a file, once for each state of the file.

    Raises
    ------
    ConfigError
        If the module cannot be imported, or does not define exactly one experiment.
    """
    module = sources.load(path)
    own = list(
        dict.fromkeys(
            thing
            for thing in vars(module).values()
            if isinstance(thing, type)
            and issubclass(thing, Experiment)
            and thing.__module__ == module.__name__
        )
    )
    if len(own) != 1:
        found = " and ".join(one.__name__ for one in own) or "none"
        message = f"an experiment's file defines one subclass of Experiment; here there is {found}"
        raise ConfigError(message, path)
    experiment: Experiment[Any] = own[0]()
    return experiment


def code_of(experiment: Experiment[Any], path: Path) -> str:
    """Return what stands for the code of an experiment in the identity of its cells."""
    return f"{sources.digest(path)}.{experiment.version}"
