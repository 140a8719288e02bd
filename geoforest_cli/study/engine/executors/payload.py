"""Parcel sent to another machine with the cells: the user's files, and names of data sets.

An experiment, methods, manifolds and tables that lie beside a config do not come with geoforest.
They are sent once per run to each worker, and unpacked there; then the paths in the cells are
changed. A cell's key does not depend on paths.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import tempfile
import zipfile
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
Folders = Mapping[Path, Path]


@dataclass(frozen=True)
class Payload:
    """Files and names of data sets, for any number of cells.

    Attributes
    ----------
    folders : tuple of Path
        On the driver's machine.
    archive : bytes
        A zip file: the files below the numbers of their folders.
    data : tuple of str
        Names in the catalogue of data sets.
    """

    folders: tuple[Path, ...]
    archive: bytes
    data: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Hash of the content."""
        text = repr((self.folders, self.data)).encode()
        return hashlib.sha256(text + self.archive).hexdigest()[:16]


def pack(jobs: Iterable[Job]) -> Payload:
    """Gather what some cells need beside geoforest itself.

    Raises
    ------
    UserError
        If a file lies outside the folders of the config and of the experiment.
    """
    # settings with the same code need the same files
    settings = {
        (s.experiment, s.folders, s.use, tuple(s.used)): s
        for s in (job.cell.setting for job in jobs)
    }.values()
    folders = sorted({folder for s in settings for folder in (s.experiment.parent, *s.folders)})
    files = {file for setting in settings for file in _files(setting)}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for folder, name, path in sorted(files):
            entry = zipfile.ZipInfo(f"{folders.index(folder)}/{name.as_posix()}")
            archive.writestr(entry, path.read_bytes())
    data = {
        table[name].files
        for setting in settings
        for name in (used.partition(" ")[2] for used in setting.used)
        for table in (DATASETS, LABELLED)
        if name in table
    }
    return Payload(tuple(folders), stream.getvalue(), tuple(sorted(data - {""})))


def _files(setting: Setting) -> Iterator[tuple[Path, Path, Path]]:
    """Yield a folder of the setting's, a file that is needed there, and where it is now."""
    names = [name.partition(" ")[2] for name in setting.used]
    with user_modules.searched_in(*setting.folders):
        modules = [(setting.experiment, setting.experiment.parent)]
        for name in (name for name in (setting.use, *names) if ":" in name):
            module = user_modules.find_module(name.partition(":")[0])
            modules += [module] if module is not None else []
    for path, folder in modules:
        for file in user_modules.files(path, folder):
            if not file.is_relative_to(folder.resolve()):
                raise UserError(
                    f"{file} lies outside {folder}: what cells need on other machines has to lie "
                    "in the folder of the config, or below it"
                )
            yield folder, file.relative_to(folder.resolve()), file
    for table in (name.partition(" ")[2] for name in setting.used if name.startswith("table ")):
        folder = next(folder for folder in setting.folders if (folder / table).is_file())
        yield folder, Path(table), folder / table


def unpack(payload: Payload, parent: Path) -> Folders:
    """Write the files into a new folder and fetch the data sets; return where folders are now.

    Raises
    ------
    UserError
        If a data set cannot be had.
    OSError
        If a file cannot be written.
    """
    for name in payload.data:
        fetch(CATALOGUE[name])
    target = Path(tempfile.mkdtemp(prefix="geoforest-", dir=parent))
    with zipfile.ZipFile(io.BytesIO(payload.archive)) as archive:
        archive.extractall(target)
    return {folder: target / str(number) for number, folder in enumerate(payload.folders)}


def with_folders(job: Job, folders: Folders) -> Job:
    """Return the job with the folders that its files have here."""
    setting = job.cell.setting
    setting = dataclasses.replace(
        setting,
        experiment=folders[setting.experiment.parent] / setting.experiment.name,
        folders=tuple(folders[folder] for folder in setting.folders),
    )
    return dataclasses.replace(job, cell=dataclasses.replace(job.cell, setting=setting))
