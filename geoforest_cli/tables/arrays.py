"""Arrays as tables, from memory or from a file in NumPy's format (.npy)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.memory import require_memory_for_table

__all__ = [
    "frame_of",
    "read_array",
    "values_of",
    "with_columns",
]


def with_columns(frame: pd.DataFrame, changed: Mapping[str, Any]) -> pd.DataFrame:
    """Return a frame with other values in some of its columns, whatever their names.

    Examples
    --------
    >>> with_columns(pd.DataFrame({"self": [1, 2]}), {"self": [3, 4]})["self"].tolist()
    [3, 4]
    """
    frame = frame.copy(deep=False)
    for name, values in changed.items():
        frame[name] = values
    return frame


def values_of(array: npt.ArrayLike) -> pd.Series[Any]:
    """Return an array or list of one value for each row; masked ones are missing.

    Examples
    --------
    >>> values_of(["a", np.nan, "b"]).isna().tolist()
    [False, True, False]
    """
    if np.ma.isMaskedArray(array):
        shown = pd.Series(np.ma.getdata(array).astype(object))
        return shown.mask(np.ma.getmaskarray(array), None).infer_objects()
    # as objects: an array of texts would make a text of what is missing
    of_objects = isinstance(array, list | tuple)
    values = np.asarray(array, dtype=object if of_objects else None)
    return pd.Series(values if values.ndim == 1 else [None]).infer_objects()


def read_array(path: Path) -> pd.DataFrame:
    """Return the array of a file as a table.

    Parameters
    ----------
    path : Path

    Raises
    ------
    DataError
        For Python objects, which would have to be unpickled, and for an array that does not fit in
        memory.
    """
    with path.open("rb") as file:
        if file.read(len(np.lib.format.MAGIC_PREFIX)) != np.lib.format.MAGIC_PREFIX:
            raise ValueError("it does not begin as files of numpy.save do")
    try:
        values = np.lib.format.open_memmap(path, mode="r")
    except ValueError as error:
        if "Python objects" in str(error):
            raise DataError(f"{path}: {_objects('the array')}") from None
        raise
    require_memory_for_table(str(path), path.stat().st_size)
    return frame_of(np.array(values), f"{path}: the array")


def frame_of(array: npt.NDArray[Any], name: str) -> pd.DataFrame:
    """Return an array as a table: (N, p), or (N,) with p named fields.

    Parameters
    ----------
    array : ndarray
    name : str
        What messages call it.

    Raises
    ------
    DataError
        For another shape, or fields of Python objects.

    Examples
    --------
    >>> frame_of(np.array([(1, 2.5), (2, 3.5)], dtype=[("a", ">i4"), ("b", "f8")]), "the array")
       a    b
    0  1  2.5
    1  2  3.5
    """
    if array.dtype.hasobject and array.dtype.names:
        raise DataError(_objects(name))
    if array.ndim != (1 if array.dtype.names else 2):
        raise DataError(f"{name} has {array.ndim} dimensions, a table has 2")
    return pd.DataFrame(array.astype(array.dtype.newbyteorder("="), copy=False))


def _objects(name: str) -> str:
    return (
        f"{name} holds Python objects, which are not loaded, because loading can run any program; "
        "save numbers as numbers, or the table as .parquet"
    )
