"""A lock of compilation: the others wait for what one worker compiles."""

import contextlib
import fcntl
import hashlib
import os
from pathlib import Path

_held = set()  # of this process: a function that calls itself is compiled in one turn


def compile_in_turns():
    """Let numba compile what it keeps on disk in one process at a time, per function and types."""
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    compile_now = Dispatcher.compile

    def compile_in_turn(dispatcher, types):
        # the lock of this process first: two of its threads would wait for each other
        with global_compiler_lock, _waiting(dispatcher, types):
            return compile_now(dispatcher, types)

    Dispatcher.compile = compile_in_turn


@contextlib.contextmanager
def _waiting(dispatcher, types):
    folder = dispatcher._cache.cache_path
    function = dispatcher.py_func.__code__
    words = f"{function.co_filename} {function.co_firstlineno} {types}"
    name = f"{hashlib.sha256(words.encode()).hexdigest()[:20]}.lock"
    if folder is None or name in _held:
        yield
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    number = os.open(Path(folder) / name, os.O_CREAT | os.O_RDWR)
    _held.add(name)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        # a child that was forked meanwhile has the file open too
        fcntl.flock(number, fcntl.LOCK_UN)
        os.close(number)
        _held.remove(name)
