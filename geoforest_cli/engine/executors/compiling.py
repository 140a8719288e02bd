"""Knowing when numba compiles: a cell is not to be killed for the compiler's time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Self

__all__ = ["Compiling"]

_EVENT = "numba:compile"


class Compiling:
    """Tells when a compilation begins and ends, and adds up their seconds.

    Loading a kernel from the cache on disk does not count, nor does waiting for another thread's
    compilation.

    Parameters
    ----------
    tell : callable
        Called with "compiling" and "compiled".
    """

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self._tell = tell
        self._depth = 0
        self._since = 0.0
        self._lock = threading.Lock()
        self._listener: Any = None
        self.seconds = 0.0

    def __enter__(self) -> Self:
        # a cell may be the first to import numba: then its first kernels are told too
        from numba.core import event as numba_event

        event: Any = numba_event

        outer = self

        class Listener(numba_event.Listener):
            def on_start(self, _: Any) -> None:
                outer._begin()

            def on_end(self, _: Any) -> None:
                outer._end()

        self._listener = Listener()
        event.register(_EVENT, self._listener)
        return self

    def __exit__(self, *_: object) -> None:
        sys.modules["numba.core.event"].unregister(_EVENT, self._listener)

    def _begin(self) -> None:
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                self._since = time.perf_counter()
                self._tell("compiling")

    def _end(self) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self.seconds += time.perf_counter() - self._since
                self._tell("compiled")
