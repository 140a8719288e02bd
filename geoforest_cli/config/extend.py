"""A config that extends others: theirs below, its own on top, places included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoforest_cli.config.find import ENDINGS, bundled
from geoforest_cli.config.merge import copy_places, forget, lay
from geoforest_cli.config.yaml_loader import Document, Path_, Place, read
from geoforest_cli.errors import ConfigError
from geoforest_cli.hints import unknown

__all__ = ["KEYS", "Extended", "open_document"]

KEYS = ("extends", "drop")
_OWN = ("title", "artifact", "about", "claims", "published")


@dataclass(frozen=True)
class Extended:
    """A config's file with all that it extends below it.

    Attributes
    ----------
    document : Document
        Merged: every value knows the file in which it stands.
    parents : tuple of Path
        The files below, each once, the nearest first.
    """

    document: Document
    parents: tuple[Path, ...]


def open_document(path: Path) -> Extended:
    """Read a config and what it extends.

    A key of the config replaces that of the files it extends, mappings are merged, of several
    files the later one counts; as a profile is laid over its config. Claims are merged by their
    id: those of the files below come first. What tells of one artifact (title, artifact, about,
    claims, published) is not taken from a file with a title, that is, from a whole config; a part
    of a config, which has none, gives all it has. ``drop`` lists what is not taken, as
    ``methods.umap``; it is left out of the profiles as well.

    Raises
    ------
    UserError
        For what is not strict YAML, no mapping, unknown, or extends itself; with its place.
    """
    return _open(path, ())


def _open(path: Path, above: tuple[Path, ...]) -> Extended:
    own = _top(read(path))
    if not any(key in own.data for key in KEYS):
        return Extended(own, ())
    merged = Document(own.file, {})
    merged.values[()] = own.place(())
    parents: list[Path] = []
    for name, place in _names(own):
        file = _find(name, path, place)
        if file.resolve() in {one.resolve() for one in (*above, path)}:
            chain = " extends ".join(str(one) for one in (*above, path, file))
            raise place.error(f"a config cannot extend itself: {chain}")
        below = _open(file, (*above, path))
        parents += [file, *below.parents]
        _lay_over(merged, below.document, _OWN if "title" in below.document.data else ())
    for parts in _dropped(own, merged):
        _remove(merged, parts)
    _lay_over(merged, own, KEYS)
    unique = {one.resolve(): one for one in reversed(parents)}
    return Extended(merged, tuple(reversed(unique.values())))


def _top(document: Document) -> Document:
    if document.data is None:
        raise ConfigError("the config is empty", document.file, 1, 1)
    if not isinstance(document.data, dict):
        found = "a list" if isinstance(document.data, list) else f"{document.data!r:.40}"
        raise document.place(()).error(f"a config is a mapping (key: value), not {found}")
    return document


def _names(document: Document) -> Iterator[tuple[str, Place]]:
    """Yield what a document extends, the lowest first, each with its place."""
    return _words(document, "extends", "the name of a config, or a list of names")


def _words(document: Document, key: str, allowed: str) -> Iterator[tuple[str, Place]]:
    given = document.data.get(key)
    several = given if isinstance(given, list) else [] if given is None else [given]
    for number, word in enumerate(several):
        place = document.place((key, number) if isinstance(given, list) else (key,))
        if not isinstance(word, str):
            raise place.error(f"{key} must be {allowed}, not {word!r:.40}")
        yield word, place


def _find(name: str, beside: Path, place: Place) -> Path:
    """Return the file that a config means: beside it, in ./configs, or of geoforest."""
    folders = (beside.parent, Path("configs"), bundled("configs"))
    endings = ("", *ENDINGS)
    found = [folder / f"{name}{end}" for folder in folders for end in endings]
    found = [file for file in found if file.is_file()]
    # a config may have the name of the one that it extends
    others = [file for file in found if not file.samefile(beside)]
    if found:
        return (others or found)[0]
    known = [
        file.relative_to(folder).with_suffix("").as_posix()
        for folder in folders
        for pattern in ("*.yaml", "parts/*.yaml")
        for file in sorted(folder.glob(pattern))
    ]
    raise place.error(unknown("config", name, dict.fromkeys(known)))


def _lay_over(target: Document, source: Document, without: tuple[str, ...]) -> None:
    for key, value in source.data.items():
        if key in without:
            continue
        if key == "claims" and isinstance(value, list) and isinstance(target.data.get(key), list):
            _lay_claims(target, source)
        else:
            lay(target, (key,), value, source, (key,))


def _lay_claims(target: Document, source: Document) -> None:
    """Merge lists of claims by id: known ones are changed where they stand, others follow."""
    claims = list(target.data["claims"])
    target.data["claims"] = claims
    at = {_id(one): number for number, one in enumerate(claims) if _id(one)}
    for number, claim in enumerate(source.data["claims"]):
        origin: Path_ = ("claims", number)
        known = at.get(_id(claim))
        if known is None:
            claims.append(None)
            place: Path_ = ("claims", len(claims) - 1)
            _put(target, place, claim, source, origin)
            continue
        claims[known] = dict(claims[known])
        for key, value in claim.items():
            inside: Path_ = ("claims", known, key)
            forget(target, inside, claims[known].get(key))
            _put(target, inside, value, source, (*origin, key))


def _id(claim: Any) -> str:
    name = claim.get("id") if isinstance(claim, dict) else None
    return name if isinstance(name, str) else ""


def _put(target: Document, path: Path_, value: Any, source: Document, origin: Path_) -> None:
    """Replace a value, mappings too."""
    holder = target.data
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = value
    copy_places(target, path, value, source, origin)


def _dropped(own: Document, merged: Document) -> Iterator[tuple[str, ...]]:
    for word, place in _words(own, "drop", "a list of keys such as methods.umap"):
        parts: list[str] = []
        data: Any = merged.data
        rest = word
        while rest:
            known = list(data) if isinstance(data, dict) else []
            # names such as my_module:Class stand whole
            part = rest if rest in known else rest.partition(".")[0]
            if part not in known:
                kind = f"key of {'.'.join(parts)}" if parts else "key"
                raise place.error(unknown(kind, part, known))
            parts.append(part)
            data, rest = data[part], rest[len(part) + 1 :]
        yield tuple(parts)


def _remove(document: Document, parts: tuple[str, ...]) -> None:
    profiles = document.data.get("profiles")
    names = list(profiles) if isinstance(profiles, dict) else []
    for before in ((), *(("profiles", name) for name in names)):
        _cut(document, (*before, *parts))


def _cut(document: Document, path: Path_) -> None:
    """Take a key out, if it is there; the mappings above it are copied."""
    holder: Any = document.data
    for part in path[:-1]:
        if not isinstance(holder.get(part), dict):
            return
        holder[part] = dict(holder[part])
        holder = holder[part]
    if path[-1] in holder:
        forget(document, path, holder.pop(path[-1]))
        document.keys.pop(path, None)
