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

__all__ = [
    "BarProgress",
    "LineProgress",
    "NoProgress",
    "Progress",
    "Whole",
    "choose",
    "explain",
    "in_words",
]

_MOST_LINES = 8
_QUIET = 30.0  # seconds between lines when not on a terminal
_TELLING = 600.0  # expected seconds after which a machine's own pace is known


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


class Whole:
    """How far several configs are, of which one is running.

    Parameters
    ----------
    expected : sequence of float or None
        Seconds that each is expected to take, in their order; None where nothing is known.
    """

    def __init__(self, expected: Sequence[float | None]) -> None:
        self._expected = list(expected)
        self._place = -1
        self._began = 0.0
        self._spent = self._foreseen = 0.0

    def next(self) -> None:
        """Note that one config has ended and the next begins."""
        now = time.monotonic()
        if 0 <= self._place < len(self._expected):
            foreseen = self._expected[self._place]
            if foreseen:
                self._foreseen += foreseen
                self._spent += now - self._began
        self._place += 1
        self._began = now

    def left(self, here: float | None) -> tuple[float, bool] | None:
        """Return the seconds left for all, and whether they are only the least.

        Parameters
        ----------
        here : float or None
            Those of the config that is running. Those that follow take as much longer than was
            expected as those did that have ended.
        """
        if here is None:
            here = self._expected[self._place]
        later = self._expected[self._place + 1 :]
        known = [seconds for seconds in later if seconds is not None]
        if here is None and not known:
            return None
        pace = self._spent / self._foreseen if self._foreseen >= _TELLING else 1.0
        least = here is None or len(known) < len(later)
        return (here or 0.0) + pace * sum(known), least

    def state(self, here: float | None) -> str:
        """Return how far it is in words."""
        text = f"config {self._place + 1} of {len(self._expected)}"
        found = self.left(here)
        if found is None:
            return text
        seconds, least = found
        return f"{text}, {'at least' if least else 'about'} {in_words(seconds)} left for all"


class LineProgress:
    """One line at every tenth of the cells, and at least every half minute.

    Parameters
    ----------
    console : rich.console.Console
        Where to; failures are shown at once.
    whole : Whole, optional
        Of several configs.
    """

    def __init__(self, console: Console, whole: Whole | None = None) -> None:
        self._console = console
        self._whole = whole
        self._name = ""
        self._total = self._done = self._failed = self._tenths = 0
        self._running: dict[str, str] = {}
        self._printed: set[str] = set()
        self._again = 0  # cells that printed a line of that set
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
        """Count the cell; say at once what went wrong and what no cell had printed before."""
        self._running.pop(job.key, None)
        self._done += 1
        lines = dict.fromkeys(line for line in outcome.output.splitlines() if line.strip())
        self._again += not self._printed.isdisjoint(lines)
        for line in lines:
            if line not in self._printed:
                self._say(f"{job.describe()} | {line}")
        self._printed.update(lines)
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
        """Say how many cells printed what was not shown again."""
        if self._again:
            self._say(
                f"{self._name}: {self._again} of {self._total} cells printed what another "
                "had printed before; it is shown once"
            )

    def _state(self) -> str:
        parts = [f"{self._name}: {self._done} of {self._total} cells done"]
        if self._failed:
            parts.append(f"{self._failed} failed")
        if self._left is not None and self._done < self._total:
            parts.append(f"about {in_words(self._left)} left")
        if self._whole:
            parts.append(self._whole.state(self._left))
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

    def __init__(self, console: Console, whole: Whole | None = None) -> None:
        super().__init__(console, whole)
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
        of_all = [self._whole.state(left)] if self._whole else []
        self._bar.running = [*of_all, *self._running.values()]
        self._bar.update(
            self._task,
            completed=self._done,
            failed=f"{self._failed} failed" if self._failed else "",
            left="" if left is None else f"about {in_words(left)} left",
        )

    def end(self) -> None:
        """Remove the bar."""
        self._bar.stop()
        super().end()


def choose(console: Console, whole: Whole | None = None) -> Progress:
    """Return a bar on a terminal, lines elsewhere and where ``CI`` is set."""
    in_ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
    live = console.is_terminal and not console.is_dumb_terminal and not in_ci
    return BarProgress(console, whole) if live else LineProgress(console, whole)


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
