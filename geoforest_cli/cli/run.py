"""``geoforest run``: run configs, draw them, judge their claims."""

from __future__ import annotations

import contextlib
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console

from geoforest_cli.cli import formatting, options
from geoforest_cli.cli.output import FAILED, INTERRUPTED, WRONG, is_interrupt, say, sentence, status
from geoforest_cli.core.errors import MissingData, UserError
from geoforest_cli.study.claims.outcome import ArtifactAnswer, name_of
from geoforest_cli.study.claims.results import ClaimResult, SentenceResult, Verdicts
from geoforest_cli.study.engine.driver import RunResult
from geoforest_cli.study.engine.executors.contract import Executor
from geoforest_cli.study.engine.executors.dask import DaskExecutor
from geoforest_cli.study.engine.executors.local import LocalExecutor
from geoforest_cli.study.engine.progress import make_progress
from geoforest_cli.study.results import Result
from geoforest_cli.study.session import Study

__all__ = ["run"]

_LACKING = "without their data"
_UNSUPPORTED = "with claims that are not supported"


@dataclass(frozen=True)
class _Call:
    """The options of a call, the same for every config."""

    profile: str
    overrides: tuple[str, ...]
    results: Path
    jobs: int | None
    executor: str
    scheduler: str | None
    retry_failed: bool
    only_plan: bool
    as_json: bool
    check_claims: bool
    skip_missing_data: bool
    hours: float | None
    began: float = field(default_factory=time.monotonic)

    @property
    def until(self) -> float | None:
        """When no cell is begun any more."""
        return None if self.hours is None else self.began + 3600 * self.hours

    @property
    def is_over(self) -> bool:
        """Return whether that is now."""
        return self.until is not None and time.monotonic() >= self.until


@click.command()
@click.argument("configs", nargs=-1, required=True)
@options.profile
@options.overrides
@options.results
@click.option("--jobs", type=click.IntRange(min=1), help="Cells at once.  [default: one per core]")
@click.option(
    "--executor",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Where cells run: processes here, or workers of dask.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="With dask: an existing scheduler, tcp://HOST:PORT.  [default: --jobs workers here]",
)
@click.option("--retry-failed", is_flag=True, help="Run failed cells once more.")
@click.option("--plan", "only_plan", is_flag=True, help="Only list what would run.")
@click.option("--json", "as_json", is_flag=True, help="With --plan: as JSON.")
@click.option(
    "--check-claims", is_flag=True, help="Exit with 1 unless every sentence and claim is supported."
)
@click.option(
    "--budget",
    "hours",
    type=click.FloatRange(min=0),
    metavar="HOURS",
    help="After so many hours begin no cell any more; the same command goes on later.  "
    "[default: no end]",
)
@click.option("--skip-missing-data", is_flag=True, help="Pass over configs without their data.")
def run(*, configs: tuple[str, ...], **given: Any) -> None:
    """Run CONFIGS: files, or names of those that geoforest brings along.

    Only cells that are missing in the results are run. Ctrl-C keeps everything that is finished.
    Of several configs one that fails does not stop the others. Exit status: 0; 1 when a cell
    failed, or the machine (a full disk); 2 when the input is wrong; 130 after Ctrl-C; 141 when
    nobody reads the output any more.
    """
    call = _Call(**given)
    if call.as_json and not call.only_plan:
        raise click.UsageError("--json goes with --plan")
    if call.scheduler and call.executor != "dask":
        raise click.UsageError("--scheduler goes with --executor dask")
    if call.scheduler and call.jobs:
        raise click.UsageError("--jobs is for this machine; a scheduler has the workers it has")
    unique_configs = list(dict.fromkeys(configs))
    _refuse_one_folder(unique_configs)
    with contextlib.closing(_executor(call)) as executor:
        if len(unique_configs) == 1:
            worst = _run_one(unique_configs[0], call, executor).status
        else:
            worst = _run_several(unique_configs, call, executor)
    if worst:
        raise SystemExit(worst)


def _executor(call: _Call) -> LocalExecutor | DaskExecutor:
    if call.executor == "local" or call.only_plan:
        return LocalExecutor(call.jobs)
    if call.scheduler:
        return DaskExecutor.connect(call.scheduler)
    return DaskExecutor.start(call.jobs)


def _refuse_one_folder(configs: list[str]) -> None:
    """Refuse configs of one name, whose results would replace each other."""
    names: dict[str, str] = {}
    for config in configs:
        first = names.setdefault(Path(config).stem, config)
        if first != config:
            raise UserError(
                f"{first} and {config} would have one results folder, {Path(config).stem}: give "
                "one of them another name, or run it with another --results"
            )


class _End(NamedTuple):
    """End of a config: an exit status, and a word for the list at the end."""

    status: int
    problem: str = ""


def _run_several(configs: list[str], call: _Call, executor: Executor) -> int:
    """Run configs one after the other; return the worst of their exit statuses."""
    ends: dict[str, _End] = {}
    for number, name in enumerate(configs, 1):
        if call.is_over:
            left = ", ".join(Path(other).stem for other in configs[number - 1 :])
            say(f"The time of --budget is over. Not begun: {left}", err=True)
            break
        say(f"Config {number} of {len(configs)}: {name}", err=True)
        try:
            ends[name] = _run_guarded(name, call, executor)
        except SystemExit:
            if number < len(configs):
                left = ", ".join(Path(other).stem for other in configs[number:])
                say(f"Not begun: {left}", err=True)
            raise
    ran = sum(end.problem in {"", _UNSUPPORTED} for end in ends.values())
    formatting.show_summary(ran, {name: end.problem for name, end in ends.items()})
    if _End(WRONG, _LACKING) in ends.values():
        say(
            "With --skip-missing-data (make: ARGS=--skip-missing-data) configs without their data "
            "are no error.",
            err=True,
        )
    return max((end.status for end in ends.values()), default=0)


def _run_guarded(name: str, call: _Call, executor: Executor) -> _End:
    """Run one config of several: what goes wrong with it does not stop the others."""
    try:
        return _run_one(name, call, executor)
    except MissingData as error:
        say(f"{name} is skipped, it needs data: {error}", err=True)
        return _End(WRONG, _LACKING)
    except UserError as error:
        for text in error.sentences:
            say(f"Error: {text}", err=True)
        failed = status(error) == FAILED
        return _End(FAILED, "failed") if failed else _End(WRONG, "wrong")
    except BrokenPipeError:
        raise
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        if click.get_current_context().find_root().params.get("debug"):
            raise
        say(f"Error: {name}: {sentence(error)}", err=True)
        return _End(FAILED, "failed")


def _run_one(name: str, call: _Call, executor: Executor) -> _End:
    study = Study.open(name, call.profile, call.overrides, call.results)
    for note in study.plan.notes:
        say(f"Note: {note}", err=True)
    for method, reason in study.left_out().items():
        say(f"{method} is left out: {reason}", err=True)
    if call.only_plan:
        preview = study.preview(jobs=call.jobs, retry_failed=call.retry_failed)
        formatting.show_plan(preview, as_json=call.as_json)
        return _End(0)
    progress = make_progress(Console(stderr=True))
    try:
        done = study.run(
            executor=executor,
            retry_failed=call.retry_failed,
            progress=progress,
            until=call.until,
        )
    except MissingData as error:
        if not call.skip_missing_data:
            raise MissingData(f"{error}; --skip-missing-data runs the other configs") from None
        say(f"{study.plan.name} is skipped, it needs data: {error}", err=True)
        return _End(0, _LACKING)
    if done.interrupted:
        formatting.show_interrupt(done)
        raise SystemExit(INTERRUPTED)
    if done.out_of_time:
        formatting.show_interrupt(done)
        return _End(0, "out of time")
    result = _render(study, done)
    formatting.show_means(result, study.plan.config.figure.get("y", []))
    formatting.show_agreement(result)
    formatting.show_verdicts(result)
    formatting.show_failures(done)
    say(f"Results of {formatting.cell_counts(done)}: {done.folder}")
    if result.answer:
        config = study.plan.config
        what = name_of(config.artifact or "", config.title)
        say(
            ArtifactAnswer(name, config.paper or "ours", what, result.answer).sentence,
            one_line=True,
        )
    return _end_of(done, result, call)


def _end_of(done: RunResult, result: Result, call: _Call) -> _End:
    if done.failed:
        return _End(FAILED, "failed")
    if call.check_claims and any(claim.verdict != "supported" for claim in _checked(result.judged)):
        return _End(FAILED, _UNSUPPORTED)
    return _End(0)


def _checked(judged: Verdicts) -> list[ClaimResult | SentenceResult]:
    """The sentences, and our own claims."""
    return [*judged.sentences, *(claim for claim in judged.claims if claim.sentence is None)]


def _render(study: Study, done: RunResult) -> Result:
    """Draw and judge what was run, and print what there is to note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        result = study.render(done)
    for warning in caught:
        say(f"Note: {warning.message}", err=True)
    if done.mixture:
        say(
            f"Note: the rows come from {done.mixture}: floating-point results, UMAP's above all, "
            "may differ between them; record.json counts the records of each",
            err=True,
        )
    return result
