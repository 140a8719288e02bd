"""One config opened, previewed, run and rendered: what the command line and notebooks call."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from geoforest_cli.core.bundled import bundled
from geoforest_cli.core.errors import UserError
from geoforest_cli.study import plan
from geoforest_cli.study.claims import registration, validation
from geoforest_cli.study.config.loading import profiles_of
from geoforest_cli.study.engine import driver, provenance
from geoforest_cli.study.engine.driver import Hooks, RunResult
from geoforest_cli.study.engine.estimate import Durations
from geoforest_cli.study.engine.executors.contract import Executor
from geoforest_cli.study.engine.executors.local import LocalExecutor
from geoforest_cli.study.engine.older import describe_older
from geoforest_cli.study.engine.pending import plan_state
from geoforest_cli.study.engine.preview import Preview, preview
from geoforest_cli.study.engine.progress import Progress
from geoforest_cli.study.engine.rows import collect
from geoforest_cli.study.engine.store import Store, store_path
from geoforest_cli.study.plan import Plan
from geoforest_cli.study.report import formulas, published
from geoforest_cli.study.report.render import render
from geoforest_cli.study.results.folder import rows_of
from geoforest_cli.study.results.record import record_before
from geoforest_cli.study.results.result import Result

__all__ = ["Study", "run"]


class Study:
    """A config with one profile, and the folder that its results go to.

    Parameters
    ----------
    plan : Plan
    results : Path
        Folder with one folder per config.
    """

    def __init__(self, plan: Plan, results: Path) -> None:
        self.plan = plan
        self.results = results

    @classmethod
    def open(
        cls,
        config: str | Path,
        profile: str = "paper",
        overrides: Sequence[str] = (),
        results: str | Path = "results",
    ) -> Study:
        """Read a config with everything that can be checked before it runs.

        Raises
        ------
        UserError
            With one sentence for every problem, each with its file, line and column.
        """
        checkers = (validation.checker, published.checker, formulas.checker)
        return cls(plan.load(config, profile, overrides, checkers), Path(results))

    @property
    def folder(self) -> Path:
        """Where figures, tables and claims of this profile lie."""
        return self.results / self.plan.name / self.plan.size

    def left_out(self) -> dict[str, str]:
        """Return why methods are left out: their package is missing, and so are cells of them.

        A method that was run elsewhere to the end stays.
        """
        reasons = self.plan.unavailable()
        path = store_path(self.plan, self.results)
        if not reasons or not path.exists():
            return reasons
        with Store(path) as store:
            stored_keys = {record.key for record in store.summaries()}
        missing = {entry.method for entry in self.plan.entries if entry.cell.key not in stored_keys}
        return {method: reason for method, reason in reasons.items() if method in missing}

    def preview(self, *, jobs: int | None = None, retry_failed: bool = False) -> Preview:
        """Compare the plan with what is stored; nothing is run or written."""
        plan = self.plan.without(self.left_out())
        slots, _ = LocalExecutor(jobs).slots(plan.jobs.values())
        return preview(
            plan,
            self.results,
            jobs=slots,
            retry_failed=retry_failed,
            reference=self._reference(),
        )

    def run(
        self,
        *,
        jobs: int | None = None,
        retry_failed: bool = False,
        progress: Progress | None = None,
        executor: Executor | None = None,
        until: float | None = None,
    ) -> RunResult:
        """Run the cells that are missing; see :func:`geoforest_cli.study.engine.driver.run`.

        Parameters
        ----------
        jobs, progress, executor, until
            As there.
        retry_failed : bool
            As there.

        Raises
        ------
        MissingData
            If a data set cannot be had; then nothing is run.
        """
        if executor is None:
            with contextlib.closing(LocalExecutor(jobs)) as local:
                return self.run(
                    retry_failed=retry_failed, progress=progress, executor=local, until=until
                )
        left_out = self.left_out()
        runnable = self.plan.without(left_out)
        if not runnable.entries:
            raise UserError(f"{self.plan.name}: no method is left to run")
        runnable.prepare()
        progress = progress or Progress()

        def draw(part: Plan, frame: pd.DataFrame, facts: Mapping[str, Any]) -> None:
            try:
                render(part, frame, self.folder, facts, left_out)
            except Exception as error:  # the experiment's own drawing: the run goes on
                progress.note(f"no figure yet ({part.caution}): {type(error).__name__}: {error}")
            else:
                progress.note(f"{self.folder / 'figure.png'}: {part.caution}")

        return driver.run(
            runnable,
            self.results,
            executor,
            retry_failed=retry_failed,
            hooks=Hooks(progress, draw, until),
            claims=registration.digests(self.plan),
            reference=self._reference(),
        )

    def _reference(self) -> Durations:
        """Return how long cells took where the reference was made; nothing where there is none."""
        record = record_before(bundled("results") / "reference" / self.plan.name)
        return record.times if record and record.size == self.plan.size else {}

    def render(self, done: RunResult | None = None) -> Result:
        """Write figure, tables and claims of what is stored, and a description of all files.

        Parameters
        ----------
        done : RunResult, optional
            Of a run that has just ended: its rows need not be read again.

        Raises
        ------
        UserError
            If no cell of this profile has been run.
        """
        left_out = self.left_out()
        plan = self.plan.without(left_out)
        frame, facts = self._stored(plan) if done is None else (done.frame, done.facts)
        with Store(store_path(self.plan, self.results)) as store:
            before = store.registered(self.plan.config.seed, self.plan.size)
        now = registration.digests(self.plan)
        registered = [name for name, tested in now.items() if before.get(name) == tested]
        record = render(plan, frame, self.folder, facts, left_out, registered)
        return Result(self.folder, record, frame)

    def missing(self) -> int:
        """Return how many cells have not been run."""
        preview = self.preview()
        return preview.cells - preview.done - preview.failed

    def failed(self) -> int:
        """Return how many cells have failed."""
        return self.preview().failed

    def older(self) -> str:
        """Return a sentence on stored cells of another version of the code, or ""."""
        with Store(store_path(self.plan, self.results)) as store:
            missing = plan_state(self.plan.jobs.values(), store.summaries()).to_run
            return describe_older(missing, store)

    def _stored(self, plan: Plan) -> tuple[pd.DataFrame, dict[str, Any]]:
        """The rows of finished cells, or those that an older version has left, and their facts."""
        path = store_path(self.plan, self.results)
        before = record_before(self.folder)
        with Store(path) as store:
            table = collect(plan, store)
            frame, facts = table.frame, provenance.collect(plan, store, table)
            older = describe_older(plan.jobs.values(), store) if frame.empty else ""
        if older and before:
            facts = before.model_dump(include={*facts, "last_run"})
            return rows_of(self.folder, before), facts
        if older:
            raise UserError(older)
        if frame.empty:
            profiles = [
                name
                for name in profiles_of(self.plan.path)
                if name != self.plan.profile and (path.parent / name).is_dir()
            ]
            others = (
                f"; there are results of --profile {' and '.join(profiles)}" if profiles else ""
            )
            size = "".join([self.plan.profile, *(f", --set {key}" for key in self.plan.overrides)])
            raise UserError(
                f"no cell of {self.plan.name} (profile {size}) has been run into "
                f"{path.parent}{others}"
            )
        return frame, facts | ({"last_run": before.last_run} if before else {})


def run(
    config: str | Path,
    profile: str = "paper",
    *,
    overrides: Sequence[str] = (),
    results: str | Path = "results",
    jobs: int | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Run a config and return its results: rows, claims, figure.

    Parameters
    ----------
    config : str or path
        A file, or the name of a config that geoforest brings along.
    profile : str
        Its size: "paper" or "smoke".
    overrides : sequence of str
        KEY=VALUE pairs.
    results : str or path
        Folder with one folder per config; what is finished there is kept.
    jobs : int, optional
        Cells at once; default: one per core.
    retry_failed : bool
        Run failed cells once more.
    progress : Progress, optional
        Is called during the run.

    Returns
    -------
    Result

    Raises
    ------
    UserError
        For what is wrong with the config or the data, before anything runs.
    KeyboardInterrupt
        After Ctrl-C; what is finished is kept.
    """
    study = Study.open(config, profile, overrides, results)
    done = study.run(jobs=jobs, retry_failed=retry_failed, progress=progress)
    if done.interrupted:
        raise KeyboardInterrupt
    return study.render(done)
