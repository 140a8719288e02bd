"""The Parquet files of one table: the same columns in each, read block by block."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.tables.header import refuse_both, require_columns_of
from geoforest_cli.tables.messages import as_argument, format_row

__all__ = ["PartSource", "Parts", "RowBlock", "part_files"]

Points = npt.NDArray[Any]

_BLOCK = 100_000  # rows that are read at once, where row groups are not larger


class RowBlock(NamedTuple):
    """Row groups of one file that are read at once; `first` is the row number of its first row."""

    part: int
    path: str
    groups: tuple[int, ...]
    first: int
    rows: int
    offset: int  # of the first row in its file


class PartSource(NamedTuple):
    """The columns that are read of every block, and the one that names rows."""

    columns: tuple[str, ...]
    identifier: str | None
    single: bool  # all columns are of single precision

    def read(self, block: RowBlock) -> tuple[Points, pa.Array]:
        """Return the rows of a block, and their names.

        Raises
        ------
        DataError
            For a file that cannot be read, or a missing or infinite value.
        """
        names = [*self.columns, *([] if self.identifier is None else [self.identifier])]
        table = _read(block, names)
        kind = pa.float32() if self.single else pa.float64()
        points = np.column_stack([table[name].cast(kind, safe=False) for name in self.columns])
        finite = np.isfinite(points)
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            raise DataError(
                f"{block.path}: the column {quoted(self.columns[column])} has a missing or "
                f"infinite value in {format_row(block.offset + int(row))}; leave such rows or "
                "columns out"
            )
        if self.identifier is None:
            return points, pa.array(np.arange(block.first, block.first + block.rows))
        ids = table[self.identifier].combine_chunks()
        if ids.null_count:
            raise DataError(
                f"{block.path}: the column {quoted(self.identifier)} has empty cells and cannot "
                "name rows"
            )
        return points, ids


def _read(block: RowBlock, names: list[str]) -> pa.Table:
    try:
        with pq.ParquetFile(block.path) as file:
            table = file.read_row_groups(list(block.groups), columns=names)
        table.validate(full=True)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(block.path, error) from None
    return table


@dataclass(frozen=True)
class Parts:
    """The files of one table, in the order of their rows.

    Attributes
    ----------
    source : Source
    blocks : tuple of Block
    rows : tuple of int
        Of each file.
    state : list
        Name, size and time of change of each file: what a second call compares.
    """

    source: PartSource
    blocks: tuple[RowBlock, ...]
    rows: tuple[int, ...]
    state: list[list[Any]]

    @classmethod
    def open(
        cls,
        paths: Sequence[Path],
        columns: Sequence[str] = (),
        exclude: Sequence[str] = (),
        identifier: str | None = None,
    ) -> Parts:
        """Look at the schemas and sizes of all files.

        Raises
        ------
        DataError
            For a file that is none, is empty or has other columns than the first one, and for a
            column that is not numeric.
        """
        blocks: list[RowBlock] = []
        rows: list[int] = []
        first: dict[str, pa.DataType] = {}
        for part, path in enumerate(paths):
            try:
                facts = pq.read_metadata(path)
                schema = facts.schema.to_arrow_schema()
            except (OSError, pa.ArrowException) as error:
                raise _unreadable(path, error) from None
            if not facts.num_rows:
                raise DataError(f"{path}: it has no rows; leave the file out")
            types = dict(zip(schema.names, schema.types, strict=True))
            first = first or types
            _require_same(paths[0], first, path, types)
            blocks += _blocks(part, path, facts, sum(rows))
            rows.append(facts.num_rows)
        arguments = {
            "columns": columns, "exclude": exclude,
            "identifier": () if identifier is None else (identifier,),
        }  # fmt: skip
        require_columns_of(list(first), str(paths[0]), arguments)
        columns = tuple(dict.fromkeys(columns))
        refuse_both(columns, exclude, str(paths[0]))
        used = [name for name in columns or first if name not in exclude and name != identifier]
        _require_numeric(paths[0], {name: first[name] for name in used})
        single = all(first[name] == pa.float32() for name in used)
        facts_of = [(path.name, path.stat()) for path in paths]
        state = [[name, stat.st_size, stat.st_mtime_ns] for name, stat in facts_of]
        return cls(PartSource(tuple(used), identifier, single), tuple(blocks), tuple(rows), state)


def part_files(paths: Sequence[Path]) -> list[Path]:
    """Return the Parquet files that are named, or lie in the folders named, by their names.

    Raises
    ------
    DataError
        For what is not there, a folder without Parquet files, or another file.
    """
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
        elif inside := [f for f in path.glob("*.parquet") if f.name[0] not in "._"]:
            files += inside
        else:
            raise DataError(f"{path}: there is no .parquet file in that folder")
    for path in files:
        if not path.is_file():
            raise DataError(f"there is no file {path}")
        if path.suffix.lower() != ".parquet":
            raise DataError(f"{path}: the parts of a table are .parquet files")
    files.sort(key=lambda file: (_in_order(file.name), str(file)))
    return [file.resolve() for file in files]


def _in_order(name: str) -> list[tuple[int, str]]:
    """Return the key of a natural order of names: part.2 before part.10.

    Examples
    --------
    >>> sorted(["part.10", "part.2", "part"], key=_in_order)
    ['part', 'part.2', 'part.10']
    """
    pieces = re.split(r"([0-9]+)", name)
    return [(int(piece), piece) if piece.isdecimal() else (-1, piece) for piece in pieces]


def _unreadable(path: object, error: BaseException) -> DataError:
    return DataError(f"{path}: it cannot be read as Parquet: {' '.join(str(error).split())}")


def _require_same(
    first: Path, types: dict[str, pa.DataType], path: Path, others: dict[str, pa.DataType]
) -> None:
    """Refuse a file with other columns than the first one."""
    for name in {**types, **others}:
        here, there = (kinds.get(name, "missing") for kinds in (others, types))
        if here != there:
            raise DataError(f"{path}: the column {quoted(name)} is {here}, but {there} in {first}")


def _require_numeric(path: Path, types: dict[str, pa.DataType]) -> None:
    if not types:
        raise DataError(f"{path}: no column is left to compare")
    for name, kind in types.items():
        numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if not (numeric or pa.types.is_boolean(kind)):
            raise DataError(
                f"{path}: the column {quoted(name)} is {kind}, not numeric; leave it out "
                f"({as_argument('exclude', name)}) or let it name the rows "
                f"({as_argument('identifier', name)})"
            )


def _blocks(part: int, path: Path, facts: Any, first: int) -> list[RowBlock]:
    """Return the row groups of a file, small ones together."""
    blocks: list[RowBlock] = []
    offset = 0
    for group in range(facts.num_row_groups):
        rows = facts.row_group(group).num_rows
        if blocks and blocks[-1].rows + rows <= _BLOCK:
            last = blocks[-1]
            blocks[-1] = last._replace(groups=(*last.groups, group), rows=last.rows + rows)
        else:
            blocks.append(RowBlock(part, str(path), (group,), first + offset, rows, offset))
        offset += rows
    return [block for block in blocks if block.rows]
