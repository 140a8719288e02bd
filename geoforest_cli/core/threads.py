"""Work that is shared out to threads: numpy and the kernels let go of the interpreter."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import resource_tracker
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def n_threads(n_jobs: int | None) -> int:
    """Resolve scikit-learn's n_jobs: None is 1, -1 all processors."""
    if n_jobs is None:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, n_jobs if n_jobs > 0 else (cores or 1) + 1 + n_jobs)


def mapped(
    function: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None
) -> Iterator[Result]:
    """Yield what a function gives for each item, in their order; with one thread as it is asked.

    Examples
    --------
    >>> list(mapped(abs, range(-3, 0), n_jobs=2))
    [3, 2, 1]
    """
    threads = min(n_threads(n_jobs), len(items))
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(function, items)
    else:
        yield from map(function, items)


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in the processes that are started meanwhile: the driver decides.

    The tracker of resources unblocks it when it starts, so it is started before.
    """
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
