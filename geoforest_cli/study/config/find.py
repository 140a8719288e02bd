"""Configs and experiments that can be named, and the folders where they lie."""

from __future__ import annotations

from pathlib import Path

from geoforest_cli.core.bundled import bundled

__all__ = [
    "ENDINGS",
    "experiment_folders",
    "experiments_in",
    "known_configs",
    "known_experiments",
]

ENDINGS = (".yaml", ".yml")


def known_configs() -> dict[str, Path]:
    """Return the configs by name: those in ./configs first, then those of geoforest."""
    configs: dict[str, Path] = {}
    for folder in (Path("configs"), bundled("configs")):
        for path in sorted(folder.glob("*.yaml")) if folder.is_dir() else ():
            configs.setdefault(path.stem, path)
    return configs


def known_experiments(*beside: Path) -> dict[str, Path]:
    """Return the experiments by name: those that belong to folders of configs, then geoforest's."""
    paths: dict[str, Path] = {}
    for folder in (*experiment_folders(*beside), bundled("experiments")):
        paths |= {name: path for name, path in experiments_in(folder).items() if name not in paths}
    return paths


def experiment_folders(*beside: Path) -> tuple[Path, ...]:
    """Return the folders whose experiments the configs of some folders can call by their name.

    A folder named `configs` has them in itself and in the folder `experiments` next to it. Python
    files beside a config that lies anywhere else are not run by their name: who wrote the config
    need not have written them.
    """
    return tuple(
        candidate
        for folder in beside
        if folder.name == "configs"
        for candidate in (folder.parent / "experiments", folder)
    )


def experiments_in(folder: Path) -> dict[str, Path]:
    """Return the modules of a folder by name."""
    if not folder.is_dir():
        return {}
    files = (path for path in sorted(folder.glob("*.py")) if not path.name.startswith("_"))
    return {path.stem: path.resolve() for path in files}
