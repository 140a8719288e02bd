"""``geoforest figure``: draw again what has been run."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli import report
from geoforest_cli.cli.loading import load
from geoforest_cli.cli.run import config_options
from geoforest_cli.engine import Store, frame, store_path

__all__ = ["figure"]


@click.command()
@config_options
def figure(*, config: str, profile: str, overrides: tuple[str, ...], results: Path) -> None:
    """Draw figure, tables and claims of CONFIG again from its results; nothing is run."""
    plan = load(config, profile, overrides)
    path = store_path(plan, results)
    with Store(path) as store:
        table = frame(plan, store)
        # a method that cannot be had here may have been run elsewhere
        plan = plan.without(set(plan.unavailable()) - set(table["method"]))
        missing = len(plan.cells) - len(store.get(cell.key for cell in plan.cells))
    report.render(plan, table, path.parent)
    if missing:
        click.echo(f"{missing} of {len(plan.cells)} cells are missing: geoforest run {config}")
    click.echo(path.parent)
