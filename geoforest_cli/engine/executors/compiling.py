"""Knowing when numba compiles: a cell is not to be killed for the compiler's time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import Any, Self

__all__ = ["Compiling"]

_EVENTS = "numba.core.event"
_EVENT = "numba:compile"


class Compiling:
    """Tells when a compilation begins and ends, and adds up their seconds.

    Loading a kernel from the cache on disk does not count, nor does waiting for another thread's
    compilation. Numba is not imported for this: most cells need none of it.

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
        if _EVENTS in sys.modules:
            self.listen(sys.modules[_EVENTS])
        else:
            _finder.wait(self)
        return self

    def __exit__(self, *_: object) -> None:
        _finder.forget(self)
        if self._listener is not None:
            sys.modules[_EVENTS].unregister(_EVENT, self._listener)

    def listen(self, events: Any) -> None:
        """Register with numba's module of events."""
        outer = self

        class Listener(events.Listener):  # type: ignore[misc]
            def on_start(self, _: Any) -> None:
                outer._begin()

            def on_end(self, _: Any) -> None:
                outer._end()

        self._listener = Listener()
        events.register(_EVENT, self._listener)

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


class _Finder(MetaPathFinder):
    """Finds numba's module of events for whoever waits to listen to it."""

    def __init__(self) -> None:
        self.waiting: list[Compiling] = []

    def wait(self, one: Compiling) -> None:
        self.waiting.append(one)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def forget(self, one: Compiling) -> None:
        if one in self.waiting:
            self.waiting.remove(one)
        if not self.waiting and self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _EVENTS:
            return None
        found = PathFinder.find_spec(fullname, path, target)
        if found is None or found.origin is None:
            return found
        loader = _Loader(fullname, found.origin)
        return spec_from_file_location(fullname, found.origin, loader=loader)


class _Loader(SourceFileLoader):
    """Lets them listen once the module is there: a cell's first kernels are told too."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        for one in _finder.waiting:
            one.listen(module)


_finder = _Finder()
