"""Strict YAML: 1.2 scalars, no duplicate keys, and the place of every key and value."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from geoforest_cli.errors import ConfigError

__all__ = ["Document", "Path_", "Place", "parse", "parse_value", "read"]

Path_ = tuple[str | int, ...]

# tags that PyYAML gives by itself; which of them a scalar gets is decided here anew
_RESOLVED = {
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "timestamp", "map", "seq", "merge", "value")
}
_INT = re.compile(r"[-+]?[0-9]+\Z|0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z"
    r"|[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z"
)
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
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"the file is not UTF-8 (byte {error.start + 1})", path) from None
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", path) from None
    return parse(text, str(path))


def parse(text: str, file: str) -> Document:
    r"""Parse strict YAML.

    Examples
    --------
    >>> parse("a: 1e-3\nb: no", "x.yaml").data
    {'a': 0.001, 'b': 'no'}
    """
    document = Document(file)
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file)
        raise place.error(_syntax(error, text)) from None
    except yaml.YAMLError as error:
        raise ConfigError(f"this is not YAML: {' '.join(str(error).split())}", file) from None
    if node is not None:
        document.data = _build(node, (), document)
    return document


def parse_value(text: str, file: str) -> Any:
    """Parse one value as YAML, as `--set` gives it."""
    return parse(text, file).data


def _syntax(error: yaml.MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark
    line = text.splitlines()[mark.line] if mark and mark.line < text.count("\n") + 1 else ""
    if "\t" in line[: mark.column + 1 if mark else 0]:
        return "a tab stands here; YAML is indented with spaces"
    return f"this is not YAML: {error.problem or error.context}"


def _build(node: yaml.Node, path: Path_, document: Document) -> Any:
    place = Place(document.file, node.start_mark.line + 1, node.start_mark.column + 1)
    if node.tag not in _RESOLVED:
        raise place.error(f"tags ({node.tag}) are not supported")
    document.values.setdefault(path, place)
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, document)
    if isinstance(node, yaml.SequenceNode):
        return [_build(item, (*path, i), document) for i, item in enumerate(node.value)]
    return _scalar(node, place)


def _mapping(node: yaml.MappingNode, path: Path_, document: Document) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key_node, value_node in node.value:
        mark = key_node.start_mark
        place = Place(document.file, mark.line + 1, mark.column + 1)
        if not isinstance(key_node, yaml.ScalarNode):
            raise place.error("a key must be a plain word")
        key = key_node.value
        if key == "<<":
            raise place.error("merge keys ('<<') are not supported; write the keys out")
        if key in data:
            first = document.keys[*path, key]
            raise place.error(f"the key {key!r} stands here twice (first in line {first.line})")
        document.keys[*path, key] = place
        data[key] = _build(value_node, (*path, key), document)
    return data


def _scalar(node: yaml.Node, place: Place) -> Any:
    text: str = node.value
    if getattr(node, "style", None):
        return text  # quoted, or a block of text
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.match(text):
        return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)
    if _FLOAT.match(text):
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return text
