"""Finding and loading experiments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from geoforest_cli import sources
from geoforest_cli.config.find import bundled
from geoforest_cli.errors import ConfigError, UserError
from geoforest_cli.experiment import Experiment
from geoforest_cli.hints import unknown

__all__ = ["available", "code_of", "find", "load", "shadowed"]


def available(*beside: Path) -> dict[str, Path]:
    """Return the experiments by name: those that belong to folders of configs, then geoforest's.

    A folder named `configs` has them in itself and in the folder `experiments` next to it. Python
    files beside a config that lies anywhere else are not run by their name: who wrote the config
    need not have written them.
    """
    folders = [
        one
        for folder in beside
        if folder.name == "configs"
        for one in (folder.parent / "experiments", folder)
    ]
    found: dict[str, Path] = {}
    for folder in (*folders, bundled("experiments")):
        found |= {name: path for name, path in _in(folder).items() if name not in found}
    return found


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
        there = {f"./{name}.py": path for folder in beside for name, path in _in(folder).items()}
        raise UserError(unknown("file of an experiment", word, there))
    known = available(*beside)
    if word in known:
        return known[word]
    if any(word in _in(folder) for folder in beside):
        raise UserError(
            f"unknown experiment {word!r}; a file beside the config is named by its path, "
            f"'./{word}.py'"
        )
    raise UserError(unknown("experiment", word, known))


def shadowed(path: Path) -> bool:
    """Whether a file stands in the place of an experiment of geoforest's."""
    own = bundled("experiments") / path.name
    return own.is_file() and not own.samefile(path)


def _in(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        return {}
    files = (path for path in sorted(folder.glob("*.py")) if not path.name.startswith("_"))
    return {path.stem: path.resolve() for path in files}


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
