"""Finding and loading experiment modules."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from geoforest_cli.errors import UserError

__all__ = ["available", "bundled", "load"]

_PACKAGE = Path(__file__).resolve().parents[1]
_NEEDED = ("VERSION", "KIND", "INNER", "Params", "run_cell", "draw")


def bundled(kind: str) -> Path:
    """Return the folder of the configs or experiments that geoforest brings along.

    In a checkout it lies beside the package, in an installed package within it.
    """
    within = _PACKAGE / f"_{kind}"
    return within if within.is_dir() else _PACKAGE.parent / kind


def available(config_path: Path | None = None) -> dict[str, Path]:
    """Return the experiments by name: the config's neighbours first, then those of geoforest."""
    folders = [Path.cwd() / "experiments", bundled("experiments")]
    if config_path is not None:
        folder = config_path.resolve().parent
        folders = [folder.parent / "experiments", folder, *folders]
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.py")) if folder.is_dir() else ():
            if not path.name.startswith("_"):
                found.setdefault(path.stem, path.resolve())
    return found


@functools.cache
def load(path: Path) -> ModuleType:
    """Import an experiment module from its file, once.

    Raises
    ------
    UserError
        If the module cannot be imported or lacks a part of the protocol.
    """
    # one name per file: two experiments of the same name may live in different folders
    name = f"geoforest_experiment_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        cause = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise UserError(f"{path}: the experiment cannot be imported ({cause})") from error
    missing = [part for part in _NEEDED if not hasattr(module, part)]
    if missing:
        raise UserError(f"{path}: the experiment lacks {', '.join(missing)}")
    return module
