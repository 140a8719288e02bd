"""Count the lines of code of the package: docstrings, comments and blank lines are left out.

``python -m tools.count_lines [FOLDER]`` prints a line for each folder, and the sum.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

__all__ = ["code_lines", "counted"]

_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> int:
    r"""Return how many lines of a module hold code.

    Examples
    --------
    >>> code_lines('"A docstring."\n\n# a comment\nx = 1  # one line\n')
    1
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if ast.get_docstring(node, clean=False) is not None and first is not None:
                lines.difference_update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines)


def counted(folder: Path) -> Counter[str]:
    """Return the lines of code of each folder, and of the modules beside them."""
    lines: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.py")):
        inner = path.relative_to(folder).parent.parts[:2]
        lines["/".join((folder.name, *inner))] += code_lines(path.read_text("utf-8"))
    return lines


if __name__ == "__main__":
    lines = counted(Path(sys.argv[1] if len(sys.argv) > 1 else "geoforest_cli"))
    for name, count in sorted(lines.items()):
        sys.stdout.write(f"{count:7,} {name}\n")
    sys.stdout.write(f"{lines.total():7,} in all\n")
