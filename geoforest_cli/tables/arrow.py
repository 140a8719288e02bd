"""Tables in the formats of Apache Arrow: Parquet and Feather."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.memory import require_memory_for_table

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["frame_of_stream", "read_feather", "read_parquet"]

_MANY = 1000  # columns


def read_parquet(path: Path) -> pd.DataFrame:
    """Read a Parquet file.

    Raises
    ------
    DataError
        If it would not fit in memory.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    facts = pq.read_metadata(path)
    stored = sum(facts.row_group(number).total_byte_size for number in range(facts.num_row_groups))
    require_memory_for_table(str(path), stored, facts.num_rows * facts.num_columns)
    # every column that is read at once has a buffer of 200 KB, whatever its size
    with pq.ParquetFile(path, pre_buffer=False) as file:
        schema = file.schema_arrow
        names = schema.names
        pieces = [
            file.read(columns=names[start : start + _MANY], use_threads=len(names) <= _MANY).columns
            for start in range(0, len(names), _MANY)
        ]
    return _frame(pa.table([*itertools.chain(*pieces)], schema=schema))


def read_feather(path: Path) -> pd.DataFrame:
    """Read a Feather file.

    Raises
    ------
    DataError
        If it would not fit in memory.
    """
    import pyarrow as pa

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
    import pyarrow as pa

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
