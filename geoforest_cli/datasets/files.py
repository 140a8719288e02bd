"""Files of a data set: where they lie, how they get there, and whether they are right."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path

from geoforest_cli.errors import DataError

__all__ = ["Dataset", "File", "data_folder", "fetch", "locate", "sha256_of"]

_VARIABLE = "GEOFOREST_DATA"
_RETRIES = 2
_TIMEOUT = 60


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
    size : int, optional
        Bytes, where known.
    mirrors : tuple of str
        Other addresses of the same file, asked in turn.
    """

    name: str
    url: str
    sha256: str
    member: str | None = None
    archive_sha256: str | None = None
    size: int | None = None
    mirrors: tuple[str, ...] = ()


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
        return Path(given).expanduser() / dataset.name
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "geoforest" / "data" / dataset.name


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
    given = os.environ.get(_VARIABLE)
    if not path.is_file():
        if given:
            raise DataError(f"{path} is missing: ${_VARIABLE} points at a folder without it")
        raise DataError(
            f"the data set {dataset.name!r} is not here yet: geoforest data fetch {dataset.name}"
        )
    again = "" if given else f"; delete it, then geoforest data fetch {dataset.name}"
    _require_hash(path, file.sha256, again)
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
        folder = data_folder(dataset)
        missing = [file for file in dataset.files if not (folder / file.name).is_file()]
        if missing:
            _download(missing, folder)
    return [locate(dataset, file) for file in dataset.files]


def _download(missing: list[File], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # a place of one's own: a run that breaks off leaves nothing behind, and two runs that
        # fetch the same set do not meet
        scratch = tempfile.TemporaryDirectory(prefix=".partial-", dir=folder)
    except OSError as error:
        raise DataError(
            f"{folder} cannot be written to ({error.strerror}): set $XDG_CACHE_HOME to a folder "
            f"that can, or ${_VARIABLE} to one that holds the data"
        ) from None
    with scratch as name:
        archives: dict[str, Path] = {}
        for file in missing:
            if file.member is None:
                ready = _retrieve(file, Path(name), file.name, file.sha256)
            else:
                if file.url not in archives:
                    title = f"{len(archives)}.zip"
                    archives[file.url] = _retrieve(file, Path(name), title, None)
                ready = _unpack(file, archives[file.url])
            ready.replace(folder / file.name)


def _unpack(file: File, archive: Path) -> Path:
    """Take the file out of its archive, beside it."""
    target = archive.parent / file.name
    try:
        with (
            zipfile.ZipFile(archive) as opened,
            opened.open(str(file.member)) as source,
            target.open("wb") as stream,
        ):
            shutil.copyfileobj(source, stream)
    except (KeyError, zipfile.BadZipFile) as error:
        raise DataError(f"{file.url} does not hold {file.member} ({error})") from None
    found = sha256_of(target)
    if found != file.sha256:
        raise DataError(
            f"{file.member} in {file.url} has the sha256 {found}, but {file.sha256} is expected"
        )
    packed = sha256_of(archive)
    if packed != file.archive_sha256:
        # archives are packed anew now and then: what counts is the file inside
        warnings.warn(
            f"{file.url} has the sha256 {packed} instead of {file.archive_sha256}, but "
            f"{file.member} in it is right",
            stacklevel=4,
        )
    return target


def _retrieve(file: File, folder: Path, name: str, sha256: str | None) -> Path:
    """Download from the first address that gives the file."""
    problems = []
    for url in (file.url, *file.mirrors):
        try:
            return _download_one(url, folder, name, sha256)
        except DataError as error:
            problems.append(error)
    raise problems[0]


def _download_one(url: str, folder: Path, name: str, sha256: str | None) -> Path:
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    known = f"sha256:{sha256}" if sha256 else None
    box = pooch.create(
        folder, base_url="", registry={name: known}, urls={name: url}, retry_if_failed=_RETRIES
    )
    try:
        return Path(box.fetch(name, downloader=pooch.HTTPDownloader(timeout=_TIMEOUT)))
    except ValueError as error:
        raise DataError(f"{url} is not the file it was: {' '.join(str(error).split())}") from None
    except (requests.RequestException, OSError) as error:
        raise DataError(
            f"{url} cannot be downloaded ({type(error).__name__}): with another copy of the "
            f"files, set ${_VARIABLE} to the folder that holds them, one subfolder per set"
        ) from None


def _require_hash(path: Path, expected: str, then: str) -> None:
    found = sha256_of(path)
    if found != expected:
        raise DataError(f"{path} has the sha256 {found}, but {expected} is expected{then}")
