"""``geoforest cite``: what to cite."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli.cli import options

__all__ = ["cite"]


@click.command()
@click.argument("used", metavar="[CONFIG|RESULTS]...", nargs=-1)
@options.profile
def cite(*, used: tuple[str, ...], profile: str) -> None:
    """Print in BibTeX what configs, or folders of results, use.

    The papers of methods and baselines, the sources of data sets, and geoforest itself; without
    an argument geoforest alone.
    """
    from geoforest_cli.study import citations as citing
    from geoforest_cli.study.results.folder import record_folders
    from geoforest_cli.study.results.record import read_record
    from geoforest_cli.study.session import Study

    entries: set[str] = set()
    for name in used:
        if Path(name).is_dir():
            folders = record_folders(Path(name)) or [Path(name)]
            entries.update(entry for folder in folders for entry in read_record(folder).bibtex)
        else:
            entries.update(citing.of_plan(Study.open(name, profile).plan))
    click.echo("\n\n".join([citing.of_software(), *sorted(entries)]))
