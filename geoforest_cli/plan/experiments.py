"""Finding and loading experiments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from geoforest_cli import sources
from geoforest_cli.config.find import bundled, experiments_in, known_experiments
from geoforest_cli.errors import ConfigError, UserError
from geoforest_cli.experiment import Experiment
from geoforest_cli.hints import unknown

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
        If there is none, with the nearest spelling.
    """
    if word.startswith(".") and word.endswith(".py"):
        for folder in beside:
            if (folder / word).is_file():
                return (folder / word).resolve()
        inside = (experiments_in(folder) for folder in beside)
        there = {f"./{name}.py": path for found in inside for name, path in found.items()}
        raise UserError(unknown("file of an experiment", word, there))
    known = known_experiments(*beside)
    if word in known:
        return known[word]
    if any(word in experiments_in(folder) for folder in beside):
        raise UserError(
            f"unknown experiment {word!r}; a file beside the config is named by its path, "
            f"'./{word}.py'"
        )
    raise UserError(unknown("experiment", word, known))


def shadowed(path: Path) -> bool:
    """Whether a file stands in the place of an experiment of geoforest's."""
    own = bundled("experiments") / path.name
    return own.is_file() and not own.samefile(path)


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
