"""What is sent to another machine with the cells: the user's files, and names of data sets.

An experiment, methods, manifolds and tables that lie beside a config do not come with geoforest.
They are sent once per run to each worker, and unpacked there; then the paths in the cells are
changed. A cell's key does not depend on paths.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import pickle
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import UserError
from geoforest_cli.problems.datasets import CATALOGUE, DATASETS, LABELLED
from geoforest_cli.problems.datasets.files import fetch
from geoforest_cli.study.plan.cells import Job, Setting

__all__ = ["Folders", "Payload", "pack", "unpack", "with_folders"]

# a folder on the driver's machine -> the folder that has its files here
Folders = Mapping[str, str]


@dataclass(frozen=True)
class Payload:
    """Files and names of data sets, for any number of cells.

    Attributes
    ----------
    folders : tuple of str
        On the driver's machine.
    files : tuple of (int, str, bytes)
        The number of a folder, the path from there, the content.
    data : tuple of str
        Names in the catalogue of data sets.
    """

    folders: tuple[str, ...]
    files: tuple[tuple[int, str, bytes], ...]
    data: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Hash of the content."""
        return hashlib.sha256(pickle.dumps(dataclasses.astuple(self))).hexdigest()[:16]


def pack(jobs: Iterable[Job]) -> Payload:
    """Gather what some cells need beside geoforest itself.

    Raises
    ------
    UserError
        If a file lies outside the folders of the config and of the experiment.
    """
    settings = {id(job.cell.setting): job.cell.setting for job in jobs}
    # settings with the same code need the same files
    distinct = {(s.experiment, s.folders, s.use, tuple(s.used)): s for s in settings.values()}
    paths: dict[Path, set[Path]] = {}
    data: set[str] = set()
    for setting in distinct.values():
        for folder in (setting.experiment.parent, *setting.folders):
            paths.setdefault(folder, set())
        for folder, path in _files(setting):
            paths[folder].add(path)
        names = [name.partition(" ")[2] for name in setting.used]
        for table in (DATASETS, LABELLED):
            data |= {table[name].files for name in names if name in table} - {""}
    folders = sorted(paths)
    files = [
        (number, _relative(folder, path), path.read_bytes())
        for number, folder in enumerate(folders)
        for path in sorted(paths[folder])
    ]
    return Payload(tuple(map(str, folders)), tuple(files), tuple(sorted(data)))


def _files(setting: Setting) -> Iterator[tuple[Path, Path]]:
    """Yield a folder of the setting's and a file that is needed there."""
    experiment = setting.experiment
    yield from ((experiment.parent, path) for path in user_modules.files(experiment))
    names = [name.partition(" ")[2] for name in setting.used]
    with user_modules.searched_in(*setting.folders):
        for name in (name for name in (setting.use, *names) if ":" in name):
            module = user_modules.find_module(name.partition(":")[0])
            if module is not None:
                yield from ((module[1], path) for path in user_modules.files(*module))
    for table in (name.partition(" ")[2] for name in setting.used if name.startswith("table ")):
        folder = next(folder for folder in setting.folders if (folder / table).is_file())
        yield folder, folder / table


def _relative(folder: Path, path: Path) -> str:
    """Return a path from a folder in which it lies, links resolved; its name is that of a link."""
    resolved = path.resolve(), folder.resolve()
    if resolved[0].is_relative_to(resolved[1]):
        for target, base in ((path, folder), resolved):
            inner = (
                os.path.normpath(target.relative_to(base)) if target.is_relative_to(base) else ".."
            )
            if not inner.startswith(".."):
                return Path(inner).as_posix()
    raise UserError(
        f"{path} lies outside {folder}: what cells need on other machines has to lie in the "
        "folder of the config, or below it"
    )


def unpack(payload: Payload, target: Path) -> Folders:
    """Write the files below a folder and fetch the data sets; return where folders are now.

    Raises
    ------
    UserError
        If a data set cannot be had.
    OSError
        If a file cannot be written.
    """
    for name in payload.data:
        fetch(CATALOGUE[name])
    if not target.is_dir():
        # whole or not at all: a run of another driver may be using, or writing, the same files
        scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=".geoforest-"))
        for number in range(len(payload.folders)):
            (scratch / str(number)).mkdir()
        for number, inner, content in payload.files:
            path = scratch / str(number) / inner
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        try:
            scratch.rename(target)
        except OSError:
            shutil.rmtree(scratch)
            if not target.is_dir():
                raise
    return {folder: str(target / str(number)) for number, folder in enumerate(payload.folders)}


def with_folders(job: Job, folders: Folders) -> Job:
    """Return the job with the folders that its files have here."""
    setting = job.cell.setting
    path = setting.experiment
    setting = dataclasses.replace(
        setting,
        experiment=Path(folders[str(path.parent)]) / path.name,
        folders=tuple(Path(folders[str(folder)]) for folder in setting.folders),
    )
    return dataclasses.replace(job, cell=dataclasses.replace(job.cell, setting=setting))
