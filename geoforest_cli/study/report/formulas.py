"""Formulas in the words of a figure, read before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from geoforest_cli.study.claims.validation import Location, Problem

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["checker"]

_DOLLAR = re.compile(r"(?<!\\)\$")


def checker(plan: Plan) -> Iterator[Problem]:
    """Find words of figures whose formulas matplotlib cannot read.

    Parameters
    ----------
    plan : Plan

    Yields
    ------
    tuple
        Where, as a path into the config, and a sentence.
    """
    config = plan.config
    sections: list[tuple[Location, Any]] = [
        *((("methods", name, "label"), method.label) for name, method in config.methods.items()),
        (("grid",), config.grid),
        (("also",), list(config.also)),
        (("figure",), config.figure),
        (("more_figures",), config.more_figures),
    ]
    for at, section in sections:
        for location, words in _words(section, at):
            if problem := _problem(words):
                yield location, f"the formula in {words!r} cannot be drawn ({problem})"


def _words(value: Any, at: Location) -> Iterator[tuple[Location, str]]:
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict):
        for name, inside in value.items():
            yield from _words(str(name), (*at, name))
            yield from _words(inside, (*at, name))
    elif isinstance(value, list | tuple):
        for number, inside in enumerate(value):
            yield from _words(inside, (*at, number))


def _problem(words: str) -> str:
    """Return what is wrong with the formulas in a text; empty if nothing is."""
    # as matplotlib: an even number of dollar signs, none of them escaped, makes a formula
    if (count := len(_DOLLAR.findall(words))) == 0 or count % 2:
        return ""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(words)
    except ValueError as error:
        lines = [line for line in str(error).splitlines() if line.strip(" ^")]
        return re.sub(r"^Parse\w*: |, +found .*", "", lines[-1]) if lines else "it is no formula"
    return ""
