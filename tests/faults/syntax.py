"""Which lines of a file belong together."""

import ast
import functools
from dataclasses import dataclass

_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Definition:
    """A function or class, with its name within the file and its lines, decorators included."""

    name: str
    lines: frozenset[int]


@dataclass(frozen=True)
class Statement:
    """What is run as one: a statement without a body, or the head of one with a body.

    Attributes
    ----------
    lines : frozenset of int
    near : frozenset of int
        Lines of functions that tell what it is for, if it runs when the module is imported.
    at_import : bool
        Whether it runs then.
    """

    lines: frozenset[int]
    near: frozenset[int]
    at_import: bool


@functools.lru_cache(maxsize=64)
def definitions(text: str) -> tuple[Definition, ...]:
    """The functions and classes of a file."""
    found = []

    def walk(node: ast.AST, outer: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = outer
            if isinstance(child, _FUNCTION | ast.ClassDef):
                name = f"{outer}.{child.name}".lstrip(".")
                found.append(Definition(name, _lines(child)))
            walk(child, name)

    walk(ast.parse(text), "")
    return tuple(found)


def in_functions(text: str) -> frozenset[int]:
    """The lines of a file that run when a function is called."""
    bodies = (
        _lines(one)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, _FUNCTION)
        for one in node.body
    )
    return frozenset().union(*bodies)


def statement_at(text: str, line: int) -> Statement:
    """The statement that a line belongs to."""
    inside = in_functions(text)
    best: ast.AST | None = None
    around: ast.AST | None = None
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.stmt | ast.ExceptHandler) or line not in _lines(node):
            continue
        if best is None or len(_lines(node)) <= len(_lines(best)):
            best = node
        if isinstance(node, ast.ClassDef) and (
            around is None or len(_lines(node)) < len(_lines(around))
        ):
            around = node
    if best is None:
        return Statement(frozenset({line}), frozenset(), at_import=True)
    body = getattr(best, "body", None)
    lines = _lines(best) - _lines(body[0], body[-1]) if body else _lines(best)
    whole = best if isinstance(best, _FUNCTION | ast.ClassDef) else around
    near = _lines(whole) & inside if whole is not None else frozenset()
    return Statement(lines, near, at_import=line not in inside)


def _lines(first: ast.AST, last: ast.AST | None = None) -> frozenset[int]:
    decorators = getattr(first, "decorator_list", ())
    start = min([first.lineno, *(one.lineno for one in decorators)])  # type: ignore[attr-defined]
    return frozenset(range(start, (last or first).end_lineno + 1))  # type: ignore[attr-defined]
