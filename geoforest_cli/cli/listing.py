"""``geoforest list``: what there is."""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import click

from geoforest_cli.cli.output import say
from geoforest_cli.core.escaping import escaped_json
from geoforest_cli.study.config.artifacts import artifacts
from geoforest_cli.study.config.find import known_experiments

__all__ = ["listing"]


def _configs() -> dict[str, str]:
    return {name: artifact.title for name, artifact in artifacts().items()}


def _experiments() -> dict[str, str]:
    return {name: _first_line(path) for name, path in known_experiments(Path("configs")).items()}


def _first_line(path: Path) -> str:
    try:
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    except (SyntaxError, ValueError):
        return "(not a valid module)"
    return text.partition("\n")[0]


def _errata() -> dict[str, str]:
    from geoforest_cli.study.report.errata import errata

    return {slip.id: str(slip) for slip in errata()}


def _checks() -> dict[str, str]:
    from geoforest_cli.study.claims.model import KINDS

    return {name: kind.about for name, kind in KINDS.items()}


def _registry(module: str, name: str) -> dict[str, str]:
    """Return the entries of a registry, which is imported when it is listed."""
    registry = getattr(importlib.import_module(f"geoforest_cli.{module}"), name)
    return {name: entry.about for name, entry in registry.items()}


_KINDS: Mapping[str, Callable[[], dict[str, str]]] = {
    "configs": _configs,
    "experiments": _experiments,
    "methods": functools.partial(_registry, "estimators.methods", "METHODS"),
    "manifolds": functools.partial(_registry, "problems.manifolds", "MANIFOLDS"),
    "datasets": functools.partial(_registry, "problems.datasets", "DATASETS"),
    "metrics": functools.partial(_registry, "problems.metrics", "METRICS"),
    "checks": _checks,
    "errata": _errata,
}


@click.command(name="list")
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.option("--json", "as_json", is_flag=True, help="As a JSON object: name to description.")
def listing(*, kind: str, as_json: bool) -> None:
    """List all things of a KIND, each with one line about it."""
    if kind == "configs" and not as_json:
        _show({name: list(reversed(artifact)) for name, artifact in artifacts().items()})
        return
    about = _KINDS[kind]()
    if as_json:
        click.echo(escaped_json(about))
        return
    groups = _grouped(about) if kind == "methods" else {"": list(about)}
    for number, (heading, names) in enumerate(groups.items()):
        if heading:
            say(f"{chr(10) if number else ''}{heading}")
        _show({name: [about[name]] for name in names}, max(map(len, about)))


def _show(rows: Mapping[str, Sequence[str]], width: int = 0) -> None:
    """Print a line for each name: columns of one width, the last one as wide as it is."""
    lines = [[name, *cells] for name, cells in rows.items()]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (
            f"{cell:<{max(size, width)}}" for cell, size in zip(line[:-1], widths, strict=False)
        )
        say("  ".join([*cells, line[-1]]).rstrip())


def _grouped(names: Iterable[str]) -> dict[str, list[str]]:
    """Return methods under what they are and what takes them."""
    from geoforest_cli.estimators.methods import KINDS, METHODS

    groups: dict[str, list[str]] = {}
    for kind, (about, verb) in KINDS.items():
        where = f"geoforest {verb}, and configs" if verb else "configs"
        groups[f"# {about}: {where}"] = [name for name in names if METHODS[name].kind == kind]
    groups["# Of packages: what they are for"] = [
        name for name in names if METHODS[name].kind is None
    ]
    return {heading: methods for heading, methods in groups.items() if methods}
