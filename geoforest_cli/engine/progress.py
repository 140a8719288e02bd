"""What a run tells while it runs: a bar on a terminal, an occasional line elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from typing import Protocol

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as RichProgress
from rich.text import Text

from geoforest_cli.engine.executors.contract import Outcome
from geoforest_cli.plan.cells import Job
from geoforest_cli.terminal import harmless

__all__ = ["BarProgress", "LineProgress", "NoProgress", "Progress", "choose", "explain", "in_words"]

_MOST_LINES = 8
_QUIET = 30.0  # seconds between lines when not on a terminal


class Progress(Protocol):
    """Is told what happens; every method is called from the driver's one thread."""

    def note(self, sentence: str) -> None:
        """Say something about the run before it begins."""

    def begin(self, name: str, total: int, done: int) -> None:
        """``total`` cells in the plan, ``done`` of them finished in earlier runs."""

    def started(self, job: Job) -> None:
        """Report that a worker has begun this cell."""

    def finished(self, job: Job, outcome: Outcome) -> None:
        """Report that the cell has ended; within a second it is in the store."""

    def tick(self, left: float | None) -> None:
        """Report the expected seconds to the end; called several times a second."""

    def end(self) -> None:
        """Report that no more cells will be run."""


class NoProgress:
    """Says nothing."""

    def note(self, sentence: str) -> None:
        """Say nothing."""

    def begin(self, name: str, total: int, done: int) -> None:
        """Say nothing."""

    def started(self, job: Job) -> None:
        """Say nothing."""

    def finished(self, job: Job, outcome: Outcome) -> None:
        """Say nothing."""

    def tick(self, left: float | None) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


class LineProgress:
    """One line at every tenth of the cells, and at least every half minute.

    Parameters
    ----------
    console : rich.console.Console
        Where to; failures are shown at once.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._name = ""
        self._total = self._done = self._failed = self._tenths = 0
        self._running: dict[str, str] = {}
        self._left: float | None = None
        self._last = time.monotonic()

    def note(self, sentence: str) -> None:
        """Say it."""
        self._say(sentence)

    def begin(self, name: str, total: int, done: int) -> None:
        """Say how much there is to do."""
        self._name, self._total, self._done = name, total, done
        self._tenths = 10 * done // total
        kept = f", {done} of them done before" if done else ""
        self._say(f"{name}: {total} cells{kept}")

    def started(self, job: Job) -> None:
        """Remember the cell as running."""
        self._running[job.key] = job.describe()

    def finished(self, job: Job, outcome: Outcome) -> None:
        """Count the cell; say at once what went wrong and what it printed."""
        self._running.pop(job.key, None)
        self._done += 1
        for line in outcome.output.splitlines():
            self._say(f"{job.describe()} | {line}")
        if outcome.status != "ok":
            self._failed += 1
            self._say(explain(job, outcome), style="red")

    def tick(self, left: float | None) -> None:
        """Say how far it is, when it is time."""
        self._left = left
        tenths = 10 * self._done // self._total
        if tenths > self._tenths or time.monotonic() - self._last > _QUIET:
            self._tenths = tenths
            self._last = time.monotonic()
            self._say(self._state())

    def end(self) -> None:
        """Say nothing: the last tick did."""

    def _state(self) -> str:
        parts = [f"{self._name}: {self._done} of {self._total} cells done"]
        if self._failed:
            parts.append(f"{self._failed} failed")
        if self._left is not None and self._done < self._total:
            parts.append(f"about {in_words(self._left)} left")
        if self._running:
            parts.append("now " + "; ".join(self._running.values()))
        return ", ".join(parts)

    def _say(self, text: str, style: str | None = None) -> None:
        shown = harmless(text, one_line=True)
        self._console.print(shown, style=style, markup=False, highlight=False, soft_wrap=True)


class _Bar(RichProgress):
    """A bar and, below it, a line for each cell that is running."""

    running: Sequence[str] = ()

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return the bar and the lines."""
        yield from super().get_renderables()
        for text in self.running[:_MOST_LINES]:
            shown = harmless(text, one_line=True)
            yield Text(f"  {shown}", style="dim", no_wrap=True, overflow="ellipsis")


class BarProgress(LineProgress):
    """A bar with the time left and the cells that are running."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        columns: list[str | ProgressColumn] = [
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[failed]}", style="red", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
        ]
        self._bar = _Bar(*columns, console=console, transient=True)
        self._task = self._bar.add_task("", total=None, failed="", left="")

    def begin(self, name: str, total: int, done: int) -> None:
        """Draw the bar."""
        super().begin(name, total, done)
        self._bar.update(self._task, description=name, total=total, completed=done)
        self._bar.start()

    def tick(self, left: float | None) -> None:
        """Redraw."""
        self._bar.running = list(self._running.values())
        self._bar.update(
            self._task,
            completed=self._done,
            failed=f"{self._failed} failed" if self._failed else "",
            left="" if left is None else f"about {in_words(left)} left",
        )

    def end(self) -> None:
        """Remove the bar."""
        self._bar.stop()


def choose(console: Console) -> Progress:
    """Return a bar on a terminal, lines elsewhere and where ``CI`` is set."""
    in_ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
    live = console.is_terminal and not console.is_dumb_terminal and not in_ci
    return BarProgress(console) if live else LineProgress(console)


def explain(job: Job, outcome: Outcome) -> str:
    """Return the sentence that says which cell ended how, and why."""
    return f"{job.describe()}: {outcome.status.replace('_', ' ')}: {outcome.error}"


def in_words(seconds: float) -> str:
    """Return a duration as people say it.

    Examples
    --------
    >>> [in_words(s) for s in (0.4, 42, 150, 4000, 100000)]
    ['1 s', '42 s', '2 min 30 s', '1 h 7 min', '27 h 47 min']
    """
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(whole / 60)
    return f"{minutes // 60} h {minutes % 60} min"
