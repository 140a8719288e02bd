"""The one door to numba: every kernel of the package is compiled through `kernel`.

Numba's on-disk cache notices a change in the file of a kernel, not in the files of
the functions that it calls. So the cache folder is named after a hash of all sources
of the kernel's subpackage: after any change there, everything is compiled anew.
"""

import contextlib
import functools
import hashlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from geoforest_cli.core.cache import cache_folder

F = TypeVar("F", bound=Callable[..., Any])
_settings: Any = numba.config


@functools.cache
def _cache_folder(source_folder: Path) -> str | None:
    """Return where the subpackage's compiled kernels are kept; None if nothing can be."""
    digest = hashlib.sha256()
    for path in (Path(__file__), *sorted(source_folder.rglob("*.py"))):
        digest.update(path.read_bytes())
    stamp = f"geoforest-{source_folder.name}-{digest.hexdigest()[:12]}"
    configured = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(configured)] if configured else [source_folder / "__pycache__", cache_folder()]
    for folder in places:
        with contextlib.suppress(OSError):
            (folder / stamp).mkdir(parents=True, exist_ok=True)
            if os.access(folder / stamp, os.W_OK):
                return str(folder / stamp)
    return None


def kernel(function: F) -> F:
    """Compile `function` with numba: no GIL, cached on disk, no fast mathematics.

    Fast mathematics would let the compiler reorder sums, and rows would then differ
    between processors.
    """
    return _compiled(function)


def inner_kernel(function: F) -> F:
    """Compile, as `kernel` does, what allocates nothing and returns numbers.

    Who calls it keeps the arrays alive. References to them are not counted, at each call and for
    each array of a tuple: with tuples of fifty arrays that took longer than to search a node.
    """
    return _compiled(function, _nrt=False)


def inlined_kernel(function: F) -> F:
    """Compile, as `inner_kernel` does, what becomes part of each function that calls it.

    Named tuples of many arrays are then not passed at all: to copy them takes longer than to look
    at the rows of a small node.
    """
    return _compiled(function, _nrt=False, forceinline=True)


def vector_kernel(function: F) -> F:
    """Compile, as `inner_kernel` does, a loop whose passes do not depend on each other.

    Division by zero is infinite, as in NumPy: a loop that may raise an error is not vectorised.
    """
    return _compiled(function, _nrt=False, error_model="numpy")


@intrinsic
def _prefetch(_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        fetch = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        reading, keep_long, data_cache = (ir.Constant(word, x) for x in (0, 3, 1))
        builder.call(fetch, [address, reading, keep_long, data_cache])
        return context.get_dummy_value()

    return types.void(array, index), generate


def _prefetch_nothing(array: Any, index: Any) -> None:
    pass


prefetch = _prefetch_nothing if _settings.DISABLE_JIT else _prefetch
"""In a kernel: have the processor fetch the cache line of array[index], of one dimension.

It changes no result, wherever the index points. Kernels that run as plain Python skip it.
"""


def _compiled(function: F, **options: Any) -> F:
    wanted = os.environ.get("GEOFOREST_JIT_CACHE", "1") != "0"
    source_folder = Path(function.__code__.co_filename).resolve().parent
    folder = _cache_folder(source_folder) if wanted else None
    previous, _settings.CACHE_DIR = _settings.CACHE_DIR, folder or _settings.CACHE_DIR
    try:
        dispatcher: Any = numba.njit(nogil=True, cache=folder is not None, **options)(function)
    finally:
        _settings.CACHE_DIR = previous
    # Numba numbers the files of a kernel's compiled forms. Two processes that compile one for
    # different types at the same time would both write number 1, and a third would then run the
    # one for the other, without an error.
    cache: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache is not None:  # not so where kernels run as plain Python
        apart = f".{secrets.token_hex(6)}.{{number:d}}."
        cache._data_name_pattern = cache._data_name_pattern.replace(".{number:d}.", apart)
    return cast("F", dispatcher)
