"""Tables written block by block to a file that appears only when it is whole."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from geoforest_cli.errors import DataError

__all__ = ["require_output", "write_blocks"]

_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def require_output(path: str | os.PathLike[str]) -> Path:
    """Return the path if a table can be written there: worth asking before a long computation.

    Raises
    ------
    DataError
        For another ending than .parquet, .csv or .tsv, or a folder that is not there.
    """
    output = Path(path)
    if output.suffix.lower() not in {".parquet", *_SEPARATORS}:
        kind = output.suffix
        raise DataError(f"{output}: the output is .parquet, .csv or .tsv, not {kind!r}")
    if not output.parent.is_dir():
        raise DataError(f"{output}: there is no folder {output.parent}")
    return output


def write_blocks(path: str | os.PathLike[str], blocks: Iterable[pd.DataFrame]) -> None:
    """Write the blocks of one table, as what the path's ending says.

    Parameters
    ----------
    path : path
        Parquet, CSV or TSV. What was there stays until the whole table is written.
    blocks : iterable of DataFrame
        Of the same columns; only one at a time is held.

    Raises
    ------
    DataError
        As `require_output`.

    Examples
    --------
    >>> import tempfile
    >>> halves = (pd.DataFrame({"row": [2 * i, 2 * i + 1]}) for i in range(2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_blocks(f"{folder}/rows.csv", halves)
    ...     pd.read_csv(f"{folder}/rows.csv")["row"].tolist()
    [0, 1, 2, 3]
    """
    output = require_output(path)
    with _appearing(output) as part:
        if output.suffix.lower() == ".parquet":
            _write_parquet(part, blocks)
        else:
            separator = _SEPARATORS[output.suffix.lower()]
            with part.open("w", encoding="utf-8", newline="") as file:
                for number, block in enumerate(blocks):
                    block.to_csv(file, sep=separator, index=False, header=number == 0)


def _write_parquet(part: Path, blocks: Iterable[pd.DataFrame]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rest = iter(blocks)
    first = pa.Table.from_pandas(next(rest), preserve_index=False)
    with pq.ParquetWriter(part, first.schema) as file:
        file.write_table(first)
        for block in rest:
            file.write_table(pa.Table.from_pandas(block, first.schema, preserve_index=False))


@contextmanager
def _appearing(output: Path) -> Iterator[Path]:
    """Hand out a file beside the output that takes its place if all goes well."""
    part = output.with_name(f".{output.name}.{secrets.token_hex(8)}")
    try:
        yield part
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
