"""Files that a library parses, read in a child process: its abort is a sentence here.

The child costs the start of an interpreter and the import of pandas, half a second.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from geoforest_cli.core.errors import DataError, Unavailable, UserError
from geoforest_cli.core.escaping import shortened
from geoforest_cli.tables.memory import free_memory, memory_of_caller, out_of_memory
from geoforest_cli.tables.messages import argument_format, max_names

__all__ = ["in_child", "main"]

_CODE = (
    "import sys\n"
    "sys.path[:] = sys.argv[2:]\n"
    "from geoforest_cli.tables.foreign import main\n"
    "main(sys.argv[1])\n"
)
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_RESERVED = 4 << 30  # bytes of address space that libraries take and do not fill


class _Request(NamedTuple):
    """What a child reads, and how its sentences name arguments."""

    read: Callable[[Path, str | None], Any]
    path: Path
    option: str | None
    memory: int
    formatted: bytes
    names: int


def in_child(read: Callable[[Path, str | None], Any], path: Path, option: str | None) -> Any:
    """Return what a function reads from a file, called in a process of its own.

    Parameters
    ----------
    read : callable
        A function of a module, called with the path and the option.
    path : Path
    option : str, optional

    Raises
    ------
    UserError
        As the function.
    DataError
        For any other end of the process; the memory that is free now bounds it.
    """
    request = _Request(read, path, option, free_memory(), _formatting(), max_names.get())
    with tempfile.NamedTemporaryFile(prefix="geoforest-") as answer:
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", _CODE, answer.name, *sys.path],
            env={**os.environ, **dict.fromkeys(_THREADS, "1")},
            input=pickle.dumps(request),
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise DataError(f"{path}: cannot be read as {path.suffix[1:]} ({_cause(done)})")
        kind, content = pickle.load(answer)  # noqa: S301 - the child's, which is this code
    if kind == "read":
        return content
    raise (Unavailable if kind == "unavailable" else DataError)(content)


def _formatting() -> bytes:
    """Return the words for arguments; empty where they cannot be handed to another process."""
    try:
        return pickle.dumps(argument_format.get())
    except (AttributeError, pickle.PicklingError):
        return b""


def _cause(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    said = shortened(next((line.strip() for line in lines if line.strip()), "no reason given"))
    if done.returncode >= 0:
        return f"its reader ended: {said}"
    name = signal.Signals(-done.returncode).name
    return f"its reader died of {name}: {said}"


def main(answer: str) -> None:
    """Read the file that a request on standard input names: called in the child."""
    request: _Request = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the same code
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        bound = request.memory + _RESERVED
        bound = bound if most < 0 else min(bound, most)
        resource.setrlimit(resource.RLIMIT_AS, (bound, most))
    if request.formatted:
        argument_format.set(pickle.loads(request.formatted))  # noqa: S301 - from the same code
    max_names.set(request.names)
    memory_of_caller.set(request.memory)
    with Path(answer).open("wb") as file:
        pickle.dump(_answer(request), file, protocol=5)


def _answer(request: _Request) -> tuple[str, Any]:
    try:
        return "read", request.read(request.path, request.option)
    except Unavailable as error:
        return "unavailable", str(error)
    except UserError as error:
        return "error", str(error)
    except MemoryError:
        return "error", out_of_memory(str(request.path))
    except Exception as error:
        reason = shortened(" ".join(str(error).split()), 300) or type(error).__name__
    return "error", f"{request.path}: cannot be read as {request.path.suffix[1:]} ({reason})"
