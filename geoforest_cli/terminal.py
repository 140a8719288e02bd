"""Text of others on a terminal: shown, never obeyed."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["harmless", "in_json"]

# control characters but tab and new line, what turns the direction of writing, halves of pairs
_COMMANDS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def harmless(text: str, *, one_line: bool = False) -> str:
    r"""Return text in which what a terminal would obey is written out.

    Parameters
    ----------
    text : str
    one_line : bool
        Write out tabs and line ends too.

    Examples
    --------
    >>> print(harmless("\x1b[2Jred\x07"), harmless("a\nb", one_line=True))
    \x1b[2Jred\x07 a\nb
    """
    found = _COMMANDS.sub(_written_out, text)
    return found.replace("\t", "\\t").replace("\n", "\\n") if one_line else found


def in_json(content: Any) -> str:
    r"""Return JSON for people and programs: letters as they are, commands to a terminal escaped.

    Examples
    --------
    >>> print(in_json({"ä": "\x9b2J"}))
    {
      "ä": "\u009b2J"
    }
    """
    text = json.dumps(content, indent=2, ensure_ascii=False)
    # JSON itself escapes those below the space
    return _COMMANDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
