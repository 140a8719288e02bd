"""Ends what cells have started when the driver is gone, however it went.

The kernel ends a child with its driver, but not what the child has started. One small process per
driver knows the process groups; it reads from a pipe whose other end only the driver holds.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading

__all__ = ["end", "forget", "know"]

_WATCH = """
import os, signal, sys
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
groups = set()
for line in sys.stdin:
    word, group = line.split()
    (groups.add if word == "know" else groups.discard)(int(group))
for group in groups - {0, 1}:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""

_guards: dict[int, subprocess.Popen[str]] = {}  # of this process; after a fork, of its parent
_one_at_a_time = threading.Lock()
_FAREWELL = 5.0  # seconds


def know(group: int) -> None:
    """Have a process group end when this process does."""
    _tell("know", group)


def forget(group: int) -> None:
    """Leave a process group alone: it has ended, and its number may be given away anew."""
    _tell("forget", group)


def end(group: int) -> None:
    """End a process group now; nothing happens where there is none.

    To the kernel group 0 is this process's own, and 1 everybody.
    """
    if group > 1:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


def _tell(word: str, group: int) -> None:
    with _one_at_a_time, contextlib.suppress(OSError):
        guard = _guards.get(os.getpid())
        if guard is None or guard.poll() is not None:
            if word == "forget":
                return
            guard = _guards[os.getpid()] = _start()
            atexit.register(_end, guard, os.getpid())
        assert guard.stdin is not None
        guard.stdin.write(f"{word} {group}\n")
        guard.stdin.flush()


def _start() -> subprocess.Popen[str]:
    # until it ignores Ctrl-C by itself
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return subprocess.Popen(  # noqa: S603 - our own words
            [sys.executable, "-I", "-S", "-c", _WATCH],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(guard: subprocess.Popen[str], owner: int) -> None:
    if os.getpid() == owner:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            guard.communicate(timeout=_FAREWELL)
