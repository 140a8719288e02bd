"""Strict YAML: 1.2 scalars, no duplicate keys, and the position of every key and value."""

from __future__ import annotations

import contextlib
import functools
import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from geoforest_cli.core.errors import ConfigError, ConfigErrors

__all__ = ["KeyPath", "Node", "Position", "parse", "read", "read_words"]

KeyPath = tuple[str | int, ...]

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_WORDS |= dict.fromkeys(("true", "True", "TRUE"), True)
_WORDS |= dict.fromkeys(("false", "False", "FALSE"), False)
_MAX_SIZE = 1_000_000  # bytes of a file
_MAX_NODES = 100_000  # keys and values, those behind an anchor as often as they are used
_MOST_DIGITS = 100
_DEPTH_OF_A_LIST = 2
# tags, complex keys, tabs and odd spaces: the two parsers differ; libyaml dies of what is too deep
_UNUSUAL = re.compile(
    r"""(?<!\w)!|(?<![^\s\[{,])\?|[\t\r\x85\u2028\u2029\ufeff]|(-\s+){50}""",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Position:
    """A file (or an option on the command line), line and column."""

    file: str
    line: int | None = None
    column: int | None = None

    def error(self, message: str) -> ConfigError:
        """Return the error that points here."""
        return ConfigError(message, self.file, self.line, self.column)


@dataclass(frozen=True)
class Node:
    """A value of a YAML file with its position; never changed in place.

    Attributes
    ----------
    value : Any
        A scalar, a list of nodes, or a mapping of keys to nodes.
    position : Position
    key : Position, optional
        Of the key, if the node is a value of a mapping.
    """

    value: Any
    position: Position
    key: Position | None = None

    @property
    def data(self) -> Any:
        """The value as plain mappings, lists and scalars."""
        if isinstance(self.value, dict):
            return {key: child.data for key, child in self.value.items()}
        return [child.data for child in self.value] if isinstance(self.value, list) else self.value

    @property
    def mapping(self) -> dict[str, Node]:
        """The values of a mapping; none for anything else."""
        return self.value if isinstance(self.value, dict) else {}

    def get(self, key: str) -> Any:
        """Return the plain data at a key of a mapping, None if there is no such key."""
        return self.mapping[key].data if key in self.mapping else None

    def find(self, path: KeyPath) -> Node | None:
        """Return the node at a path, None if there is none."""
        node = self
        for part in path:
            try:
                node = node.value[part]
            except (LookupError, TypeError):
                return None
            if not isinstance(node, Node):
                return None  # a letter of a text
        return node

    def locate(self, path: KeyPath, *, key: bool = False) -> Position:
        """Return the position of a path, or of the nearest node above it that exists."""
        node = self.find(path)
        if node is None:
            return self.locate(path[:-1], key=key)
        return node.key if key and node.key else node.position


def read(path: Path, *, quoted: bool = True) -> Node:
    """Read a YAML file.

    Parameters
    ----------
    path : Path
    quoted : bool
        Whether the sentence on a mistake may quote the file. A config can name any file
        as one that it extends.

    Raises
    ------
    ConfigError
        If it cannot be read, is not UTF-8 or not strict YAML.
    ConfigErrors
        As `parse`.
    """
    try:
        return _parsed(_text(path), str(path))
    except (ConfigError, ConfigErrors) as error:
        if quoted:
            raise
        first = error.problems[0] if isinstance(error, ConfigErrors) else error
        message = "this is not a config; 'geoforest check' of the file itself says more"
        raise ConfigError(message, path, first.line) from None


def read_words(path: Path, keys: Collection[str]) -> dict[str, list[str]]:
    """Read the words of some keys of a YAML file's mapping, a list's each; build nothing else.

    Raises
    ------
    ConfigError
        If it cannot be read, is not UTF-8, not YAML or no mapping.
    """
    words: dict[str, list[str]] = {}
    depth = 0
    key: str | None = None
    try:
        for event in yaml.parse(_text(path), _FAST or _Loader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            word = event.value if isinstance(event, yaml.ScalarEvent) else None
            if word is not None and depth == 1 and key is None:
                key = word
                continue
            if word is not None and key is not None and key in keys and depth <= _DEPTH_OF_A_LIST:
                words.setdefault(key, []).append(word)
            if depth == 1:
                key = None
    except yaml.YAMLError:
        raise ConfigError("this is not YAML", path) from None
    return words


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", path) from None
    if len(data) > _MAX_SIZE:
        size = f"{len(data) / 1e6:.1f} MB"
        raise ConfigError(f"the file has {size}; a config has at most {_MAX_SIZE / 1e6:g} MB", path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        problem = f"the file is not UTF-8 (byte 0x{data[error.start]:02x})"
        raise ConfigError(problem, path, line, column) from None


def parse(text: str, file: str) -> Node:
    r"""Parse strict YAML.

    Raises
    ------
    ConfigError
        With the position of a mistake in the syntax.
    ConfigErrors
        If there are several duplicate keys or other things that are not allowed here.

    Examples
    --------
    >>> parse("a: 1e-3\nb: no", "x.yaml").data
    {'a': 0.001, 'b': 'no'}
    """
    builder = _Builder(file, [])
    try:
        composed = _compose(text)
        node = builder.build(composed) if composed else Node(None, Position(file, 1, 1))
    except yaml.MarkedYAMLError as error:
        raise _position(file, error.problem_mark or error.context_mark).error(
            _syntax(error, text)
        ) from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        position = Position(file, before.count("\n") + 1, error.position - before.rfind("\n"))
        problem = f"the character {chr(int(error.character))!r} is not allowed in YAML"
        raise position.error(problem) from None
    except RecursionError:
        problem = "this is nested too deeply"
        raise ConfigError(problem, file, 1, 1) from None
    if problems := builder.problems:
        raise problems[0] if len(problems) == 1 else ConfigErrors(problems)
    return node


# nodes are never changed: what several configs extend is built once
_parsed = functools.lru_cache(maxsize=128)(parse)


def _compose(text: str) -> yaml.Node | None:
    """Compose nodes with libyaml, twelve times as fast, where it agrees with PyYAML."""
    composed: yaml.Node | None
    if _FAST is not None and not _UNUSUAL.search(text) and text.count("[") + text.count("{") < 9999:
        with contextlib.suppress(yaml.YAMLError):  # PyYAML's own message is used
            composed = yaml.compose(text, _FAST)
            return composed
    composed = yaml.compose(text, _Loader)
    return composed


class _Loader(yaml.SafeLoader):
    """Composes nodes only; every plain scalar stays text until `_scalar` looks at it."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: Any = cast("Any", self).peek_event()
        if (tag := getattr(event, "tag", None)) is not None:
            problem = f"tags ({tag}) are not supported"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        return super().compose_node(parent, index)


# PyYAML's own name: without resolvers every plain scalar stays text
_Loader.yaml_implicit_resolvers = {}
_FAST: Any = None
if yaml.__with_libyaml__:
    _FAST = type("_FastLoader", (yaml.CSafeLoader,), {"yaml_implicit_resolvers": {}})


@dataclass
class _Builder:
    """Turns PyYAML's nodes into ours, and notes what is not allowed."""

    file: str
    problems: list[ConfigError]
    built: int = 0
    above: tuple[yaml.Node, ...] = ()

    def build(self, node: yaml.Node, key: Position | None = None) -> Node:
        position = _position(self.file, node.start_mark)
        self.built += 1
        if self.built > _MAX_NODES:
            often = "; an anchor counts wherever it is used"
            raise position.error(f"a config has at most {_MAX_NODES} keys and values{often}")
        value: Any = None
        above, self.above = self.above, (*self.above, node)
        if any(node is parent for parent in above):
            self.problems.append(position.error("an anchor must not contain itself"))
        elif isinstance(node, yaml.MappingNode):
            value = self.mapping(node)
        elif isinstance(node, yaml.SequenceNode):
            value = [self.build(item) for item in node.value]
        else:
            try:
                value = _scalar(node)
            except ValueError as error:
                self.problems.append(position.error(str(error)))
        self.above = above
        return Node(value, position, key)

    def mapping(self, node: yaml.MappingNode) -> dict[str, Node]:
        children: dict[str, Node] = {}
        merged: dict[str, Node] = {}
        positions: dict[str, Position] = {}
        for key_node, value_node in node.value:
            position = _position(self.file, key_node.start_mark)
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.append(position.error("a key must be a plain word"))
                continue
            key = key_node.value
            first = positions.setdefault(key, position)
            if first is not position:
                message = f"duplicate key {key!r}, first in line {first.line}"
                self.problems.append(position.error(f"{message}, column {first.column}"))
            elif key == "<<" and not key_node.style:
                merged = self.merged(value_node, position)
            else:
                children[key] = self.build(value_node, position)
        return merged | children

    def merged(self, node: yaml.Node, position: Position) -> dict[str, Node]:
        """The keys of one mapping or of several, of which the first counts (YAML 1.1's ``<<``)."""
        keys: dict[str, Node] = {}
        for item in reversed(node.value) if isinstance(node, yaml.SequenceNode) else [node]:
            if isinstance(item, yaml.MappingNode):
                keys |= self.build(item).mapping
            else:
                self.problems.append(position.error("'<<' takes a mapping, or a list of them"))
        return keys


def _position(file: str, mark: Any) -> Position:
    return Position(file, mark.line + 1, mark.column + 1)


def _syntax(error: yaml.MarkedYAMLError, text: str) -> str:
    problem, mark = str(error.problem), error.problem_mark
    start = error.context_mark
    begin = f" that begins in line {start.line + 1}, column {start.column + 1}" if start else ""
    if "supported" in problem:
        return problem
    if "'\\t'" in problem or (
        mark and re.match(r"\s*\t", text[text.rfind("\n", 0, mark.index) + 1 :])
    ):
        return "a tab; YAML is indented with spaces"
    if "another document" in problem:
        return "a second document begins here; a config is one document"
    if "stream end" in problem or "<document end>" in problem or "end of stream" in problem:
        return f"the file ends here {error.context or 'too early'}{begin}"
    return f"this is not YAML: {problem} {error.context or ''}".rstrip() + begin


def _scalar(node: yaml.Node) -> Any:
    text: str = node.value
    if getattr(node, "style", None):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _SPECIAL.fullmatch(text):
        return float(text.replace(".", ""))
    is_int = _INT.fullmatch(text)
    if not is_int and not _FLOAT.fullmatch(text):
        return text
    shown = text if len(text) <= 20 else f"{text[:20]}..."
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"the number {shown} is too long")
    if is_int:
        return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {shown} is too large")
    return value
