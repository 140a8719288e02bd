"""What travels to another machine with the cells: files of the user's own, names of data sets.

An experiment, methods, manifolds and tables that lie beside a config do not come with geoforest.
They are put into one parcel per run, unpacked once by each worker, and cells are told the new
places; what a cell is, its key, does not know places.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import pickle
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from geoforest_cli import sources
from geoforest_cli.datasets import CATALOGUE, DATASETS
from geoforest_cli.datasets.files import fetch
from geoforest_cli.errors import UserError
from geoforest_cli.plan.cells import Job, Setting

__all__ = ["Parcel", "Places", "moved", "pack", "unpack"]

# a folder on the driver's machine -> the folder that has its files here
Places = Mapping[str, str]


@dataclass(frozen=True)
class Parcel:
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
        """Tells parcels apart."""
        return hashlib.sha256(pickle.dumps(dataclasses.astuple(self))).hexdigest()[:16]


def pack(jobs: Iterable[Job]) -> Parcel:
    """Gather what some cells need beside geoforest itself.

    Raises
    ------
    UserError
        If a file lies outside the folders of the config and of the experiment.
    """
    settings = {id(job.cell.setting): job.cell.setting for job in jobs}
    alike = {
        (one.experiment, one.folders, one.use, tuple(one.used)): one for one in settings.values()
    }
    found: dict[Path, set[Path]] = {}
    data: set[str] = set()
    for setting in alike.values():
        for folder in (setting.experiment.parent, *setting.folders):
            found.setdefault(folder, set())
        for folder, path in _files(setting):
            found[folder].add(path)
        named = (name.partition(" ")[2] for name in setting.used)
        data |= {DATASETS[name].files for name in named if name in DATASETS} - {""}
    folders = sorted(found)
    files = [
        (number, _below(folder, path), path.read_bytes())
        for number, folder in enumerate(folders)
        for path in sorted(found[folder])
    ]
    return Parcel(tuple(map(str, folders)), tuple(files), tuple(sorted(data)))


def _files(setting: Setting) -> Iterator[tuple[Path, Path]]:
    """Yield a folder of the setting's and a file that is needed there."""
    home = setting.experiment.parent
    yield from ((home, path) for path in sources.files(setting.experiment))
    named = [setting.use, *(name.partition(" ")[2] for name in setting.used)]
    with sources.searched_in(*setting.folders):
        for name in (one for one in named if ":" in one):
            own = sources.find(name.partition(":")[0])
            if own is not None:
                yield from ((own[1], path) for path in sources.files(*own))
    tables = [name.partition(" ")[2] for name in setting.used if name.startswith("table ")]
    for table in tables:
        folder = next(one for one in setting.folders if (one / table).is_file())
        yield folder, folder / table


def _below(folder: Path, path: Path) -> str:
    """Return a path from a folder; links on the way to it do not count."""
    for base, one in ((folder, path), (folder.resolve(), path.resolve())):
        inner = os.path.normpath(one.relative_to(base)) if one.is_relative_to(base) else ".."
        if not inner.startswith(".."):
            return Path(inner).as_posix()
    raise UserError(
        f"{path} lies outside {folder}: what cells need on other machines has to lie in the "
        "folder of the config, or below it"
    )


def unpack(parcel: Parcel, home: Path) -> Places:
    """Write the files below a folder and fetch the data sets; return where folders are now.

    Raises
    ------
    UserError
        If a data set cannot be had.
    OSError
        If a file cannot be written.
    """
    for name in parcel.data:
        fetch(CATALOGUE[name])
    if not home.is_dir():
        # whole or not at all: a run of another driver may be using, or writing, the same files
        scratch = Path(tempfile.mkdtemp(dir=home.parent, prefix=".geoforest-"))
        for number in range(len(parcel.folders)):
            (scratch / str(number)).mkdir()
        for number, inner, content in parcel.files:
            path = scratch / str(number) / inner
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        try:
            scratch.rename(home)
        except OSError:
            shutil.rmtree(scratch)
            if not home.is_dir():
                raise
    return {folder: str(home / str(number)) for number, folder in enumerate(parcel.folders)}


def moved(jobs: Sequence[Job], places: Places) -> list[Job]:
    """Return the jobs with the places that their files have here."""
    known: dict[int, Setting] = {}
    found = []
    for job in jobs:
        setting = job.cell.setting
        if id(setting) not in known:
            path = setting.experiment
            known[id(setting)] = dataclasses.replace(
                setting,
                experiment=Path(places[str(path.parent)]) / path.name,
                folders=tuple(Path(places[str(one)]) for one in setting.folders),
            )
        cell = dataclasses.replace(job.cell, setting=known[id(setting)])
        found.append(dataclasses.replace(job, cell=cell))
    return found
