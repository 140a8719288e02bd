"""Writing the reference: the outcome of runs as small files for the repository."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.figure_files import MAX_DRAWING
from geoforest_cli.core.files import write_atomically
from geoforest_cli.study.results.folder import is_reference, outcomes_in, read_file
from geoforest_cli.study.results.record import RECORD, RunRecord, read_record
from geoforest_cli.study.results.verify import is_current

__all__ = ["MAX_BYTES", "Snapshot", "small_png", "write_snapshot"]

MAX_BYTES = 40_000_000  # of all files
_WIDTH = 1400  # pixels of a figure
_COLOURS = 256
_CHANGED = " with changes"


@dataclass(frozen=True)
class Snapshot:
    """Outcomes that were written.

    Attributes
    ----------
    configs : tuple of str
    size : int
        Bytes of the whole reference.
    failed : dict of str to int
        Config -> number of failed cells.
    unchanged : tuple of str
        Configs whose outcome was in the folder before and stays.
    passed_over : tuple of str
        Named configs without complete results of the current code.
    """

    configs: tuple[str, ...]
    size: int
    failed: Mapping[str, int]
    unchanged: tuple[str, ...]
    passed_over: tuple[str, ...] = ()


def write_snapshot(
    results: Path,
    out: Path,
    names: Sequence[str] = (),
    *,
    profile: str,
    uncommitted: bool = False,
    current: bool = False,
) -> Snapshot:
    """Write record, rows, summary and small figures of configs; all of them or none.

    Equal results give equal bytes.

    Parameters
    ----------
    results : Path
        Folder with one folder per config.
    out : Path
        The folder of the reference.
    names : sequence of str
        Configs; all that have results by default.
    profile : str
        The size whose results are written.
    uncommitted : bool
        Accept rows of a checkout with changes, or of no known commit.
    current : bool
        Pass over configs that have no complete results of the current code, instead of refusing
        them; what is kept of them stays.

    Raises
    ------
    UserError
        If results are missing, incomplete, too large or not of known commits; then nothing is
        written.
    """
    wanted = tuple(dict.fromkeys(Path(name).stem for name in names))
    folders = outcomes_in(results, profile, () if current else wanted)
    if current:
        folders = {
            name: folder
            for name, folder in folders.items()
            if (name in wanted or not wanted)
            and not _missing(read_record(folder))
            and is_current(name, folder)
        }
    records = {name: read_record(folder) for name, folder in sorted(folders.items())}
    _refuse_incomplete(records)
    if not uncommitted:
        _refuse_unknown_commits(records)
    before = outcomes_in(out, profile) if is_reference(out) else {}
    _refuse_other_profiles(before, out, profile)
    files = {name: _files_of(folders[name], record) for name, record in records.items()}
    unchanged = tuple(name for name in before if name not in files)
    size = sum(len(data) for contents in files.values() for data in contents.values())
    size += sum(path.stat().st_size for name in unchanged for path in before[name].iterdir())
    if size > MAX_BYTES:
        raise UserError(
            f"the reference would take {size / 1e6:.1f} MB, more than {MAX_BYTES / 1e6:.0f} MB: "
            "name fewer configs"
        )
    for name, contents in files.items():
        for file, data in contents.items():
            write_atomically(out / name / file, data)
        for path in (out / name).glob("figure*"):
            if path.name not in contents:
                path.unlink()
    failed = {name: len(record.cells.failed) for name, record in records.items()}
    return Snapshot(
        configs=tuple(files),
        size=size,
        failed={name: count for name, count in failed.items() if count},
        unchanged=unchanged,
        passed_over=tuple(name for name in wanted if name not in files),
    )


def _files_of(folder: Path, record: RunRecord) -> dict[str, bytes]:
    files = {name: read_file(folder, record, name) for name in record.files}
    for name in record.figures:
        drawing, pixels = folder / f"{name}.svg", folder / f"{name}.png"
        if pixels.is_file():
            files[pixels.name] = small_png(pixels)
        if drawing.is_file() and drawing.stat().st_size <= MAX_DRAWING:
            files[drawing.name] = drawing.read_bytes()
    # the record is the last to be written: a folder without one is no outcome
    return {**files, RECORD: (folder / RECORD).read_bytes()}


def small_png(path: Path) -> bytes:
    """Return a figure on white, in few colours and no wider than `_WIDTH`."""
    with Image.open(path) as file:
        drawn = file.convert("RGBA")
    image = Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn).convert("RGB")
    if image.width > _WIDTH:
        height = max(1, round(image.height * _WIDTH / image.width))
        image = image.resize((_WIDTH, height), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    # an octree keeps the colours of thin lines, which a median cut gives up for shades of bands
    few = image.quantize(_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _missing(record: RunRecord) -> int:
    return sum(cell.status == "missing" for cell in record.cells.failed)


def _refuse_incomplete(records: Mapping[str, RunRecord]) -> None:
    lacking = [
        f"{name} ({count} cells have not run)"
        for name, record in records.items()
        if (count := _missing(record))
    ]
    if lacking:
        raise UserError(
            f"a reference is of complete runs; geoforest run goes on with {', '.join(lacking)}"
        )


def _refuse_other_profiles(before: Mapping[str, Path], out: Path, profile: str) -> None:
    for name, folder in before.items():
        kept = read_record(folder).profile
        if kept != profile:
            raise UserError(
                f"{out} holds the outcome of {name} at profile {kept}, not {profile}: "
                "choose another folder with --out"
            )


def _refuse_unknown_commits(records: Mapping[str, RunRecord]) -> None:
    configs_of: dict[str, list[str]] = {}
    for name, record in records.items():
        for commit in record.commits:
            if not commit or commit.endswith(_CHANGED):
                configs_of.setdefault(commit or "unknown", []).append(name)
    if configs_of:
        commits = "; ".join(
            f"{commit[:12]}{commit[40:]}: {', '.join(names)}"
            for commit, names in configs_of.items()
        )
        raise UserError(
            "a reference holds results of committed code, and these are of changes or of no known "
            f"commit ({commits}): run them again from a checkout without changes, or give "
            "--uncommitted"
        )
