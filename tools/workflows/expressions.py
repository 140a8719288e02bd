"""Expressions of workflows: what ``${{ ... }}`` and ``if:`` say."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError

__all__ = ["Contexts", "condition", "evaluate", "substitute"]

Contexts: TypeAlias = Mapping[str, Any]

_HOLE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?)|(?P<name>[A-Za-z_][\w-]*)|"
    r"(?P<sign>\|\||&&|==|!=|[!().,]))"
)
_STATUS = {"always", "success", "failure", "cancelled"}
_DECLARED = {"inputs", "matrix", "needs", "steps"}  # the others may lack what is asked for


def evaluate(expression: str, contexts: Contexts) -> Any:
    """Return the value of an expression.

    Parameters
    ----------
    expression : str
        Without ``${{`` and ``}}``.
    contexts : mapping
        ``github``, ``env``, ``matrix`` and so on; ``failed`` is whether a step has failed.

    Raises
    ------
    UserError
        If it is none, or names a context, a function, or a declared value that is not there.

    Examples
    --------
    >>> evaluate("matrix.python == '3.11' && !github.nothing", {"matrix": {"python": "3.11"},
    ...                                                         "github": {}})
    True
    >>> evaluate("github.base || 'main'", {"github": {}})
    'main'
    """
    return _Reader(expression, contexts).value()


def substitute(text: str, contexts: Contexts) -> str:
    """Return a text with the values of its expressions filled in.

    Examples
    --------
    >>> substitute("python${{ matrix.python }}", {"matrix": {"python": "3.11"}})
    'python3.11'
    """
    return _HOLE.sub(lambda hole: _as_text(evaluate(hole[1], contexts)), text)


def condition(text: str, contexts: Contexts) -> bool:
    """Return whether a step or a job with this ``if:`` runs; without one: if none has failed.

    Examples
    --------
    >>> condition("", {"failed": True}), condition("always()", {"failed": True})
    (False, True)
    """
    inside = _HOLE.fullmatch(text.strip())
    expression = (inside[1] if inside else text).strip() or "success()"
    value = bool(_truth(evaluate(expression, contexts)))
    asks = any(re.search(rf"\b{name}\s*\(", expression) for name in _STATUS)
    return value and (asks or not contexts.get("failed"))


class _Reader:
    """Recursive descent: or, and, equality, not, value."""

    def __init__(self, expression: str, contexts: Contexts) -> None:
        self.expression = expression.strip()
        self.contexts = contexts
        self.tokens = list(self._split())
        self.functions: dict[str, Callable[..., Any]] = {
            "always": lambda: True,
            "success": lambda: not contexts.get("failed"),
            "failure": lambda: bool(contexts.get("failed")),
            "cancelled": lambda: False,
            "contains": lambda whole, part: _as_text(part).lower() in _as_text(whole).lower(),
            "startsWith": lambda text, part: _as_text(text).lower().startswith(part.lower()),
            "endsWith": lambda text, part: _as_text(text).lower().endswith(part.lower()),
        }

    def _split(self) -> Any:
        place = 0
        while place < len(self.expression):
            token = _TOKEN.match(self.expression, place)
            if token is None:
                raise self._wrong()
            yield token.lastgroup, token[token.lastgroup or 0]
            place = token.end()

    def _wrong(self) -> UserError:
        return UserError(f"cannot read the expression {self.expression!r}")

    def value(self) -> Any:
        value = self._either()
        if self.tokens:
            raise self._wrong()
        return value

    def _takes(self, *signs: str) -> str:
        if self.tokens and self.tokens[0][0] == "sign" and self.tokens[0][1] in signs:
            return str(self.tokens.pop(0)[1])
        return ""

    def _either(self) -> Any:
        value = self._both()
        while self._takes("||"):
            other = self._both()
            value = value if _truth(value) else other
        return value

    def _both(self) -> Any:
        value = self._equal()
        while self._takes("&&"):
            other = self._equal()
            value = other if _truth(value) else value
        return value

    def _equal(self) -> Any:
        value = self._single()
        while sign := self._takes("==", "!="):
            value = _same(value, self._single()) == (sign == "==")
        return value

    def _single(self) -> Any:
        if self._takes("!"):
            return not _truth(self._single())
        if self._takes("("):
            value = self._either()
            if not self._takes(")"):
                raise self._wrong()
            return value
        if not self.tokens:
            raise self._wrong()
        kind, text = self.tokens.pop(0)
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if kind == "number":
            return float(text)
        if kind == "sign":
            raise self._wrong()
        if text in {"true", "false", "null"}:
            return {"true": True, "false": False, "null": None}[text]
        return self._call(text) if self._takes("(") else self._property(text)

    def _call(self, name: str) -> Any:
        if name not in self.functions:
            raise UserError(suggestions.unknown("function of workflows", name, self.functions))
        arguments = []
        while not self._takes(")"):
            arguments.append(self._either())
            if not self._takes(",") and not (self.tokens and self.tokens[0] == ("sign", ")")):
                raise self._wrong()
        try:
            return self.functions[name](*arguments)
        except TypeError:
            raise self._wrong() from None

    def _property(self, context: str) -> Any:
        known = [name for name in self.contexts if name != "failed"]
        if context not in known:
            raise UserError(suggestions.unknown("context of workflows", context, known))
        value, first = self.contexts[context], True
        while self._takes("."):
            if not self.tokens or self.tokens[0][0] != "name":
                raise self._wrong()
            name = self.tokens.pop(0)[1]
            if first and context in _DECLARED and name not in value:
                raise UserError(suggestions.missing(context, "entry", name, value))
            value = value.get(name) if isinstance(value, Mapping) else None
            first = False
        return value


def _truth(value: Any) -> bool:
    return bool(value)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _same(one: Any, other: Any) -> bool:
    """Values of one kind are compared as they are, others as numbers; texts without case."""
    if isinstance(one, str) and isinstance(other, str):
        return one.lower() == other.lower()
    if type(one) is type(other):
        return bool(one == other)
    return _number(one) == _number(other)


def _number(value: Any) -> float:
    if value is None or value == "":
        return 0.0
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan
