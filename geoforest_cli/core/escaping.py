"""Control characters in text of others: a terminal shows them escaped."""

from __future__ import annotations

import json
import re
from typing import Any

_LINE = 100  # characters of a value that a message quotes

_WORD = 255  # characters of a word: the longest name of a file
_LONG_WORD = re.compile(rf"(?<![^\s=(\[])'[^'\n]{{{_WORD},}}'|[^\s']{{{_WORD + 1},}}")

# control characters but tab and new line, what turns the direction of writing, halves of pairs
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escape_control_characters(text: str, *, one_line: bool = False) -> str:
    r"""Return text with its control characters escaped.

    Parameters
    ----------
    text : str
    one_line : bool
        Escape tabs and line ends too.

    Examples
    --------
    >>> print(escape_control_characters("\x1b[2Jred\x07"))
    \x1b[2Jred\x07
    >>> print(escape_control_characters("a\nb", one_line=True))
    a\nb
    """
    escaped = _CONTROL.sub(_escaped, text)
    return escaped.replace("\t", "\\t").replace("\n", "\\n") if one_line else escaped


def escaped_json(content: Any) -> str:
    r"""Return indented JSON with letters as they are and control characters escaped.

    Examples
    --------
    >>> print(escaped_json({"ä": "\x9b2J"}))
    {
      "ä": "\u009b2J"
    }
    """
    text = json.dumps(content, indent=2, ensure_ascii=False)
    # JSON itself escapes those below the space
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def shortened(text: str, most: int = _LINE) -> str:
    """Return a text that a message quotes: its beginning and its length if it is long.

    Examples
    --------
    >>> shortened("short"), shortened("x" * 50_000_000, 5)
    ('short', 'xxxxx... (50,000,000 characters)')
    """
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def shorten_words(text: str) -> str:
    """Return a message with the beginnings of words, and of quoted texts, that are very long.

    Examples
    --------
    >>> print(shorten_words(f"-k '{'a b ' * 90}' is no number")[80:])
    a b a b a b a b a... (362 characters) is no number
    """
    return _LONG_WORD.sub(lambda match: shortened(match[0]), text)


def without_middle(name: str, most: int) -> str:
    """Return a name of at most so many characters, its middle left out if it is longer.

    Examples
    --------
    >>> without_middle("proline", 26), without_middle("proportion_of_nonflavanoid_phenols", 26)
    ('proline', 'proportion_of_n…id_phenols')
    """
    first = most * 3 // 5
    return name if len(name) <= most else f"{name[:first]}…{name[first + 1 - most :]}"


def quoted(value: object, most: int = _LINE) -> str:
    """Return a value as Python writes it, shortened, for a message.

    Examples
    --------
    >>> quoted("it"), quoted(2.5), quoted("x" * 2000, 3)
    ("'it'", '2.5', "'xxx'... (2,000 characters)")
    """
    if isinstance(value, str):
        whole = len(value) <= most
        return repr(value) if whole else f"{value[:most]!r}... ({len(value):,} characters)"
    return shortened(repr(value), most)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
