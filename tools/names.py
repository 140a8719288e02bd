"""Check of names and docstrings: nouns for values, quantities of something, no metaphors.

``python -m tools.names`` prints ``file:line: name: why`` for each that is against a rule, and ends
with status 1 if there are any.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["faults", "main"]

_PACKAGE = "geoforest_cli"
_FOLDERS = (_PACKAGE, "experiments", "tools", "tests")
_MAX_TEST_NAME = 60
_NO_NOUNS = re.compile("chosen|found|known|near|one|own|place|several|some|told|turn")
_NO_QUANTITIES = re.compile(
    "(values_)?at_once|enough|few(est)?|large(st)?|least|many|max|min|most|small(est)?"
)
_METAPHORS = {"donor", "donors", "dress", "dresses", "rescue", "rescued", "twin", "twins"}
_NO_BEGINNINGS = {"How", "What", "Whether", "Which"}
# patterns of paths and of names that may stay, each with its reason
_EXCEPTIONS = (
    # the code of an experiment is part of the identity of its cells: they would all run again
    (r"experiments/\w+\.py", "(?!How|Wh).*"),
    (r"geoforest_cli/.*/kernels/.*", "_ONE"),  # the number, in a kernel's own type
)


def faults(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and reason of each name and docstring of a module that is against a rule.

    Examples
    --------
    >>> list(faults("found = 1"))
    [(1, 'found', 'is no noun')]
    """
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 1)
        if name := _name(node):
            yield from ((line, name, why) for why in _of_name(name))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = re.findall(r"\w+", ast.get_docstring(node) or "")
            for word in sorted(_METAPHORS.intersection(words)):
                yield line, word, "is a metaphor"
            if words and words[0] in _NO_BEGINNINGS:
                yield line, words[0], "begins a docstring, and names nothing"


def _of_name(name: str) -> Iterator[str]:
    plain = name.lstrip("_").lower()
    if _NO_NOUNS.fullmatch(plain):
        yield "is no noun"
    if name.isupper() and _NO_QUANTITIES.fullmatch(plain):
        yield "does not say of what"
    if name.startswith("test_") and len(name) > _MAX_TEST_NAME:
        yield f"has more than {_MAX_TEST_NAME} characters"
    if _METAPHORS.intersection(plain.split("_")):
        yield "is a metaphor"


def _name(node: ast.AST) -> str:
    """Return the name that a node assigns, if it does."""
    is_use = isinstance(node, ast.keyword) or not isinstance(
        getattr(node, "ctx", ast.Store()), ast.Store
    )
    fields = ("asname",) if isinstance(node, ast.alias) else ("name", "id", "attr", "arg")
    names = (getattr(node, field, None) for field in fields if not is_use)
    return next((name for name in names if isinstance(name, str)), "")


def _twofold(folder: Path) -> Iterator[str]:
    owners: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and owners.setdefault(node.name, path) != path:
                yield f"{path}:{node.lineno}: {node.name}: is a class of {owners[node.name]} too"


def main() -> int:
    """Print what is against a rule, and return the exit status."""
    lines = list(_twofold(Path(_PACKAGE)))
    for path in (path for folder in _FOLDERS for path in sorted(Path(folder).rglob("*.py"))):
        allowed = [name for file, name in _EXCEPTIONS if re.fullmatch(file, path.as_posix())]
        for line, name, why in faults(path.read_text("utf-8")):
            if not any(re.fullmatch(pattern, name) for pattern in allowed):
                lines.append(f"{path}:{line}: {name}: {why}")
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
