"""Finding and loading experiments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from geoforest_cli.core import user_modules
from geoforest_cli.core.bundled import bundled
from geoforest_cli.core.errors import ConfigError, UserError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.study.config.find import experiment_folders, experiments_in, known_experiments
from geoforest_cli.study.experiment import Experiment

__all__ = ["code_of", "find", "load", "shadowed"]


def find(word: str, beside: Sequence[Path]) -> Path:
    """Return the file of an experiment as a config names it.

    Parameters
    ----------
    word : str
        A name, or the path of a file beside the config, as ``./mine.py``.
    beside : sequence of Path
        The folder of the config, then those of the files it extends.

    Raises
    ------
    UserError
        If there is none, with the nearest spelling; or if its file lies outside of these folders
        (and of those whose experiments they call by name), links resolved.
    """
    if word.startswith(".") and word.endswith(".py"):
        for folder in beside:
            if (folder / word).is_file():
                return user_modules.require_below(word, folder / word, beside)
        names = [f"./{name}.py" for folder in beside for name in experiments_in(folder)]
        raise UserError(unknown("file of an experiment", word, dict.fromkeys(names)))
    experiments = known_experiments(*beside)
    if word in experiments:
        return _require_own(word, experiments[word], beside)
    if any(word in experiments_in(folder) for folder in beside):
        raise UserError(
            f"unknown experiment {word!r}; a file beside the config is named by its path, "
            f"'./{word}.py'"
        )
    raise UserError(unknown("experiment", word, experiments))


def _require_own(word: str, path: Path, beside: Sequence[Path]) -> Path:
    """Return the file of a named experiment, if it is geoforest's or lies in folders of configs."""
    if path in experiments_in(bundled("experiments")).values():
        return path
    # a folder that is a link lies where the link leads
    folders = [folder for folder in experiment_folders(*beside) if not folder.is_symlink()]
    return user_modules.require_below(word, path, folders)


def shadowed(path: Path) -> bool:
    """Return whether a file hides an experiment of geoforest's with the same name."""
    ours = bundled("experiments") / path.name
    return ours.is_file() and not ours.samefile(path)


def load(path: Path) -> Experiment[Any]:
    """Import the experiment of a file, once for each state of the file.

    Raises
    ------
    ConfigError
        If the module cannot be imported, or does not define exactly one experiment.
    """
    module = user_modules.load(path)
    classes = {
        thing: thing.__name__
        for thing in vars(module).values()
        if isinstance(thing, type)
        and issubclass(thing, Experiment)
        and thing.__module__ == module.__name__
    }
    if len(classes) != 1:
        names = " and ".join(classes.values()) or "none"
        message = f"an experiment's file defines one subclass of Experiment; here there is {names}"
        raise ConfigError(message, path)
    experiment: Experiment[Any] = next(iter(classes))()
    return experiment


def code_of(experiment: Experiment[Any], path: Path) -> str:
    """Return what stands for the code of an experiment in the identity of its cells."""
    return f"{user_modules.digest(path)}.{experiment.version}"
