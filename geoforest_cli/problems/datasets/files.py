"""Files of a data set: where they lie, how they get there, and whether they are right."""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import filelock

from geoforest_cli.core import user_modules
from geoforest_cli.core.cache import cache_folder, stored_array
from geoforest_cli.core.errors import DataError, MissingData

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Dataset",
    "File",
    "data_folder",
    "fetch",
    "locate",
    "parsed_copy",
    "sha256_of",
]

_VARIABLE = "GEOFOREST_DATA"


@dataclass(frozen=True)
class File:
    """One file of a data set.

    Attributes
    ----------
    name : str
    url : str
        Of the file itself, or of the zip archive that holds it.
    sha256 : str
        Of the file.
    member : str, optional
        Its path inside the archive.
    archive_sha256 : str, optional
        Of the archive.
    """

    name: str
    url: str
    sha256: str
    member: str | None = None
    archive_sha256: str | None = None


@dataclass(frozen=True)
class Dataset:
    """A real data set.

    Attributes
    ----------
    name : str
    about : str
    used_for : str
        The figures and tables that need it.
    files : tuple of File
    licence : str
    cite : str
        What to cite.
    """

    name: str
    about: str
    used_for: str
    files: tuple[File, ...]
    licence: str
    cite: str

    @property
    def version(self) -> str:
        """Hash of the files' hashes: cells that used other data are computed again."""
        text = ",".join(f"{file.name}={file.sha256}" for file in self.files)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def data_folder(dataset: Dataset) -> Path:
    """Return the data set's folder: under $GEOFOREST_DATA if set, else in the user's cache."""
    given = os.environ.get(_VARIABLE)
    if given:
        return Path(given) / dataset.name
    return cache_folder() / "data" / dataset.name


def parsed_copy(
    dataset: Dataset, parse: Callable[[], npt.NDArray[np.float64]]
) -> npt.NDArray[np.float64]:
    """Return the array that `parse` reads from a slow format, kept for the next time.

    A copy that was read from other files, or by other code in the module of `parse`, is not
    used.
    """
    source = inspect.getsourcefile(parse)
    if source is None:
        return parse()
    key = f"{dataset.name}-{dataset.version}-{user_modules.digest(Path(source))}"
    return stored_array("parsed", key, parse)


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def locate(dataset: Dataset, file: File) -> Path:
    """Return the verified path of a file that is already there.

    Raises
    ------
    DataError
        If it is not there or its hash is wrong, with what to do.
    """
    path = data_folder(dataset) / file.name
    if not path.is_file():
        if os.environ.get(_VARIABLE):
            raise MissingData(f"{path} is missing: ${_VARIABLE} points at a folder without it")
        raise MissingData(
            f"the data set {dataset.name!r} is not here yet: geoforest data fetch {dataset.name}"
        )
    _require_hash(path, file.sha256)
    return path


def fetch(dataset: Dataset) -> list[Path]:
    """Download what is missing and return the verified paths of all files.

    Files that are there are kept. With $GEOFOREST_DATA set nothing is downloaded.

    Raises
    ------
    DataError
        Without network, for a wrong hash, or for an archive without the file.
    """
    if not os.environ.get(_VARIABLE):
        for file in dataset.files:
            path = data_folder(dataset) / file.name
            if not path.is_file():
                path.parent.mkdir(parents=True, exist_ok=True)
                with filelock.FileLock(path.with_name(f".{path.name}.lock")):
                    if not path.is_file():  # another process may have been faster
                        _download(dataset, file)
    return [locate(dataset, file) for file in dataset.files]


def _download(dataset: Dataset, file: File) -> None:
    folder = data_folder(dataset)
    if file.member is None:
        _retrieve(dataset, file.url, folder / file.name, file.sha256)
        return
    # a folder of its own, whose name nobody knows before: what is left of a failure goes with it
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as scratch:
        archive = _retrieve(dataset, file.url, Path(scratch) / f"{file.name}.zip", None)
        sha256 = sha256_of(archive)
        partial = Path(scratch) / file.name
        try:
            with (
                zipfile.ZipFile(archive) as opened,
                opened.open(file.member) as source,
                partial.open("xb") as target,
            ):
                shutil.copyfileobj(source, target)
        except (KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
            cause = " ".join(str(error).split())
            raise DataError(
                f"{file.url} does not hold {file.member} (sha256 {sha256}: {cause})"
            ) from None
        _require_hash(partial, file.sha256)
        if sha256 != file.archive_sha256:
            # archives are packed anew now and then: what counts is the file inside
            warnings.warn(
                f"{file.url} has the sha256 {sha256} instead of {file.archive_sha256}, but "
                f"{file.member} in it is right",
                stacklevel=2,
            )
        partial.replace(folder / file.name)


def _retrieve(dataset: Dataset, url: str, path: Path, sha256: str | None) -> Path:
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    downloader = pooch.HTTPDownloader(timeout=60)
    try:
        return Path(
            pooch.retrieve(
                url,
                known_hash=f"sha256:{sha256}" if sha256 else None,
                fname=path.name,
                path=path.parent,
                downloader=downloader,
            )
        )
    except ValueError as error:
        raise DataError(f"{url} is not the file it was: {' '.join(str(error).split())}") from None
    except (requests.RequestException, OSError) as error:
        raise MissingData(
            f"{url} cannot be downloaded ({type(error).__name__}): with another copy of the "
            f"files, set ${_VARIABLE} to the folder that holds {dataset.name}/"
        ) from None


def _require_hash(path: Path, expected: str) -> None:
    sha256 = sha256_of(path)
    if sha256 != expected:
        raise DataError(f"{path} has the sha256 {sha256}, but {expected} is expected")
