"""Tables that hold numbers as numbers: arrays of NumPy, and tables of Apache Arrow."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.memory import require_memory_for_table

__all__ = [
    "frame_of",
    "frame_of_stream",
    "read_array",
    "read_feather",
    "read_parquet",
    "values_of",
    "with_columns",
]

_COLUMNS_OF_A_PIECE = 1000  # columns of a file of Parquet


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


def read_parquet(path: Path) -> pd.DataFrame:
    """Read a Parquet file.

    Raises
    ------
    DataError
        If it would not fit in memory.
    """
    facts = pq.read_metadata(path)
    stored = sum(facts.row_group(number).total_byte_size for number in range(facts.num_row_groups))
    require_memory_for_table(str(path), stored, facts.num_rows * facts.num_columns)
    # every column that is read at once has a buffer of 200 KB, whatever its size
    with pq.ParquetFile(path, pre_buffer=False) as file:
        schema = file.schema_arrow
        names = schema.names
        pieces = [
            file.read(
                columns=names[start : start + _COLUMNS_OF_A_PIECE],
                use_threads=len(names) <= _COLUMNS_OF_A_PIECE,
            ).columns
            for start in range(0, len(names), _COLUMNS_OF_A_PIECE)
        ]
    return _frame(pa.table([*itertools.chain(*pieces)], schema=schema))


def read_feather(path: Path) -> pd.DataFrame:
    """Read a Feather file.

    Raises
    ------
    DataError
        If it would not fit in memory.
    """
    stored = path.stat().st_size
    with pa.memory_map(str(path)) as source:
        file = pa.ipc.open_file(source)
        require_memory_for_table(str(path), stored, 0)
        return _frame(file.read_all())


def frame_of_stream(table: Any) -> pd.DataFrame:
    """Return a table in memory that hands out Arrow's streams, as polars' and pyarrow's do.

    Raises
    ------
    DataError
        If what the stream has is no table, but a column.
    """
    try:
        return _frame(pa.table(table))
    except (TypeError, ValueError, pa.ArrowException) as error:
        kind = type(table).__name__
        raise DataError(
            f"the table is a {kind} that Arrow does not take as one ({error})"
        ) from error


def _frame(table: pa.Table) -> pd.DataFrame:
    # text that is not UTF-8 would fail where it is first used
    table.validate(full=True)
    frame: pd.DataFrame = table.to_pandas()
    # an index with a name is a column, as it is in a CSV file of the same table
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    return frame.reset_index(named) if named else frame
