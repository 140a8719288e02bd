"""Writing the site into its folder, and removing what an earlier one has left there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.files import write_atomically

__all__ = ["MANIFEST", "Content", "publish"]

MANIFEST = "site.json"
Content = str | bytes | Path


def publish(folder: Path, files: Mapping[Path, Content]) -> None:
    """Write files below a folder; those of an earlier site that are not among them go.

    Parameters
    ----------
    folder : Path
    files : mapping
        Path below the folder -> its content, or the file that is copied.

    Raises
    ------
    UserError
        If the folder holds something that is no site.
    """
    before = _listed(folder)
    if before is None:
        raise UserError(
            f"{folder} holds files that are no site of geoforest report: give an empty folder, or "
            "one that does not exist yet, with --output"
        )
    names = {path.as_posix() for path in files}
    # the old and the new names first: a writer that is stopped leaves no file that nobody knows of
    write_atomically(folder / MANIFEST, _manifest(before | names))
    for path, content in files.items():
        data = content.read_bytes() if isinstance(content, Path) else content
        write_atomically(folder / path, data)
    for name in before - names:
        _remove(folder, name)
    write_atomically(folder / MANIFEST, _manifest(names))


def _manifest(names: Iterable[str]) -> str:
    return json.dumps({"files": sorted(names)}, indent=1) + "\n"


def _listed(folder: Path) -> set[str] | None:
    """The files of an earlier site; None if the folder holds anything but one."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return set()
    try:
        names = json.loads((folder / MANIFEST).read_bytes())["files"]
        return {name for name in names if _inside(name)}
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and path.name not in {"", MANIFEST}


def _remove(folder: Path, name: str) -> None:
    path = folder / name
    path.unlink(missing_ok=True)
    for above in path.relative_to(folder).parents:
        place = folder / above
        if place == folder or not place.is_dir() or any(place.iterdir()):
            return
        place.rmdir()
