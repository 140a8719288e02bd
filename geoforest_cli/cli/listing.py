"""``geoforest list``: what there is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geoforest_cli.cli.saying import say
from geoforest_cli.config.find import known_configs, known_experiments
from geoforest_cli.errors import UserError
from geoforest_cli.terminal import in_json

if TYPE_CHECKING:
    from geoforest_cli.registry import Registry

__all__ = ["listing"]


def _configs() -> dict[str, str]:
    return {name: _title(path) for name, path in known_configs().items()}


def _title(path: Path) -> str:
    from geoforest_cli.config.yaml_loader import title

    try:
        return title(path)
    except UserError:
        return "(not a valid config)"


def _experiments() -> dict[str, str]:
    return {name: _first_line(path) for name, path in known_experiments(Path("configs")).items()}


def _first_line(path: Path) -> str:
    try:
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    except (SyntaxError, ValueError):
        return "(not a valid module)"
    return text.partition("\n")[0]


def _about(registry: Registry[Any]) -> dict[str, str]:
    return {name: entry.about for name, entry in registry.items()}


def _methods() -> dict[str, str]:
    from geoforest_cli.methods import METHODS

    return _about(METHODS)


def _manifolds() -> dict[str, str]:
    from geoforest_cli.manifolds import MANIFOLDS

    return _about(MANIFOLDS)


def _datasets() -> dict[str, str]:
    from geoforest_cli.datasets import DATASETS

    return _about(DATASETS)


def _metrics() -> dict[str, str]:
    from geoforest_cli.metrics import METRICS

    return _about(METRICS)


def _checks() -> dict[str, str]:
    from geoforest_cli.claims.kinds import CHECKS

    return _about(CHECKS)


def _errata() -> dict[str, str]:
    from geoforest_cli.report.errata import errata

    return {one.id: str(one) for one in errata()}


_KINDS: Mapping[str, Callable[[], dict[str, str]]] = {
    "configs": _configs,
    "experiments": _experiments,
    "methods": _methods,
    "manifolds": _manifolds,
    "datasets": _datasets,
    "metrics": _metrics,
    "checks": _checks,
    "errata": _errata,
}


@click.command(name="list")
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.option("--json", "as_json", is_flag=True, help="As a JSON object: name to description.")
def listing(*, kind: str, as_json: bool) -> None:
    """List all things of a KIND, each with one line about it."""
    found = _KINDS[kind]()
    if as_json:
        click.echo(in_json(found))
        return
    width = max(map(len, found), default=0)
    groups = _grouped(found) if kind == "methods" else {"": list(found)}
    for number, (heading, names) in enumerate(groups.items()):
        if heading:
            say(f"{chr(10) if number else ''}{heading}")
        for name in names:
            say(f"{name:<{width}}  {found[name]}".rstrip())


def _grouped(names: Iterable[str]) -> dict[str, list[str]]:
    """Return methods under what they are and what takes them."""
    from geoforest_cli.methods import KINDS, METHODS

    groups: dict[str, list[str]] = {}
    for kind, (about, verb) in KINDS.items():
        where = f"geoforest {verb}, and configs" if verb else "configs"
        groups[f"# {about}: {where}"] = [one for one in names if METHODS[one].kind == kind]
    groups["# Of packages: what they are for"] = [one for one in names if METHODS[one].kind is None]
    return {heading: some for heading, some in groups.items() if some}
