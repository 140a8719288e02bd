"""``geoforest run``: run configs, draw them, judge their claims."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from geoforest_cli.cli import showing
from geoforest_cli.cli.options import config_options
from geoforest_cli.engine import progress
from geoforest_cli.errors import MissingData
from geoforest_cli.study import Study

__all__ = ["run"]

_INTERRUPTED = 130


@click.command()
@config_options
@click.option("--jobs", type=click.IntRange(min=1), help="Cells at once.  [default: one per core]")
@click.option("--retry-failed", is_flag=True, help="Run failed cells once more.")
@click.option("--plan", "only_plan", is_flag=True, help="Only list what would run.")
@click.option("--json", "as_json", is_flag=True, help="With --plan: as JSON.")
@click.option("--check-claims", is_flag=True, help="Exit with 1 unless every claim is reproduced.")
@click.option("--skip-missing-data", is_flag=True, help="Without its data, end with 0.")
def run(
    *,
    config: str,
    profile: str,
    overrides: tuple[str, ...],
    results: Path,
    jobs: int | None,
    retry_failed: bool,
    only_plan: bool,
    as_json: bool,
    check_claims: bool,
    skip_missing_data: bool,
) -> None:
    """Run CONFIG: a file, or the name of one that geoforest brings along.

    Only cells that are missing in the results are run. Ctrl-C keeps everything that is finished.
    Exit status: 0; 1 when a cell failed; 2 when the input is wrong; 130 after Ctrl-C.
    """
    if as_json and not only_plan:
        raise click.UsageError("--json goes with --plan")
    study = Study.open(config, profile, overrides, results)
    for name, sentence in study.left_out().items():
        click.echo(f"{name} is left out: {sentence}", err=True)
    if only_plan:
        seen = study.preview(jobs=jobs, retry_failed=retry_failed)
        showing.plan(seen, as_json=as_json)
        return
    watch = progress.choose(Console(stderr=True))
    try:
        done = study.run(jobs=jobs, retry_failed=retry_failed, progress=watch)
    except MissingData as error:
        if not skip_missing_data:
            raise
        click.echo(f"{study.plan.name} is skipped, it needs data: {error}", err=True)
        return
    if done.interrupted:
        showing.interrupt(done)
        raise SystemExit(_INTERRUPTED)
    found = study.render(done)
    showing.claims(found)
    showing.failures(done)
    click.echo(f"Results of {showing.counts(done)}: {done.folder}")
    refuted = check_claims and any(claim["verdict"] != "reproduced" for claim in found.claims)
    if done.failed or refuted:
        raise SystemExit(1)
