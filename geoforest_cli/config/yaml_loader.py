"""Strict YAML: 1.2 scalars, no duplicate keys, and the place of every key and value."""

from __future__ import annotations

import contextlib
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from geoforest_cli.errors import ConfigError, ConfigErrors

__all__ = ["Document", "Path_", "Place", "parse", "read", "title"]

Path_ = tuple[str | int, ...]

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
class Place:
    """Where something stands: a file (or an option on the command line), line and column."""

    file: str
    line: int | None = None
    column: int | None = None

    def error(self, message: str) -> ConfigError:
        """Return the error that points here."""
        return ConfigError(message, self.file, self.line, self.column)


@dataclass
class Document:
    """Plain data with the place of every key and every value.

    Attributes
    ----------
    data : Any
        Mappings, lists and scalars.
    keys, values : dict
        Path from the top -> where the key, or the value, stands.
    """

    file: str
    data: Any = None
    keys: dict[Path_, Place] = field(default_factory=dict)
    values: dict[Path_, Place] = field(default_factory=dict)

    def place(self, path: Path_, *, key: bool = False) -> Place:
        """Return where a path stands, or the nearest thing above it that stands anywhere."""
        first, second = (self.keys, self.values) if key else (self.values, self.keys)
        for table in (first, second):
            if path in table:
                return table[path]
        return self.place(path[:-1], key=key) if path else Place(self.file, 1, 1)


def read(path: Path) -> Document:
    """Read a YAML file.

    Raises
    ------
    ConfigError
        If it cannot be read, is not UTF-8 or not strict YAML.
    """
    return parse(_text(path), str(path))


def title(path: Path) -> str:
    """Return the title of a config, "" if it has none; what stands below it is not read.

    Raises
    ------
    ConfigError
        If the file cannot be read, or is not a config as far as it is read.
    """
    try:
        depth, key = 0, None
        for event in yaml.parse(_text(path), yaml.SafeLoader):
            if isinstance(event, yaml.NodeEvent) and depth == 0:
                if not isinstance(event, yaml.MappingStartEvent):
                    raise ConfigError("a config is a mapping", path)
            elif isinstance(event, yaml.NodeEvent) and depth == 1:
                word = event.value if isinstance(event, yaml.ScalarEvent) else ""
                if key == "title":
                    return str(word)
                key = word if key is None else None
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
    except yaml.YAMLError as error:
        raise ConfigError(f"this is not YAML: {error}", path) from None
    return ""


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


def parse(text: str, file: str) -> Document:
    r"""Parse strict YAML.

    Raises
    ------
    ConfigError
        With the place of a mistake in the syntax.
    ConfigErrors
        If there are several duplicate keys or other things that are not allowed here.

    Examples
    --------
    >>> parse("a: 1e-3\nb: no", "x.yaml").data
    {'a': 0.001, 'b': 'no'}
    """
    document = Document(file)
    try:
        node = _compose(text)
        problems: list[ConfigError] = []
        if node is not None:
            document.data = _Builder(document, problems).build(node, (), ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = _place(file, mark) if mark else Place(file)
        raise place.error(_syntax(error, text)) from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        column = error.position - before.rfind("\n")
        problem = f"the character {chr(int(error.character))!r} is not allowed in YAML"
        raise ConfigError(problem, file, before.count("\n") + 1, column) from None
    except RecursionError:
        raise ConfigError("this is nested too deeply", file, 1, 1) from None
    if problems:
        raise problems[0] if len(problems) == 1 else ConfigErrors(problems)
    return document


def _compose(text: str) -> yaml.Node | None:
    """Compose nodes twelve times as fast where libyaml is there and says the same as PyYAML."""
    if _FAST is not None and not _UNUSUAL.search(text) and _brackets(text) < 9999:
        with contextlib.suppress(yaml.YAMLError):  # the mistake is told in PyYAML's words
            composed: yaml.Node | None = yaml.compose(text, _FAST)
            return composed
    node: yaml.Node | None = yaml.compose(text, _Loader)
    return node


def _brackets(text: str) -> int:
    return text.count("[") + text.count("{")


class _Loader(yaml.SafeLoader):
    """Composes nodes only; every plain scalar stays text until `_scalar` looks at it."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML's own name, never changed

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        untyped: Any = self
        event = untyped.peek_event()
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise yaml.MarkedYAMLError(
                problem=f"tags ({tag}) are not supported", problem_mark=event.start_mark
            )
        return super().compose_node(parent, index)


_FAST: Any = None
if yaml.__with_libyaml__:

    class _FastLoader(yaml.CSafeLoader):
        """The same with libyaml's parser, which takes more than PyYAML's: see `_UNUSUAL`."""

        yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML's own name, never changed

    _FAST = _FastLoader


@dataclass
class _Builder:
    """Turns nodes into data, and notes what is not allowed."""

    document: Document
    problems: list[ConfigError]
    built: int = 0

    def build(self, node: yaml.Node, path: Path_, above: tuple[yaml.Node, ...]) -> Any:
        place = _place(self.document.file, node.start_mark)
        self.document.values[path] = place
        self.built += 1
        if self.built > _MOST_VALUES:
            often = "; an anchor counts wherever it is used"
            raise place.error(f"a config has at most {_MOST_VALUES} keys and values{often}")
        if any(node is one for one in above):
            self.problems.append(place.error("an anchor must not contain itself"))
            return None
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path, (*above, node))
        if isinstance(node, yaml.SequenceNode):
            inside = (*above, node)
            return [self.build(one, (*path, i), inside) for i, one in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)
        try:
            return _scalar(node)
        except ValueError as error:
            self.problems.append(place.error(str(error)))
            return None

    def mapping(
        self, node: yaml.MappingNode, path: Path_, above: tuple[yaml.Node, ...]
    ) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            place = _place(self.document.file, key_node.start_mark)
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.append(place.error("a key must be a plain word"))
            elif key == "<<" and not key_node.style:
                message = "merge keys ('<<') are not supported; write the keys out"
                self.problems.append(place.error(message))
            elif key in data:
                first = self.document.keys[*path, key]
                message = f"the key {key!r} stands here twice, first in line {first.line}"
                self.problems.append(place.error(f"{message}, column {first.column}"))
            else:
                self.document.keys[*path, key] = place
                data[key] = self.build(value_node, (*path, key), above)
        return data


def _place(file: str, mark: Any) -> Place:
    return Place(file, mark.line + 1, mark.column + 1)


def _syntax(error: yaml.MarkedYAMLError, text: str) -> str:
    problem = error.problem or error.context or "it cannot be parsed"
    if "supported" in problem:
        return problem
    if "'\\t'" in problem or _tab_indents(error.problem_mark, text):
        return "a tab stands here; YAML is indented with spaces"
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
