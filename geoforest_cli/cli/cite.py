"""``geoforest cite``: what to cite."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["cite"]


@click.command()
@click.argument("used", metavar="[CONFIG|RESULTS]...", nargs=-1)
@click.option("--profile", default="paper", show_default=True, help="Size of the configs.")
def cite(*, used: tuple[str, ...], profile: str) -> None:
    """Print in BibTeX what configs, or folders of results, use.

    The papers of methods and baselines, the sources of data sets, and geoforest itself; without
    an argument geoforest alone.
    """
    from geoforest_cli.study import citations as citing
    from geoforest_cli.study.session import Study

    found: set[str] = set()
    for one in used:
        if Path(one).is_dir():
            found.update(citing.of_results(Path(one)))
        else:
            found.update(citing.of_plan(Study.open(one, profile).plan))
    click.echo("\n\n".join([citing.of_software(), *sorted(found)]))
