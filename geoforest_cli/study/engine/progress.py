"""The progress of a run: a bar on a terminal, an occasional line elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence

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

from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.study.engine.executors.contract import Outcome
from geoforest_cli.study.plan.cells import Job

__all__ = [
    "BarProgress",
    "LineProgress",
    "Progress",
    "duration_text",
    "make_progress",
]

_MOST_LINES = 8
_INTERVAL = 30.0  # seconds between lines when not on a terminal


class Progress:
    """Is called by the driver during a run, from its one thread; does nothing by itself."""

    def note(self, sentence: str) -> None:
        """Show something about the run before it begins."""

    def begin(self, name: str, total: int, done: int) -> None:
        """``total`` cells in the plan, ``done`` of them finished in earlier runs."""

    def started(self, job: Job) -> None:
        """A worker has begun this cell."""

    def finished(self, job: Job, outcome: Outcome) -> None:
        """The cell has ended; within a second it is in the store."""

    def tick(self, left: float | None) -> None:
        """Receive the expected seconds to the end; called several times a second."""

    def end(self) -> None:
        """No more cells will be run."""


class LineProgress(Progress):
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
        self._printed: set[str] = set()
        self._repeating = 0  # cells that printed a line of that set
        self._left: float | None = None
        self._last = time.monotonic()

    def note(self, sentence: str) -> None:
        """Print it."""
        self._print(sentence)

    def begin(self, name: str, total: int, done: int) -> None:
        """Print how much there is to do."""
        self._name, self._total, self._done = name, total, done
        self._tenths = 10 * done // total
        kept = f", {done} of them done before" if done else ""
        self._print(f"{name}: {total} cells{kept}")

    def started(self, job: Job) -> None:
        """Remember the cell as running."""
        self._running[job.key] = job.describe()

    def finished(self, job: Job, outcome: Outcome) -> None:
        """Count the cell; print what went wrong, and what no cell had printed before."""
        self._running.pop(job.key, None)
        self._done += 1
        lines = dict.fromkeys(line for line in outcome.output.splitlines() if line.strip())
        self._repeating += not self._printed.isdisjoint(lines)
        for line in lines:
            if line not in self._printed:
                self._print(f"{job.describe()} | {line}")
        self._printed.update(lines)
        if outcome.status != "ok":
            self._failed += 1
            status = outcome.status.replace("_", " ")
            self._print(f"{job.describe()}: {status}: {outcome.error}", style="red")

    def tick(self, left: float | None) -> None:
        """Print how far it is, when it is time."""
        self._left = left
        tenths = 10 * self._done // self._total
        if tenths > self._tenths or time.monotonic() - self._last > _INTERVAL:
            self._tenths = tenths
            self._last = time.monotonic()
            self._print(self._state())

    def end(self) -> None:
        """Print how many cells printed what was not shown again."""
        if self._repeating:
            self._print(
                f"{self._name}: {self._repeating} of {self._total} cells printed what another "
                "had printed before; it is shown once"
            )

    def _state(self) -> str:
        parts = [f"{self._name}: {self._done} of {self._total} cells done"]
        if self._failed:
            parts.append(f"{self._failed} failed")
        if self._left is not None and self._done < self._total:
            parts.append(f"about {duration_text(self._left)} left")
        if self._running:
            parts.append("now " + "; ".join(self._running.values()))
        return ", ".join(parts)

    def _print(self, text: str, style: str | None = None) -> None:
        shown = escape_control_characters(text, one_line=True)
        self._console.print(shown, style=style, markup=False, highlight=False, soft_wrap=True)


class _Bar(RichProgress):
    """A bar and, below it, a line for each cell that is running."""

    running: Sequence[str] = ()

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return the bar and the lines."""
        yield from super().get_renderables()
        for text in self.running[:_MOST_LINES]:
            shown = escape_control_characters(text, one_line=True)
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
            left="" if left is None else f"about {duration_text(left)} left",
        )

    def end(self) -> None:
        """Remove the bar."""
        self._bar.stop()
        super().end()


def make_progress(console: Console) -> Progress:
    """Return a bar on a terminal, lines elsewhere and where ``CI`` is set."""
    in_ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
    live = console.is_terminal and not console.is_dumb_terminal and not in_ci
    return BarProgress(console) if live else LineProgress(console)


def duration_text(seconds: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> [duration_text(s) for s in (0.4, 42, 150, 4000, 100000)]
    ['1 s', '42 s', '2 min 30 s', '1 h 7 min', '27 h 47 min']
    """
    seconds = max(1, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min"
