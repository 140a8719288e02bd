"""The user's cache folder: data sets, parsed copies, exact geodesics."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from geoforest_cli.core.files import write_atomically

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = ["cache_folder", "stored_array"]


def cache_folder() -> Path:
    """Return the package's folder among the user's caches: on Linux ~/.cache/geoforest.

    There, $XDG_CACHE_HOME replaces ~/.cache, unless it is empty.
    """
    return platformdirs.user_cache_path("geoforest", appauthor=False)


def stored_array(kind: str, key: str, compute: Callable[[], Floats]) -> Floats:
    """Return an array that takes long to compute, kept in the user's cache for the next time.

    Parameters
    ----------
    kind : str
        The subfolder of the cache.
    key : str
        A file name that says everything the array depends on, its computation too.
    compute : callable
        Called without arguments if there is no copy, or none with the checksum beside it.
    """
    import numpy as np

    path = cache_folder() / kind / f"{key}.npy"
    mark = path.with_suffix(".sha256")
    with contextlib.suppress(OSError, ValueError, EOFError):
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() == mark.read_text(encoding="ascii").strip():
            stored: Floats = np.load(io.BytesIO(data), allow_pickle=False)
            return stored
    array = compute()
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    with contextlib.suppress(OSError):
        write_atomically(path, buffer.getvalue())
        write_atomically(mark, hashlib.sha256(buffer.getvalue()).hexdigest())
    return array
