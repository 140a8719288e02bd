"""Strict YAML: 1.2 scalars, no duplicate keys, and the position of every key and value."""

from __future__ import annotations

import contextlib
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from geoforest_cli.core.errors import ConfigError, ConfigErrors

__all__ = ["KeyPath", "Node", "Position", "parse", "read"]

KeyPath = tuple[str | int, ...]

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LARGEST = 1_000_000  # bytes of a file
_MOST_VALUES = 100_000  # keys and values, those behind an anchor as often as they are used
_MOST_DIGITS = 100
# tags, complex keys, tabs and odd spaces: the two parsers differ; libyaml dies of what is too deep
_UNUSUAL = re.compile(r"[!?\t\r\x85\u2028\u2029\ufeff]|(-\s+){50}")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_NULL = {"", "~", "null", "Null", "NULL"}
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


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
        return parse(_text(path), str(path))
    except (ConfigError, ConfigErrors) as error:
        if quoted:
            raise
        first = error.problems[0] if isinstance(error, ConfigErrors) else error
        message = "this is not a config; 'geoforest check' of the file itself says more"
        raise ConfigError(message, path, first.line) from None


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", path) from None
    if len(data) > _LARGEST:
        size = f"{len(data) / 1e6:.1f} MB"
        raise ConfigError(f"the file has {size}; a config has at most {_LARGEST / 1e6:g} MB", path)
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
    try:
        composed = _compose(text)
        if composed is None:
            return Node(None, Position(file, 1, 1))
        builder = _Builder(file, [])
        node = builder.build(composed, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = _position(file, mark) if mark else Position(file)
        raise position.error(_syntax(error, text)) from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        column = error.position - before.rfind("\n")
        problem = f"the character {chr(int(error.character))!r} is not allowed in YAML"
        raise ConfigError(problem, file, before.count("\n") + 1, column) from None
    except RecursionError:
        raise ConfigError("this is nested too deeply", file, 1, 1) from None
    if problems := builder.problems:
        raise problems[0] if len(problems) == 1 else ConfigErrors(problems)
    return node


def _compose(text: str) -> yaml.Node | None:
    """Compose nodes with libyaml, twelve times as fast, where it agrees with PyYAML."""
    brackets = text.count("[") + text.count("{")
    if _FAST is not None and not _UNUSUAL.search(text) and brackets < 9999:
        with contextlib.suppress(yaml.YAMLError):  # PyYAML's own message is used
            composed: yaml.Node | None = yaml.compose(text, _FAST)
            return composed
    node: yaml.Node | None = yaml.compose(text, _Loader)
    return node


class _Loader(yaml.SafeLoader):
    """Composes nodes only; every plain scalar stays text until `_scalar` looks at it."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        untyped: Any = self
        event = untyped.peek_event()
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise yaml.MarkedYAMLError(
                problem=f"tags ({tag}) are not supported", problem_mark=event.start_mark
            )
        return super().compose_node(parent, index)


# PyYAML's own name: without resolvers every plain scalar stays text
_Loader.yaml_implicit_resolvers = {}
_FAST: Any = None
if yaml.__with_libyaml__:
    # the same with libyaml's parser, which takes more than PyYAML's: see `_UNUSUAL`
    _FAST = type("_FastLoader", (yaml.CSafeLoader,), {"yaml_implicit_resolvers": {}})


@dataclass
class _Builder:
    """Turns PyYAML's nodes into ours, and notes what is not allowed."""

    file: str
    problems: list[ConfigError]
    built: int = 0

    def build(
        self, node: yaml.Node, above: tuple[yaml.Node, ...], key: Position | None = None
    ) -> Node:
        position = _position(self.file, node.start_mark)
        self.built += 1
        if self.built > _MOST_VALUES:
            often = "; an anchor counts wherever it is used"
            raise position.error(f"a config has at most {_MOST_VALUES} keys and values{often}")
        value: Any = None
        if any(node is parent for parent in above):
            self.problems.append(position.error("an anchor must not contain itself"))
        elif isinstance(node, yaml.MappingNode):
            value = self.mapping(node, (*above, node))
        elif isinstance(node, yaml.SequenceNode):
            value = [self.build(item, (*above, node)) for item in node.value]
        else:
            assert isinstance(node, yaml.ScalarNode)
            try:
                value = _scalar(node)
            except ValueError as error:
                self.problems.append(position.error(str(error)))
        return Node(value, position, key)

    def mapping(self, node: yaml.MappingNode, above: tuple[yaml.Node, ...]) -> dict[str, Node]:
        children: dict[str, Node] = {}
        merged: dict[str, Node] = {}
        merges = False
        for key_node, value_node in node.value:
            position = _position(self.file, key_node.start_mark)
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.append(position.error("a key must be a plain word"))
            elif key == "<<" and not key_node.style and merges:
                self.problems.append(position.error("duplicate key '<<': give a list"))
            elif key == "<<" and not key_node.style:
                merged, merges = self.merged(value_node, above, position), True
            elif key in children:
                first = children[key].key
                assert first is not None
                message = f"duplicate key {key!r}, first in line {first.line}"
                self.problems.append(position.error(f"{message}, column {first.column}"))
            else:
                children[key] = self.build(value_node, above, position)
        return merged | children

    def merged(
        self, node: yaml.Node, above: tuple[yaml.Node, ...], position: Position
    ) -> dict[str, Node]:
        """The keys of one mapping or of several, of which the first counts (YAML 1.1's ``<<``)."""
        keys: dict[str, Node] = {}
        several = node.value if isinstance(node, yaml.SequenceNode) else [node]
        for item in reversed(several):
            if isinstance(item, yaml.MappingNode):
                keys |= self.build(item, above).mapping
            else:
                self.problems.append(position.error("'<<' takes a mapping, or a list of them"))
        return keys


def _position(file: str, mark: Any) -> Position:
    return Position(file, mark.line + 1, mark.column + 1)


def _syntax(error: yaml.MarkedYAMLError, text: str) -> str:
    problem = error.problem or error.context or "it cannot be parsed"
    if "supported" in problem:
        return problem
    if "'\\t'" in problem or _tab_indents(error.problem_mark, text):
        return "a tab; YAML is indented with spaces"
    if "another document" in problem:
        return "a second document begins here; a config is one document"
    if "stream end" in problem or "<document end>" in problem or "end of stream" in problem:
        return f"the file ends here {error.context or 'too early'}{_opened(error)}"
    return f"this is not YAML: {problem} {error.context or ''}".rstrip() + _opened(error)


def _opened(error: yaml.MarkedYAMLError) -> str:
    mark = error.context_mark
    return f" that begins in line {mark.line + 1}, column {mark.column + 1}" if mark else ""


def _tab_indents(mark: Any, text: str) -> bool:
    lines = text.splitlines()
    if mark is None or mark.line >= len(lines):
        return False
    indent = re.match(r"\s*", lines[mark.line])
    return indent is not None and "\t" in indent[0]


def _scalar(node: yaml.ScalarNode) -> Any:
    text: str = node.value
    if node.style:
        return text
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _SPECIAL.fullmatch(text):
        return float(text.replace(".", "").lower())
    return _number(text)


def _number(text: str) -> Any:
    shown = text if len(text) <= 20 else f"{text[:20]}..."
    if _INT.fullmatch(text):
        if len(text) > _MOST_DIGITS:
            raise ValueError(f"the number {shown} is too long")
        return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        if math.isinf(value):
            raise ValueError(f"the number {shown} is too large")
        return value
    return text
