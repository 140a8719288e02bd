"""A config that extends others: their keys, replaced and completed by its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from geoforest_cli.core.bundled import bundled
from geoforest_cli.core.errors import ConfigError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.core.yaml_loader import Node, read
from geoforest_cli.study.config.find import ENDINGS
from geoforest_cli.study.config.merge import merge

__all__ = ["KEY", "Extended", "open_document"]

KEY = "extends"
_OWN = ("title", "artifact", "about", "question", "answer", "sentences", "claims", "published")


@dataclass(frozen=True)
class Extended:
    """A config's file merged with all that it extends.

    Attributes
    ----------
    document : Node
        Merged: every node knows its file.
    parents : tuple of Path
        The extended files, each once, the nearest first.
    """

    document: Node
    parents: tuple[Path, ...]


def open_document(path: Path) -> Extended:
    """Read a config and what it extends.

    A key of the config replaces that of the files it extends, mappings are merged, of several
    files the later one counts; as a profile is merged into its config. Claims are merged by their
    id: those of the extended files come first. What describes one artifact (title, artifact,
    about, question, answer, sentences, claims, published) is not taken from a file with a title,
    that is, from a whole config; a part of a config, which has none, gives all it has.

    Raises
    ------
    UserError
        For what is not strict YAML, no mapping, unknown, or extends itself; with its position. The
        sentence quotes nothing of an extended file that is not a config.
    """
    return _open(path, ())


def _open(path: Path, above: tuple[Path, ...]) -> Extended:
    own = _top(read(path, quoted=not above))
    if KEY not in own.value:
        return Extended(own, ())
    merged = Node({}, own.position)
    parents: list[Path] = []
    for name in _names(own):
        file = _find(name, path)
        if file.resolve() in {other.resolve() for other in (*above, path)}:
            chain = " extends ".join(str(other) for other in (*above, path, file))
            raise name.position.error(f"a config cannot extend itself: {chain}")
        parent = _open(file, (*above, path))
        parents += [file, *parent.parents]
        without = _OWN if "title" in parent.document.value else ()
        merged = _extended(merged, parent.document, without)
    unique = {file.resolve(): file for file in reversed(parents)}
    return Extended(_extended(merged, own, (KEY,)), tuple(reversed(unique.values())))


def _top(node: Node) -> Node:
    if node.value is None:
        raise ConfigError("the config is empty", node.position.file, 1, 1)
    if not isinstance(node.value, dict):
        kind = "a list" if isinstance(node.value, list) else "a single value"
        raise node.position.error(f"a config is a mapping (key: value), not {kind}")
    return node


def _names(config: Node) -> Iterator[Node]:
    """Yield the names of the configs that a config extends."""
    node = config.value[KEY]
    if node.value is None:
        return
    for item in node.value if isinstance(node.value, list) else [node]:
        if not isinstance(item.value, str):
            allowed = "the name of a config, or a list of names"
            raise item.position.error(f"{KEY} must be {allowed}, not {item.data!r:.40}")
        yield item


def _find(name: Node, beside: Path) -> Path:
    """Return the file that a config means: beside it, in ./configs, or of geoforest."""
    folders = (beside.parent, Path("configs"), bundled("configs"))
    endings = ("", *ENDINGS)
    candidates = [folder / f"{name.value}{end}" for folder in folders for end in endings]
    files = [file for file in candidates if file.is_file()]
    configs = [file for file in files if file.suffix in ENDINGS]
    # a config may have the name of the one that it extends
    others = [file for file in configs if not file.samefile(beside)]
    if configs:
        return (others or configs)[0]
    if files:
        raise name.position.error(
            f"{name.value!r} is not a config: its name ends in {' or '.join(ENDINGS)}"
        )
    known = [
        file.relative_to(folder).with_suffix("").as_posix()
        for folder in folders
        for pattern in ("*.yaml", "parts/*.yaml")
        for file in sorted(folder.glob(pattern))
    ]
    raise name.position.error(unknown("config", name.value, dict.fromkeys(known)))


def _extended(below: Node, top: Node, without: tuple[str, ...]) -> Node:
    """Merge a config into what it extends, but for some keys."""
    children = dict(below.value)
    for key, child in top.value.items():
        if key in without:
            continue
        old = children.get(key)
        lists = old and isinstance(old.value, list) and isinstance(child.value, list)
        if key == "claims" and old and lists:
            children[key] = replace(old, value=_merged_claims(old.value, child.value))
        else:
            children[key] = merge(old, child)
    return replace(below, value=children)


def _merged_claims(below: list[Node], top: list[Node]) -> list[Node]:
    """Merge lists of claims by id: known ones are changed in their order, others follow."""
    claims = list(below)
    numbers = {_id(claim): number for number, claim in enumerate(below) if _id(claim)}
    for claim in top:
        number = numbers.get(_id(claim))
        if number is None:
            claims.append(claim)
        else:
            known = claims[number]
            claims[number] = replace(known, value=known.value | claim.value)
    return claims


def _id(claim: Node) -> str:
    name = claim.get("id")
    return name if isinstance(name, str) else ""
