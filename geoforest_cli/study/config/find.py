"""Finding a config by path or by name, and what experiments there are."""

from __future__ import annotations

from pathlib import Path

from geoforest_cli.core.bundled import bundled
from geoforest_cli.core.errors import UserError
from geoforest_cli.core.suggestions import suggest

__all__ = [
    "ENDINGS",
    "experiment_folders",
    "experiments_in",
    "find",
    "known_configs",
    "known_experiments",
]

ENDINGS = (".yaml", ".yml")


def known_configs() -> dict[str, Path]:
    """Return the configs by name: those in ./configs first, then those of geoforest."""
    known: dict[str, Path] = {}
    for folder in (Path("configs"), bundled("configs")):
        for path in sorted(folder.glob("*.yaml")) if folder.is_dir() else ():
            known.setdefault(path.stem, path)
    return known


def known_experiments(*beside: Path) -> dict[str, Path]:
    """Return the experiments by name: those that belong to folders of configs, then geoforest's."""
    known: dict[str, Path] = {}
    for folder in (*experiment_folders(*beside), bundled("experiments")):
        known |= {name: path for name, path in experiments_in(folder).items() if name not in known}
    return known


def experiment_folders(*beside: Path) -> tuple[Path, ...]:
    """Return the folders whose experiments the configs of some folders can call by their name.

    A folder named `configs` has them in itself and in the folder `experiments` next to it. Python
    files beside a config that lies anywhere else are not run by their name: who wrote the config
    need not have written them.
    """
    return tuple(
        one
        for folder in beside
        if folder.name == "configs"
        for one in (folder.parent / "experiments", folder)
    )


def experiments_in(folder: Path) -> dict[str, Path]:
    """Return the modules of a folder by name."""
    if not folder.is_dir():
        return {}
    files = (path for path in sorted(folder.glob("*.py")) if not path.name.startswith("_"))
    return {path.stem: path.resolve() for path in files}


def find(name: str | Path) -> Path:
    """Return the file of a config, given by path or by name.

    Raises
    ------
    UserError
        If there is none, with the nearest spelling.
    """
    path = Path(name)
    if path.is_file():
        return path
    known = known_configs()
    if len(path.parts) == 1 and path.suffix == "" and str(name) in known:
        return known[str(name)]
    if path.name and path.suffix == "":
        for ending in ENDINGS:
            if (file := path.with_name(f"{path.name}{ending}")).is_file():
                return file
    if path.is_dir():
        raise UserError(f"{name} is a folder, not a config")
    beside = sorted(p for p in path.parent.glob("*") if p.suffix in ENDINGS)
    near = suggest(path.stem, [p.stem for p in beside])
    if near:
        hint = f"; did you mean '{next(p for p in beside if p.stem == near)}'?"
    else:
        near = suggest(path.stem, known)
        hint = f"; did you mean {near!r}?" if near else f" (known: {', '.join(known)})"
    raise UserError(f"no config '{name}'{hint}")
