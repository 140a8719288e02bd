"""Starts child processes such that they end when this process does, however it ends.

The kernel kills a child when the *thread* that started it ends, so all are started by one thread
that lives as long as the launcher. What a child has started is killed by a small second process,
the reaper: it knows the process groups, and reads a pipe whose other end only this process holds.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["Launcher"]

_REAPER = """
import os, signal, sys
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
groups = set()
for line in sys.stdin:
    command, group = line.split()
    (groups.add if command == "watch" else groups.discard)(int(group))
for group in groups - {0, 1}:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""
_EXIT_TIMEOUT = 5.0  # seconds


class Launcher:
    """Starts processes, each the leader of a group of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._reaper: subprocess.Popen[str] | None = None
        self._end_reaper: Callable[[], Any] = bool

    def start(self, command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a process, in which Ctrl-C is blocked: the driver decides what it means."""
        with self._lock:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, "geoforest-launcher", _block_interrupts)
            thread = self._thread
        return thread.submit(self._start, command, options).result()

    def _start(self, command: Sequence[str], options: dict[str, Any]) -> subprocess.Popen[bytes]:
        process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - our own interpreter
            command, stdin=subprocess.DEVNULL, start_new_session=True, **options
        )
        self._tell_reaper("watch", process.pid)
        return process

    def kill_group(self, group: int) -> None:
        """Kill a process group, if it exists, and forget it: its number may be used again.

        To the kernel group 0 is this process's own, and 1 everybody.
        """
        if group > 1:
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)
            self._tell_reaper("forget", group)

    def close(self) -> None:
        """End the thread and the reaper; the next process that is started begins new ones."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._reaper = None
        if thread is not None:
            thread.shutdown()
        self._end_reaper()

    def _tell_reaper(self, command: str, group: int) -> None:
        with self._lock, contextlib.suppress(OSError):
            if self._reaper is None or self._reaper.poll() is not None:
                if command == "forget":
                    return
                self._reaper = _start_reaper()
                self._end_reaper = weakref.finalize(self, _end, self._reaper)
            assert self._reaper.stdin is not None
            self._reaper.stdin.write(f"{command} {group}\n")
            self._reaper.stdin.flush()


def _block_interrupts() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _start_reaper() -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - our own code
        [sys.executable, "-I", "-S", "-c", _REAPER],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )


def _end(reaper: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
        reaper.communicate(timeout=_EXIT_TIMEOUT)
