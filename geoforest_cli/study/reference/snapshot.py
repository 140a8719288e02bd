"""Writing the reference: small files for the repository, of known commits."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError
from geoforest_cli.core.figure_files import MAX_DRAWING
from geoforest_cli.core.files import write_atomically
from geoforest_cli.study.claims.storage import figure_names, read_claims, read_run_info
from geoforest_cli.study.reference.outcome import FILES, ConfigOutcome, is_reference, outcomes_in
from geoforest_cli.study.reference.verification import is_current

__all__ = ["MAX_BYTES", "Snapshot", "kept_figures", "small_png", "write_snapshot"]

MAX_BYTES = 15_000_000  # of all files
_WIDTH = 1400  # pixels of a figure
_COLOURS = 256
_CHANGED = " with changes"


@dataclass(frozen=True)
class Snapshot:
    """What was written.

    Attributes
    ----------
    configs : tuple of str
    size : int
        Bytes of the whole reference.
    failed : dict of str to int
        Config -> number of failed cells.
    not_judged : dict of str to int
        Config -> number of claims without a verdict for want of cells, data or a package.
    without_figure : tuple of str
    unchanged : tuple of str
        Configs whose outcome was in the folder before and stays.
    passed_over : tuple of str
        Named configs without complete results of the current code.
    """

    configs: tuple[str, ...]
    size: int
    failed: Mapping[str, int]
    not_judged: Mapping[str, int]
    without_figure: tuple[str, ...]
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
    """Write claims, summary, provenance and small figures of configs; all of them or none.

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
    if current:
        chosen, passed = _select_current(results, names, profile), names
    else:
        chosen, passed = _select(results, names, profile), ()
    before = outcomes_in(out, profile) if is_reference(out) else {}
    _refuse_other_profiles(before.values(), out, profile)
    written = {outcome.name for outcome in chosen}
    unchanged = {name: outcome for name, outcome in before.items() if name not in written}
    if not uncommitted:
        _refuse_unknown_commits(chosen)
    files = {outcome.name: _files_of(outcome) for outcome in chosen}
    size = sum(len(data) for several in files.values() for data in several.values())
    size += sum(_folder_size(outcome.folder) for outcome in unchanged.values())
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
    failed = {outcome.name: _failed(outcome.folder) for outcome in chosen}
    not_judged = {outcome.name: _not_judged(outcome.folder) for outcome in chosen}
    return Snapshot(
        configs=tuple(files),
        size=size,
        failed={name: count for name, count in failed.items() if count},
        not_judged={name: count for name, count in not_judged.items() if count},
        without_figure=tuple(name for name in files if "figure.png" not in files[name]),
        unchanged=tuple(unchanged),
        passed_over=tuple(
            name for name in (Path(one).stem for one in passed) if name not in written
        ),
    )


def _files_of(outcome: ConfigOutcome) -> dict[str, bytes]:
    files = {file: outcome.bytes_of(file) for file in FILES}
    for stem in figure_names(read_run_info(outcome.folder).figures):
        files |= kept_figures(outcome.folder / stem)
    return files


def kept_figures(stem: Path) -> dict[str, bytes]:
    """Return names and contents of the files that are kept of a figure: pixels and drawing.

    Parameters
    ----------
    stem : Path
        The figure's files without an ending.
    """
    drawing, pixels = stem.with_suffix(".svg"), stem.with_suffix(".png")
    files = {pixels.name: small_png(pixels)} if pixels.is_file() else {}
    if drawing.is_file() and drawing.stat().st_size <= MAX_DRAWING:
        files[f"{stem.name}.svgz"] = gzip.compress(drawing.read_bytes(), mtime=0)
    return files


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


def _select(results: Path, names: Sequence[str], profile: str) -> list[ConfigOutcome]:
    if not results.is_dir():
        raise UserError(f"there is no folder {results}; run a config first, or give --results")
    # a run makes its folder first and its files last
    begun = {path.parent.name: path for path in sorted(results.glob(f"*/{profile}"))}
    if not begun:
        raise UserError(f"{results} holds no results of profile {profile}; run a config first")
    wanted = list(dict.fromkeys(Path(name).stem for name in names)) or list(begun)
    for name in wanted:
        if name not in begun:
            raise UserError(suggestions.unknown(f"config with results in {results}", name, begun))
    reasons = {name: _incomplete(begun[name]) for name in wanted}
    if lacking := [f"{name} ({reason})" for name, reason in reasons.items() if reason]:
        raise UserError(
            f"a reference is of complete runs; geoforest run goes on with {', '.join(lacking)}"
        )
    return [ConfigOutcome(name, begun[name]) for name in sorted(wanted)]


def _select_current(results: Path, names: Sequence[str], profile: str) -> list[ConfigOutcome]:
    """Return the outcomes that are complete and of the current code, if there are any."""
    begun = {path.parent.name: path for path in sorted(results.glob(f"*/{profile}"))}
    wanted = {Path(name).stem for name in names} or set(begun)
    outcomes = [
        ConfigOutcome(name, folder)
        for name, folder in begun.items()
        if name in wanted and not _incomplete(folder)
    ]
    return [outcome for outcome in outcomes if is_current(outcome)]


def _incomplete(folder: Path) -> str:
    """Return why the results of a config are not complete; empty if they are."""
    files = (*FILES, "report.json")
    if not all((folder / file).is_file() for file in files):
        return "its run has not ended"
    read_claims(folder)
    lost = sum(one.get("status") == "missing" for one in read_run_info(folder).failed)
    return f"{lost} cells have not run" if lost else ""


def _failed(folder: Path) -> int:
    return len({one.get("cell") for one in read_run_info(folder).failed})


def _not_judged(folder: Path) -> int:
    judged = read_claims(folder)
    return 0 if judged.caution else sum(one.verdict == "not judged" for one in judged.claims)


def _refuse_other_profiles(before: Iterable[ConfigOutcome], out: Path, profile: str) -> None:
    for one in before:
        if one.profile != profile:
            raise UserError(
                f"{out} holds the outcome of {one.name} at profile {one.profile}, not {profile}: "
                "choose another folder with --out"
            )


def _refuse_unknown_commits(outcomes: Sequence[ConfigOutcome]) -> None:
    configs_of: dict[str, list[str]] = {}
    for outcome in outcomes:
        for commit in outcome.commits:
            if not commit or commit.endswith(_CHANGED):
                configs_of.setdefault(commit, []).append(outcome.name)
    if not configs_of:
        return
    commits = "; ".join(
        f"{_shortened(commit)}: {_listed(names)}" for commit, names in configs_of.items()
    )
    raise UserError(
        f"a reference holds results of committed code, and these are of changes or of no known "
        f"commit ({commits}): run them again from a checkout without changes, or give --uncommitted"
    )


def _shortened(commit: str) -> str:
    if not commit:
        return "unknown"
    hashed, _, _ = commit.partition(" ")
    return hashed[:12] + commit[len(hashed) :]


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _folder_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
