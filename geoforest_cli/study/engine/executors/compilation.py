"""Knowing when numba compiles: a cell is not to be killed for the compiler's time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from typing import Any, Self

__all__ = ["Compiling"]

_EVENTS = "numba.core.event"
_EVENT = "numba:compile"


class Compiling(MetaPathFinder):
    """Reports when a compilation begins and ends, and adds up their seconds.

    Loading a kernel from the cache on disk does not count, nor does waiting for another thread's
    compilation. Numba is not imported for this, since most cells need none of it: while it is
    imported within the block, the search for its later modules finds its module of events.

    Parameters
    ----------
    report : callable
        Called with "compiling" and "compiled".
    """

    def __init__(self, report: Callable[[Any], None]) -> None:
        self._report = report
        self._depth = 0
        self._since = 0.0
        self._lock = threading.Lock()
        self._listener: Any = None
        self.seconds = 0.0

    def __enter__(self) -> Self:
        sys.meta_path.insert(0, self)
        self.find_spec()
        return self

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)
        if self._listener is not None:
            sys.modules[_EVENTS].unregister(_EVENT, self._listener)

    def find_spec(self, *_: object) -> None:
        """Find nothing, but listen as soon as numba's events are imported."""
        events: Any = sys.modules.get(_EVENTS)
        if self._listener is None and hasattr(events, "install_recorder"):  # its last definition
            # made here: numba, whose class it extends, may not be there when this is imported
            methods = {"on_start": self._begin, "on_end": self._end}
            self._listener = type("Listener", (events.Listener,), methods)()
            events.register(_EVENT, self._listener)

    def _begin(self, _event: Any) -> None:
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                self._since = time.perf_counter()
                self._report("compiling")

    def _end(self, _event: Any) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self.seconds += time.perf_counter() - self._since
                self._report("compiled")
