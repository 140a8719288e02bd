"""``geoforest check``: validate configs without running them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from geoforest_cli.cli import options
from geoforest_cli.cli.output import say
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.loading import profiles_of
from geoforest_cli.study.results.folder import problems as problems_of
from geoforest_cli.study.results.folder import record_folders
from geoforest_cli.study.results.record import record_before
from geoforest_cli.study.session import Study

__all__ = ["check"]


@click.command()
@click.argument("configs", nargs=-1, required=True)
@click.option("--profile", help="Only this profile.  [default: all of them]")
@options.overrides
def check(*, configs: tuple[str, ...], profile: str | None, overrides: tuple[str, ...]) -> None:
    """Validate CONFIGS, files or names, in every profile; exit with 2 if one is wrong.

    A folder of results, or of a reference, may be given too: then record, rows and summary of its
    runs are compared with their checksums.
    """
    problems: dict[str, None] = {}
    notes: dict[str, None] = {}
    for config in configs:
        if Path(config).is_dir() and config not in known_configs():
            problems |= dict.fromkeys(_check_results(Path(config), profile))
            continue
        try:
            profiles = (profile,) if profile is not None else profiles_of(config)
        except UserError as error:
            problems |= dict.fromkeys(error.sentences)
            continue
        for name in profiles:
            try:
                plan = Study.open(config, name, overrides).plan
                notes |= dict.fromkeys(plan.notes)
                say(f"{plan.path} ({name}): {len(plan.jobs)} cells")
            except UserError as error:
                problems |= dict.fromkeys(error.sentences)
    for sentence in notes:
        say(f"Note: {sentence}", err=True)
    for sentence in problems:
        say(f"Error: {sentence}", err=True)
    if problems:
        raise SystemExit(2)


def _check_results(folder: Path, profile: str | None) -> Iterator[str]:
    """Say which runs of a folder have all files as they should be; yield the other problems."""
    folders = record_folders(folder)
    if not folders:
        yield f"{folder} is no config, and holds no results of a run"
    for run in folders:
        record = record_before(run)
        if profile and record and record.profile != profile:
            continue
        wrong = [*problems_of(run)]
        yield from wrong
        if not wrong:
            say(f"{run}: its files are as they should be")
