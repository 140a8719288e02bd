"""Compiled kernels are lent from one copy of the checkout to another.

Numba keeps them in a folder that is named after the folder of the source, so each copy would
compile all of them again, for minutes.
"""

import os
import shutil
from pathlib import Path

from numba.core.caching import _CacheLocator

from geoforest_cli.core import jit as _jit


def lend_from_checkout(root: Path, tree: Path, numba: Path) -> None:
    """Give a copy what its original has compiled, as far as the sources are the same."""
    for kernels in _folders(root):
        _lend(Path(_jit._cache_folder(kernels)), kernels, tree / kernels.relative_to(root), numba)
    of_others = os.environ.get("NUMBA_CACHE_DIR")
    if of_others and Path(of_others).is_dir():
        for folder in Path(of_others).iterdir():
            if folder.is_dir() and not folder.name.startswith("geoforest-"):
                shutil.copytree(folder, numba / folder.name, dirs_exist_ok=True)


def lend(tree: Path, other: Path, numba: Path) -> None:
    """Give one copy what another has compiled."""
    for kernels in _folders(tree):
        stamped = numba / Path(_jit._cache_folder(kernels)).name
        _lend(stamped, kernels, other / kernels.relative_to(tree), numba)


def _folders(root: Path) -> list[Path]:
    return sorted((root / "geoforest_cli").glob("**/kernels"))


def _lend(stamped: Path, kernels: Path, borrower: Path, numba: Path) -> None:
    there = stamped / _named_after(kernels)
    if there.is_dir():
        target = numba / stamped.name / _named_after(borrower)
        shutil.copytree(there, target, dirs_exist_ok=True)


def _named_after(folder: Path) -> str:
    name: str = _CacheLocator.get_suitable_cache_subpath(str(folder / "module.py"))
    return name
