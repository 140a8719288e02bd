"""Progress of one long computation: bars on a terminal, an occasional line elsewhere."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from geoforest_cli.cli.output import say
from geoforest_cli.study.engine.executors.compilation import Compiling

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Task, TaskID

__all__ = ["show_compiling", "show_counts", "show_progress"]

_INTERVAL = 10.0  # seconds between lines when not on a terminal


@contextlib.contextmanager
def show_compiling() -> Iterator[None]:
    """Print, once, that kernels are compiled if they are while the block runs."""
    printed: list[str] = []

    def report(phase: str) -> None:
        if phase == "compiling" and not printed:
            printed.append(phase)
            say("Compiling, once on this machine, for up to a minute ...", err=True)

    with Compiling(report):
        yield


@contextlib.contextmanager
def show_counts() -> Iterator[Callable[[str, int, int], None]]:
    """Hand out what shows a count: of what, how many more, of how many; show compilation too."""
    from rich.console import Console

    counts = ForestProgress(Console(stderr=True))
    with show_compiling(), counts.bars if counts.live else contextlib.nullcontext():
        yield counts.update


@contextlib.contextmanager
def show_progress() -> Iterator[None]:
    """Show what forests report while the block runs, and that kernels are compiled."""
    from geoforest_cli.estimators.forests.forest import watcher

    with show_counts() as update:
        token = watcher.set(update)
        try:
            yield
        finally:
            watcher.reset(token)


class ForestProgress:
    """Counts what forests report, and prints a line now and then unless bars are drawn."""

    def __init__(self, console: Console) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self.live = console.is_terminal
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self.bars = Progress(*columns, TimeRemainingColumn(), console=console)
        self._tasks: dict[str, TaskID] = {}
        self._printed = time.monotonic()
        self._lock = threading.Lock()

    def update(self, what: str, count: int, total: int) -> None:
        """Add to a count, of trees say."""
        with self._lock:
            if what not in self._tasks:
                self._tasks[what] = self.bars.add_task(what, total=total)
            task = self.bars.tasks[self._tasks[what]]
            if task.finished or task.total != total:  # the next forest
                self.bars.reset(task.id, total=total)
            self.bars.advance(task.id, count)
            if not self.live:
                self._print(task)

    def _print(self, task: Task) -> None:
        now = time.monotonic()
        if now - self._printed < _INTERVAL and not task.finished:
            return
        self._printed = now
        text = f"{task.completed:.0f} of {task.total:.0f} {task.description}"
        if not task.finished and task.elapsed is not None and task.remaining is not None:
            text += f", about {task.elapsed * task.remaining / task.completed:.0f} s left"
        self.bars.console.print(text, highlight=False)
