"""Control characters in text of others: a terminal shows them escaped."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["escape_control_characters", "escaped_json"]

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


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
