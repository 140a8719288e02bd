"""``python -m tools.workflows [FILES] [--job NAME] [--dry]``: run the workflows on this machine.

Each job runs in a clean clone of the last commit, with the first entry of its matrix; `--dry` only
checks that all files are valid and that everything their steps call is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError
from tools.workflows.reading import read_workflow
from tools.workflows.running import Event, Runner

ROOT = Path(__file__).resolve().parents[2]


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--job", "jobs", multiple=True, help="Only this job, and those it needs.")
@click.option("--dry", is_flag=True, help="Check everything and run nothing.")
def main(files: tuple[Path, ...], jobs: tuple[str, ...], *, dry: bool) -> None:
    """Run the jobs of FILES, by default of all workflows in .github."""
    paths = files or sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    failed = False
    try:
        read = {path: read_workflow(path) for path in paths}
        _check_jobs(jobs, [job for workflow in read.values() for job in workflow.jobs])
        for path, workflow in read.items():
            named = [job for job in jobs if job in workflow.jobs]
            if jobs and not named:
                continue
            for event in Runner(ROOT, dry=dry).run(workflow, named):
                click.echo(f"{path.name} {_words(event)}")
                failed |= event.outcome == "failure" and not event.passes
    except UserError as error:
        click.echo(f"Error: {error}", err=True)
        raise SystemExit(2) from None
    raise SystemExit(int(failed))


def _check_jobs(jobs: Sequence[str], known: Sequence[str]) -> None:
    for job in jobs:
        if job not in known:
            raise UserError(suggestions.unknown("job", job, known))


def _words(event: Event) -> str:
    title = f"{event.job}: {event.step}" if event.step else event.job
    seconds = f" in {event.seconds:.0f} s" if event.seconds >= 1 else ""
    allowed = ", which may fail" if event.passes else ""
    why = f" ({event.why}{allowed})" if event.why or event.passes else ""
    return f"{title}: {event.outcome}{seconds}{why}"


if __name__ == "__main__":
    main()
