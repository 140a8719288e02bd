"""Knowing when numba compiles: a cell is not to be killed for the compiler's time."""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Self

__all__ = ["Compiling"]

_EVENTS = "numba.core.event"
_EVENT = "numba:compile"


class Compiling(MetaPathFinder):
    """Reports when a compilation begins and ends, and adds up their seconds.

    Loading a kernel from the cache on disk does not count, nor does waiting for another thread's
    compilation. Numba is not imported for this, since most cells need none of it: if it is
    imported within the block, the listener is registered then.

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
        if _EVENTS in sys.modules:
            self._listen(sys.modules[_EVENTS])
        else:
            sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_: object) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        if self._listener is not None:
            sys.modules[_EVENTS].unregister(_EVENT, self._listener)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find numba's module of events for the other finders, and listen once it is executed."""
        if fullname != _EVENTS:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_listen(module: ModuleType) -> None:
                execute(module)
                self._listen(module)

            vars(spec.loader)["exec_module"] = execute_and_listen
        return spec

    def _listen(self, events: Any) -> None:
        # made here: numba, whose class it extends, may not be there when this module is imported
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
