"""The methods for the site: what each does, its formula, its parameters, what to cite."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from latex2mathml.converter import convert
from markupsafe import escape
from pydantic import TypeAdapter

import geoforest_cli
from geoforest_cli.core.models import Model
from geoforest_cli.estimators.methods import KINDS, METHODS, MethodEntry
from geoforest_cli.study.report.site.runs import Run
from geoforest_cli.study.report.site.variants import methods_of

__all__ = ["Formula", "Group", "MethodPage", "formulas", "groups", "mathml"]

_PACKAGE = Path(geoforest_cli.__file__).resolve().parent
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_MATH = ".. math:: "


class Formula(Model):
    """A formula of a method.

    Parameters
    ----------
    latex : str
    where : str
        What its letters stand for.
    source : str
        Where it stands.
    """

    latex: str
    where: str = ""
    source: str

    @property
    def mathml(self) -> str:
        """The formula as elements of HTML, a line for each of its parts."""
        return "".join(mathml(one) for one in self.latex.split(r"\qquad"))


_FORMULAS = TypeAdapter(dict[str, tuple[Formula, ...]])


@dataclass(frozen=True)
class MethodPage:
    """What the site says of a method.

    Attributes
    ----------
    paragraphs, references : list of str
        HTML.
    parameters : str
        Plain text, as its docstring has it.
    runs : list of Run
        Those that use it.
    """

    entry: MethodEntry
    file: str
    paragraphs: list[str]
    parameters: str
    references: list[str]
    formulas: tuple[Formula, ...]
    runs: list[Run]


@dataclass(frozen=True)
class Group:
    """Methods of one kind."""

    title: str
    verb: str
    methods: list[MethodPage]


def mathml(latex: str) -> str:
    """Return a formula in LaTeX as MathML, in a box that scrolls.

    Examples
    --------
    >>> "<mi>x</mi>" in mathml("x")
    True
    """
    box = '<div class="scroll" role="group" aria-label="Formula" tabindex="0">'
    return f"{box}{convert(latex, display='block')}</div>"


@cache
def formulas() -> dict[str, tuple[Formula, ...]]:
    """Return the formulas by the names of methods."""
    file = resources.files("geoforest_cli.study.report") / "published" / "formulas.yaml"
    data = yaml.safe_load(file.read_text("utf-8"))
    return _FORMULAS.validate_python({name: tuple(several) for name, several in data.items()})


def groups(runs: Iterable[Run]) -> list[Group]:
    """Return all methods by their kind.

    Parameters
    ----------
    runs : iterable of Run
        Those of the site: a method leads to the ones that use it.
    """
    used: dict[str, list[Run]] = {}
    for run in runs:
        for name in methods_of(run.config) if run.config else ():
            used.setdefault(name, []).append(run)
    found = {kind: Group(title, verb, []) for kind, (title, verb) in KINDS.items()}
    for one in METHODS.values():
        if one.kind is not None:
            found[one.kind].methods.append(_page(one, used.get(one.name, [])))
    return list(found.values())


def _page(entry: MethodEntry, runs: list[Run]) -> MethodPage:
    file, text = _documented(entry.target)
    parts = _SECTION.split(text)
    sections: dict[str, str] = dict(zip(parts[1::2], parts[2::2], strict=True))
    return MethodPage(
        entry=entry,
        file=file,
        paragraphs=_paragraphs(parts[0]),
        parameters=sections.get("Parameters", "").strip(),
        references=_paragraphs(sections.get("References", "")),
        formulas=formulas().get(entry.name, ()),
        runs=runs,
    )


def _documented(target: str) -> tuple[str, str]:
    """Return the file of a class of ours and its docstring, without importing it."""
    module, _, attribute = target.partition(":")
    path = _PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
    if not module.startswith("geoforest_cli.") or not path.is_file():
        return "", ""
    found: list[Any] = [
        node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == attribute
    ]
    text = ast.get_docstring(found[0]) if found else None
    return path.relative_to(_PACKAGE.parent).as_posix(), text or ""


def _paragraphs(text: str) -> list[str]:
    """Paragraphs of a docstring as HTML: what stands in backticks is code."""
    found = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()) if part)
    return [_paragraph(part) for part in found]


def _paragraph(text: str) -> str:
    if text.startswith(_MATH):
        return mathml(text.removeprefix(_MATH))
    return f"<p>{re.sub(r'``(.+?)``|`(.+?)`', _as_code, str(escape(text)))}</p>"


def _as_code(match: re.Match[str]) -> str:
    return f"<code>{match[1] or match[2]}</code>"
