"""Keeping the outcome of runs: small files for the repository, of one commit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from geoforest_cli import hints
from geoforest_cli.claims.stored import read_about, read_claims
from geoforest_cli.errors import UserError
from geoforest_cli.files import packed, packed_name, write_atomically
from geoforest_cli.reference.outcome import FILES, ConfigOutcome, is_reference, outcomes_in
from geoforest_cli.reference.picture import Picture, smallest

__all__ = ["MOST", "MOST_OF_A_FIGURE", "Kept", "keep"]

MOST = 8_000_000  # bytes of all files
MOST_OF_A_FIGURE = 150_000
_LARGE = 100_000  # bytes of a table that may be packed
_LIMITS = (MOST_OF_A_FIGURE, 120_000, 90_000, 60_000, 40_000, 25_000)
_TABLE = "summary.csv"
_CHANGED = " with changes"


@dataclass(frozen=True)
class Kept:
    """What was written.

    Attributes
    ----------
    configs : tuple of str
    size : int
        Bytes of the whole reference.
    shrunk : dict of str to float
        Config -> the width of its figure, as a share of that drawn.
    failed : dict of str to int
        Config -> how many of its cells did not end well.
    not_judged : dict of str to int
        Config -> how many of its claims have no verdict for want of cells, data or a package.
    not_drawn : tuple of str
        Configs whose figure is not there, or does not fit.
    packed : tuple of str
        Configs whose summary is packed.
    earlier : tuple of str
        Configs whose outcome was there before and stays.
    """

    configs: tuple[str, ...]
    size: int
    shrunk: Mapping[str, float]
    failed: Mapping[str, int]
    not_judged: Mapping[str, int]
    not_drawn: tuple[str, ...]
    packed: tuple[str, ...]
    earlier: tuple[str, ...]


def keep(
    results: Path, out: Path, names: Sequence[str] = (), *, profile: str, mixed: bool = False
) -> Kept:
    """Write claims, summary, provenance and a small figure of configs; all of them or none.

    Equal results give equal bytes.

    Parameters
    ----------
    results : Path
        Folder with one folder per config.
    out : Path
        The reference's.
    names : sequence of str
        Configs; all that have results by default.
    profile : str
        The size whose results are kept.
    mixed : bool
        Accept rows of several commits, of a checkout with changes, or of no known commit.

    Raises
    ------
    UserError
        If results are missing, incomplete, or not of one commit; then nothing is written.
    """
    chosen = _chosen(results, names, profile)
    failed = {one.name: _failed(one.folder) for one in chosen}
    not_judged = {one.name: _not_judged(one.folder) for one in chosen}
    before = outcomes_in(out, profile) if is_reference(out) else {}
    _refuse_other_profiles(before.values(), out, profile)
    written = {one.name for one in chosen}
    earlier = tuple(name for name in before if name not in written)
    if not mixed:
        _refuse_several_commits([*chosen, *(before[name] for name in earlier)])
    texts = {one.name: {file: one.bytes_of(file) for file in FILES} for one in chosen}
    room = MOST - sum(_size(before[name].folder) for name in earlier)
    drawn = _drawn(chosen, _LIMITS[0])
    too_much = _bytes(texts) + sum(len(one.data) for one in drawn.values()) - room
    in_gzip = _pack_largest(texts, too_much)
    pictures = _pictures(chosen, room - _bytes(texts))
    for one in chosen:
        files = dict(texts[one.name])
        if picture := pictures.get(one.name):
            files[f"figure.{picture.ending}"] = picture.data
        _write(out / one.name, files)
    return Kept(
        configs=tuple(one.name for one in chosen),
        size=sum(_size(out / name) for name in (*written, *earlier)),
        shrunk={name: one.scale for name, one in pictures.items() if one.scale < 1},
        failed={name: count for name, count in failed.items() if count},
        not_judged={name: count for name, count in not_judged.items() if count},
        not_drawn=tuple(one.name for one in chosen if one.name not in pictures),
        packed=in_gzip,
        earlier=earlier,
    )


def _chosen(results: Path, names: Sequence[str], profile: str) -> list[ConfigOutcome]:
    if not results.is_dir():
        raise UserError(f"there is no folder {results}; run a config first, or give --results")
    # a run makes its folder first and its files last
    begun = {path.parent.name: path for path in sorted(results.glob(f"*/{profile}"))}
    if not begun:
        raise UserError(f"{results} holds no results of profile {profile}; run a config first")
    wanted = list(dict.fromkeys(Path(name).stem for name in names)) or list(begun)
    for name in wanted:
        if name not in begun:
            raise UserError(hints.unknown(f"config with results in {results}", name, begun))
    reasons = {name: _incomplete(begun[name]) for name in wanted}
    if lacking := [f"{name} ({reason})" for name, reason in reasons.items() if reason]:
        raise UserError(
            f"a reference is of complete runs; geoforest run goes on with {', '.join(lacking)}"
        )
    return [ConfigOutcome(name, begun[name]) for name in sorted(wanted)]


def _incomplete(folder: Path) -> str:
    """Return why the results of a config are not complete; empty if they are."""
    files = (*FILES, "report.json")
    if not all((folder / file).is_file() for file in files):
        return "its run has not ended"
    read_claims(folder)
    lost = sum(one.get("status") == "missing" for one in read_about(folder)["failed"])
    return f"{lost} cells have not run" if lost else ""


def _failed(folder: Path) -> int:
    return len({one.get("cell") for one in read_about(folder)["failed"]})


def _not_judged(folder: Path) -> int:
    return sum(one["verdict"] == "not judged" and not one["caution"] for one in read_claims(folder))


def _refuse_other_profiles(before: Iterable[ConfigOutcome], out: Path, profile: str) -> None:
    for one in before:
        if one.profile != profile:
            raise UserError(
                f"{out} holds the outcome of {one.name} at profile {one.profile}, not {profile}: "
                "choose another folder with --out"
            )


def _refuse_several_commits(outcomes: Sequence[ConfigOutcome]) -> None:
    found: dict[str, list[str]] = {}
    for one in outcomes:
        for commit in one.commits:
            found.setdefault(commit, []).append(one.name)
    wrong = [commit for commit in found if not commit or commit.endswith(_CHANGED)]
    if len(found) <= 1 and not wrong:
        return
    told = "; ".join(f"{_in_short(commit)}: {_listed(names)}" for commit, names in found.items())
    of = f"{len(found)} commits" if len(found) > 1 else "no commit as it stands"
    raise UserError(
        f"a reference is from one commit, and these results come from {of} ({told}): "
        "run them again from a checkout without changes, or give --mixed"
    )


def _in_short(commit: str) -> str:
    if not commit:
        return "unknown"
    hashed, _, _ = commit.partition(" ")
    return hashed[:12] + commit[len(hashed) :]


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _bytes(texts: Mapping[str, Mapping[str, bytes]]) -> int:
    return sum(len(data) for files in texts.values() for data in files.values())


def _pack_largest(texts: Mapping[str, dict[str, bytes]], too_much: int) -> tuple[str, ...]:
    """Pack the largest summaries in place until so much is saved; return whose they are.

    Before figures lose points: numbers lose nothing.
    """
    large = [name for name in texts if len(texts[name][_TABLE]) > _LARGE]
    done = []
    for name in sorted(large, key=lambda name: -len(texts[name][_TABLE])):
        if too_much <= 0:
            break
        plain = texts[name].pop(_TABLE)
        texts[name][packed_name(_TABLE)] = packed(plain)
        too_much -= len(plain) - len(texts[name][packed_name(_TABLE)])
        done.append(name)
    return tuple(sorted(done))


def _drawn(chosen: Sequence[ConfigOutcome], limit: int) -> dict[str, Picture]:
    found = {one.name: smallest(one.folder / "figure", limit) for one in chosen}
    return {name: one for name, one in found.items() if one is not None}


def _pictures(chosen: Sequence[ConfigOutcome], room: int) -> dict[str, Picture]:
    """Return the figures, so small that all of them fit into the room that is left."""
    for limit in _LIMITS:
        drawn = _drawn(chosen, limit)
        if sum(len(one.data) for one in drawn.values()) <= room:
            return drawn
    raise UserError(
        f"the outcome of {len(chosen)} configs takes more than {MOST // 1_000_000} MB, even with "
        "the smallest figures: name fewer configs"
    )


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for file, data in files.items():
        write_atomically(folder / file, data)
    _forget(folder, files)


def _forget(folder: Path, files: Collection[str]) -> None:
    for name in ("figure.svg", "figure.png", _TABLE, packed_name(_TABLE)):
        if name not in files:
            (folder / name).unlink(missing_ok=True)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
