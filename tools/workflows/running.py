"""Running the jobs of a workflow, or a composite action, step by step on this machine."""

from __future__ import annotations

import itertools
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError
from tools.workflows.commands import check_script
from tools.workflows.expressions import Contexts, condition, substitute
from tools.workflows.machine import KNOWN, Machine, StepFailed, check_inputs, git
from tools.workflows.reading import Action, Job, Step, Workflow, read_action

__all__ = ["Event", "Runner"]

Outcome: TypeAlias = Literal["success", "failure", "skipped", "checked"]

_SHELLS = {
    "": ["bash", "-e"],
    "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
    "sh": ["sh", "-e"],
}


@dataclass(frozen=True)
class Event:
    """A step that has ended, or a job (`step` is then empty)."""

    job: str
    step: str
    outcome: Outcome
    seconds: float = 0.0
    why: str = ""
    passes: bool = False  # it has failed and may


@dataclass
class Runner:
    """Runs or checks jobs.

    Parameters
    ----------
    repository : Path
        What is cloned: its last commit.
    dry : bool
        Only check that everything which a step names is there; all steps, whatever ``if:`` says.
    own : mapping of str to Path
        Composite actions by the name under which ``uses:`` has them, without the version.
    """

    repository: Path
    dry: bool = False
    own: Mapping[str, Path] = field(default_factory=dict)

    def run(self, workflow: Workflow, only: Sequence[str] = ()) -> Iterator[Event]:
        """Run the jobs in order, each in a clone of its own, and those that they need before.

        Raises
        ------
        UserError
            If a step has an expression, an action, an input or a shell that is not known here;
            with `dry`, if something it calls is not there.
        """
        needs: dict[str, Any] = {}
        for name in workflow.ordered():
            if only and name not in _needed(workflow, only):
                continue
            job = workflow.jobs[name]
            with tempfile.TemporaryDirectory(prefix="workflow-") as scratch:
                machine = Machine(self.repository, Path(scratch), self.own)
                run = _JobRun(self, machine, name, workflow, job)
                yield from run.events({key: needs[key] for key in job.needs})
            needs[name] = {"result": run.result, "outputs": run.outputs}


def _needed(workflow: Workflow, only: Sequence[str]) -> set[str]:
    found = set(only)
    for name in reversed(workflow.ordered()):
        if name in found:
            found |= set(workflow.jobs[name].needs)
    return found


class _JobRun:
    """One job on its machine."""

    def __init__(
        self, runner: Runner, machine: Machine, name: str, workflow: Workflow, job: Job
    ) -> None:
        self.runner, self.machine, self.name, self.job = runner, machine, name, job
        self.defaults = [job.defaults.run, workflow.defaults.run]
        self.env = {**workflow.env, **job.env}
        self.result: str = "skipped"
        self.outputs: dict[str, str] = {}

    def events(self, needs: Mapping[str, Any]) -> Iterator[Event]:
        """Run its steps."""
        contexts: dict[str, Any] = {
            "github": self._github(),
            "runner": {"os": "Linux", "temp": str(self.machine.temp)},
            "matrix": self.job.matrix,
            "needs": needs,
            "failed": any(one["result"] != "success" for one in needs.values()),
        }
        if not condition(self.job.if_, contexts) and not self.runner.dry:
            yield Event(self.name, "", "skipped")
            return
        env = {key: substitute(text, contexts) for key, text in self.env.items()}
        contexts |= {"env": env, "steps": {}, "failed": False}
        yield from self._steps(self.job.steps, contexts)
        failed = bool(contexts["failed"])
        self.outputs = {key: substitute(text, contexts) for key, text in self.job.outputs.items()}
        passes = failed and self.job.continue_on_error
        self.result = "failure" if failed and not passes else "success"
        if not self.runner.dry:
            yield Event(self.name, "", "failure" if failed else "success", passes=passes)

    def _github(self) -> dict[str, Any]:
        commits = git(self.runner.repository, "log", "-2", "--format=%H").split()
        return {
            "sha": commits[0] if commits else "",
            "ref": "refs/heads/main",
            "ref_name": "main",
            "event_name": "push",
            "repository": "owner/repository",
            "run_id": "1",
            "workspace": str(self.machine.workspace),
            "event": {"before": commits[1] if commits[1:] else ""},
        }

    def _steps(self, steps: Sequence[Step], contexts: dict[str, Any]) -> Iterator[Event]:
        for step in steps:
            began, why, passes = time.monotonic(), "", False
            outcome: Outcome = "checked" if self.runner.dry else "success"
            outputs: dict[str, str] = {}
            wanted = condition(step.if_, contexts)
            title = substitute(step.title, contexts)
            if not wanted and not self.runner.dry:
                outcome = "skipped"
            else:
                try:
                    outputs = yield from self._step(step, contexts)
                except StepFailed as error:
                    outcome, why, passes = "failure", str(error), step.continue_on_error
                    contexts["failed"] = contexts["failed"] or not passes
            if step.id:
                conclusion = "success" if passes else outcome
                contexts["steps"][step.id] = {
                    "outputs": outputs,
                    "outcome": outcome,
                    "conclusion": conclusion,
                }
            yield Event(self.name, title, outcome, time.monotonic() - began, why, passes)

    def _step(self, step: Step, contexts: Contexts) -> Generator[Event, None, dict[str, str]]:
        env = {key: substitute(text, contexts) for key, text in step.env.items()}
        contexts = {**contexts, "env": {**contexts["env"], **env}}
        if step.run:
            return self._script(step, contexts)
        given = {key: substitute(text, contexts) for key, text in step.with_.items()}
        name = step.uses.partition("@")[0]
        folder = self.runner.own.get(name)
        if step.uses.startswith("./"):
            folder = self._place() / step.uses
        if folder is not None:
            return (yield from self._action(name, folder, given, contexts))
        if "@" not in step.uses:
            raise UserError(f"{step.uses} names no version")
        if name not in KNOWN:
            raise UserError(suggestions.unknown("action", name, KNOWN))
        stand_in, known, needed = KNOWN[name]
        check_inputs(name, given, known, needed)
        return {} if self.runner.dry else stand_in(self.machine, given)

    def _place(self) -> Path:
        return self.runner.repository if self.runner.dry else self.machine.workspace

    def _action(
        self, name: str, folder: Path, given: Mapping[str, str], contexts: Contexts
    ) -> Generator[Event, None, dict[str, str]]:
        action: Action = read_action(folder / "action.yml")
        needed = {key for key, one in action.inputs.items() if one.required}
        check_inputs(name, given, set(action.inputs), needed)
        inner = {
            **contexts,
            "github": {**contexts["github"], "action_path": str(folder)},
            "inputs": {**{key: one.default for key, one in action.inputs.items()}, **given},
            "steps": {},
            "failed": False,
        }
        yield from self._steps(action.runs.steps, inner)
        if inner["failed"]:
            raise StepFailed("a step of the action has failed")
        return {key: substitute(one.value, inner) for key, one in action.outputs.items()}

    def _script(self, step: Step, contexts: Contexts) -> dict[str, str]:
        script = substitute(step.run, contexts)
        shell = step.shell or next((one.shell for one in self.defaults if one.shell), "")
        if shell not in _SHELLS:
            raise UserError(suggestions.unknown("shell", shell, _SHELLS))
        within = (step.working_directory, *(one.working_directory for one in self.defaults))
        folder = self._place() / substitute(next(filter(None, within), ""), contexts)
        if self.runner.dry:
            check_script(script, folder)
            return {}
        files = {name: self.machine.temp / name for name in ("output", "env", "path", "summary")}
        for file in files.values():
            file.write_text("")
        environment = {
            **self.machine.environment(),
            **contexts["env"],
            "GITHUB_SHA": contexts["github"]["sha"],
            "GITHUB_ACTION_PATH": contexts["github"].get("action_path", ""),
            "GITHUB_OUTPUT": str(files["output"]),
            "GITHUB_ENV": str(files["env"]),
            "GITHUB_PATH": str(files["path"]),
            "GITHUB_STEP_SUMMARY": str(files["summary"]),
        }
        source = self.machine.temp / "step.sh"
        source.write_text(script)
        words = [*_SHELLS[shell], str(source)]
        try:
            done = subprocess.run(  # noqa: S603 - commands of our own workflows
                words, cwd=folder, env=environment, check=False, timeout=60 * step.timeout_minutes
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise StepFailed(str(error)) from None
        self.machine.variables |= _pairs(files["env"])
        self.machine.path += files["path"].read_text().split("\n")[:-1]
        if done.returncode:
            raise StepFailed(f"exit status {done.returncode}")
        return _pairs(files["output"])


def _pairs(file: Path) -> dict[str, str]:
    """Read ``name=value`` lines, and values of several lines (``name<<END``)."""
    pairs: dict[str, str] = {}
    lines = iter(file.read_text().splitlines())
    for line in lines:
        name, equals, value = line.partition("=")
        heading, several, end = line.partition("<<")
        if several and "=" not in heading:
            pairs[heading] = "\n".join(itertools.takewhile(end.__ne__, lines))
        elif equals:
            pairs[name] = value
        elif line:
            raise StepFailed(f"{line!r} is no name=value")
    return pairs
