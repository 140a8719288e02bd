"""Progress of one long computation: bars on a terminal, an occasional line elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from geoforest_cli.cli.saying import say
from geoforest_cli.engine.executors.compiling import Compiling
from geoforest_cli.forests.forest import Watcher, watcher

__all__ = ["compiling_told", "watching"]

_QUIET = 10.0  # seconds between lines when not on a terminal


@contextmanager
def compiling_told() -> Iterator[None]:
    """Say, once, that kernels are compiled if they are while the block runs."""
    told: list[str] = []

    def tell(state: str) -> None:
        if state == "compiling" and not told:
            told.append(state)
            say("Compiling, once on this machine, about 20 s ...", err=True)

    with Compiling(tell):
        yield


@contextmanager
def watching() -> Iterator[None]:
    """Show what forests report while the block runs, and that kernels are compiled."""
    with compiling_told(), _bars_or_lines():
        yield


@contextmanager
def _bars_or_lines() -> Iterator[None]:
    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        bars = Progress(*columns, TimeRemainingColumn(), console=console)
        with bars, _told(_on_terminal(bars)):
            yield
    else:
        with _told(_in_lines(console)):
            yield


@contextmanager
def _told(watch: Watcher) -> Iterator[None]:
    token = watcher.set(watch)
    try:
        yield
    finally:
        watcher.reset(token)


def _on_terminal(bars: Progress) -> Watcher:
    shown: dict[str, TaskID] = {}
    lock = threading.Lock()

    def watch(what: str, more: int, total: int) -> None:
        with lock:
            if what not in shown:
                shown[what] = bars.add_task(what, total=total)
            task = bars.tasks[shown[what]]
            if task.finished or task.total != total:  # the next forest
                bars.reset(task.id, total=total)
            bars.advance(task.id, more)

    return watch


@dataclass
class _Count:
    total: int
    began: float
    done: int = 0


def _in_lines(console: Console) -> Watcher:
    counts: dict[str, _Count] = {}
    told = [time.monotonic()]
    lock = threading.Lock()

    def watch(what: str, more: int, total: int) -> None:
        with lock:
            now = time.monotonic()
            one = counts.get(what)
            if one is None or one.done >= total or one.total != total:  # the next forest
                one = counts[what] = _Count(total, now)
            one.done += more
            if now - told[0] < _QUIET and one.done < total:
                return
            told[0] = now
            left = (now - one.began) * (total - one.done) / one.done
            rest = f", about {left:.0f} s left" if one.done < total else ""
            console.print(f"{one.done} of {total} {what}{rest}", highlight=False)

    return watch
