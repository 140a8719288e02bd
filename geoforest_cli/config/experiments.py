"""Finding and loading experiment modules."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from pydantic import BaseModel

from geoforest_cli.datasets.catalogue import CATALOGUE
from geoforest_cli.datasets.files import Dataset
from geoforest_cli.errors import ConfigError

__all__ = ["available", "bundled", "data_set", "load"]

_PACKAGE = Path(__file__).resolve().parents[1]
# an experiment may also have DETAIL, columns of rows too many for a table (one per point, say),
# AFTER_DRAW, parameters that act on a drawn sample: the draw is the same for all their values,
# and files(params), the catalogue's data set that a cell reads
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
    ConfigError
        If the module cannot be imported or lacks a part of the protocol.
    """
    # one name per file: two experiments of the same name may live in different folders
    name = f"geoforest_experiment_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError("this is not a Python module", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        line = _line(error, path)
        raise ConfigError(f"the experiment cannot be imported ({cause})", path, line) from error
    _check(module, path)
    return module


def _line(error: BaseException, path: Path) -> int | None:
    """Return the line of the experiment where the error arose."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((one.lineno for one in reversed(frames) if one.filename == str(path)), None)


def _check(module: ModuleType, path: Path) -> None:
    missing = [part for part in _NEEDED if not hasattr(module, part)]
    if missing:
        raise ConfigError(f"the experiment lacks {', '.join(missing)}", path)
    params = module.Params
    if not (isinstance(params, type) and issubclass(params, BaseModel)):
        raise ConfigError("Params of an experiment is a geoforest_cli.config.schema.Model", path)
    for name in module.INNER:
        if name not in params.model_fields:
            message = f"INNER names {name!r}, which Params does not have"
            raise ConfigError(message, path)


def data_set(experiment: ModuleType, params: BaseModel) -> Dataset | None:
    """Return the data set whose files a cell with these parameters reads, if any."""
    if not hasattr(experiment, "files"):
        return None
    name = experiment.files(params)
    return None if name is None else CATALOGUE[name]
