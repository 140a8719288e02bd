"""Merging of YAML nodes: a config over those that it extends, a profile over its config."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from geoforest_cli.core.bundled import bundled
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.core.yaml_loader import Node, Position, read, read_words
from geoforest_cli.study.config.find import ENDINGS

__all__ = [
    "KEY",
    "Extended",
    "apply_profile",
    "merge",
    "open_document",
    "profile_names",
    "read_heading",
]

KEY = "extends"
_ALWAYS = ("smoke", "paper")
_OWN_KEYS = ("title", "artifact", "about", "question", "answer", "sentences", "claims", "published")


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


def merge(old: Node | None, new: Node) -> Node:
    """Return the new node; if both are mappings, the old one with the keys of the new one."""
    if old is None or not isinstance(old.value, dict) or not isinstance(new.value, dict):
        return new
    merged = {key: merge(old.value.get(key), child) for key, child in new.value.items()}
    return Node(old.value | merged, old.position, new.key)


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
    document = read(path, quoted=not above)
    if not isinstance(document.value, dict):
        kind = "a mapping (key: value), not a list or a single value"
        problem = "the config is empty" if document.value is None else f"a config is {kind}"
        raise document.position.error(problem)
    merged = Node({}, document.position)
    parents: list[Path] = []
    for name in _names(document):
        file = _find(name, path)
        if file.resolve() in {other.resolve() for other in (*above, path)}:
            chain = " extends ".join(str(other) for other in (*above, path, file))
            raise name.position.error(f"a config cannot extend itself: {chain}")
        parent = _open(file, (*above, path))
        parents += [file, *parent.parents]
        without = _OWN_KEYS if "title" in parent.document.value else ()
        merged = _extended(merged, parent.document, without)
    unique = {file.resolve(): file for file in reversed(parents)}
    return Extended(_extended(merged, document, (KEY,)), tuple(reversed(unique.values())))


def read_heading(path: Path, above: tuple[Path, ...] = ()) -> dict[str, str]:
    """Return title, paper and artifact of a config as `open_document` merges them.

    Nothing else of the files is looked at. An empty mapping is returned for a config that extends
    itself.

    Raises
    ------
    UserError
        For what is not YAML, or extends an unknown config.
    """
    if path.resolve() in above:
        return {}
    words = read_words(path, ("title", "paper", "artifact", KEY))
    heading: dict[str, str] = {}
    for name in words.pop(KEY, []):
        file = _find(Node(name, Position(str(path), 1, 1)), path)
        parent = read_heading(file, (*above, path.resolve()))
        without = _OWN_KEYS if "title" in parent else ()
        heading |= {key: word for key, word in parent.items() if key not in without}
    return heading | {key: " ".join(value) for key, value in words.items()}


def _names(config: Node) -> list[Node]:
    """Return the names of the configs that a config extends."""
    node = config.value.get(KEY)
    if node is None or node.value is None:
        return []
    names: list[Node] = node.value if isinstance(node.value, list) else [node]
    for item in names:
        if not isinstance(item.value, str):
            allowed = "the name of a config, or a list of names"
            raise item.position.error(f"{KEY} must be {allowed}, not {item.data!r:.40}")
    return names


def _find(name: Node, beside: Path) -> Path:
    """Return the file that a config means: beside it, in ./configs, or of geoforest."""
    folders = (beside.parent, Path("configs"), bundled("configs"))
    candidates = [folder / f"{name.value}{end}" for folder in folders for end in ("", *ENDINGS)]
    files = [file for file in candidates if file.is_file()]
    configs = [file for file in files if file.suffix in ENDINGS]
    if configs:
        # a config may have the name of the one that it extends
        return next((file for file in configs if not file.samefile(beside)), configs[0])
    if files:
        endings = " or ".join(ENDINGS)
        raise name.position.error(f"{name.value!r} is not a config: its name ends in {endings}")
    names = [
        file.relative_to(folder).with_suffix("").as_posix()
        for folder in folders
        for pattern in ("*.yaml", "parts/*.yaml")
        for file in sorted(folder.glob(pattern))
    ]
    raise name.position.error(unknown("config", name.value, dict.fromkeys(names)))


def _extended(below: Node, top: Node, without: tuple[str, ...]) -> Node:
    """Merge a config into what it extends, but for some keys."""
    children = {key: child for key, child in top.value.items() if key not in without}
    old, new = below.find(("claims",)), children.get("claims")
    if old and new and isinstance(old.value, list) and isinstance(new.value, list):
        children["claims"] = replace(old, value=_merged_claims(old.value, new.value))
    return merge(below, replace(top, value=children))


def _merged_claims(below: list[Node], top: list[Node]) -> list[Node]:
    """Merge lists of claims by id: known ones are changed in their order, others follow."""
    claims = list(below)
    ids = [claim.get("id") for claim in below]
    for claim in top:
        if claim.get("id") is not None and claim.get("id") in ids:
            number = ids.index(claim.get("id"))
            claims[number] = replace(claims[number], value=claims[number].value | claim.value)
        else:
            claims.append(claim)
    return claims


def profile_names(config: Node) -> tuple[str, ...]:
    """Return the profiles of a config: smoke and paper are always offered."""
    profiles = config.mapping.get("profiles")
    if profiles is None or not profiles.value:
        return _ALWAYS
    if not isinstance(profiles.value, dict):
        raise profiles.position.error("profiles must be a mapping (name: changes)")
    return tuple(dict.fromkeys((*_ALWAYS, *profiles.value)))


def apply_profile(config: Node, profile: str) -> Node:
    """Return the config with one profile merged into it.

    Raises
    ------
    ConfigError
        For an unknown profile, or one that is not a mapping.
    """
    names = profile_names(config)
    if profile not in names:
        raise config.locate(("profiles",), key=True).error(unknown("profile", profile, names))
    children = {key: child for key, child in config.value.items() if key != "profiles"}
    changes = config.find(("profiles", profile))
    if changes is None or not changes.value:
        return replace(config, value=children)
    if not isinstance(changes.value, dict):
        message = f"the profile {profile!r} must be a mapping (key: value)"
        raise changes.position.error(message)
    if "profiles" in changes.value:
        position = changes.locate(("profiles",), key=True)
        raise position.error("a profile cannot hold profiles")
    return merge(replace(config, value=children), changes)
