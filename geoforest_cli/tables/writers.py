"""Tables written block by block to a file that appears only when it is whole."""

from __future__ import annotations

import os
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import shortened
from geoforest_cli.core.files import replacing

if TYPE_CHECKING:
    import pandas as pd

    from geoforest_cli.tables.neighbor_lists import Neighbors

__all__ = ["require_map", "require_output", "require_picture", "write_lists", "write_table"]

_BLOCK = 50_000  # rows of the user's table that are written at once
_MAX_BYTES_OF_A_NAME = 255  # in the file systems that people use
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PICTURES = (".png", ".svg", ".pdf")
# how a text begins that spreadsheets take for a formula, and may run
_SIGNS = frozenset("=+-@")
_LEADING = frozenset("\t\r\n")


def require_output(path: str | os.PathLike[str], *others: object, annotated: bool = False) -> Path:
    """Return the path if a table can be written there: worth asking before a long computation.

    Parameters
    ----------
    path : path
    *others : path, or anything else
        Files that are read, or written too: none of them may be this one, links followed. What
        is no path does not matter.
    annotated : bool
        Whether it may be a copy of the first of these, an .h5ad file.

    Raises
    ------
    DataError
        For another ending than .parquet, .csv or .tsv, a name that is too long, a folder that is
        not there or cannot be written to, or one of the other files.
    """
    output = _named(path)
    kind = output.suffix
    if annotated and kind.lower() == ".h5ad":
        if not str(others[0]).lower().endswith(".h5ad"):
            raise DataError(f"{output}: only the neighbours of an .h5ad file are written as .h5ad")
        return _free(output, others)
    if kind.lower() not in {".parquet", *_SEPARATORS}:
        raise DataError(f"{output}: the output is .parquet, .csv or .tsv, not {kind!r}")
    return _free(output, others)


def require_picture(
    path: str | os.PathLike[str], *others: object, more: Sequence[str] = ()
) -> Path:
    """Return the path of a picture, with an ending, if one can be written there.

    Parameters
    ----------
    path : path
        Ends in .png, .svg or .pdf; without an ending, .png is added.
    *others : path, or anything else
        As for `require_output`.
    more : sequence of str
        Other endings that are allowed.

    Raises
    ------
    DataError
        For another ending, a name that is too long, a folder that is not there or cannot be
        written to, or one of the other files.

    Examples
    --------
    >>> require_picture("shares").name, require_picture("shares.PDF").name
    ('shares.png', 'shares.PDF')
    """
    picture = _named(path)
    if not picture.suffix:
        picture = picture.with_name(f"{picture.name}.png")
    kinds = (*_PICTURES, *more)
    if picture.suffix.lower() not in kinds:
        allowed = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
        raise DataError(f"{picture}: a picture is {allowed}, not {picture.suffix!r}")
    return _free(picture, others)


def require_map(path: str | os.PathLike[str], *others: object) -> Path:
    """Return the path of a map as `require_picture` does; it may also end in .html."""
    return require_picture(path, *others, more=(".html",))


def _named(path: str | os.PathLike[str]) -> Path:
    named = Path(path)
    if len(os.fsencode(named.name)) > _MAX_BYTES_OF_A_NAME:
        raise DataError(f"{shortened(str(named))}: the name is too long for a file")
    return named


def _free(path: Path, others: Iterable[object]) -> Path:
    if not path.parent.is_dir():
        raise DataError(f"{path}: there is no folder {path.parent}")
    if path.is_dir():
        raise DataError(f"{path}: a folder is there, not a file")
    if not os.access(path.parent, os.W_OK):
        raise DataError(f"{path}: the folder {path.parent} is not writable")
    for other in others:
        if isinstance(other, str | os.PathLike) and _same(path, Path(other)):
            raise DataError(
                f"{path}: that is the file {os.fspath(other)}, which would be lost; give another "
                "name"
            )
    return path


def _same(path: Path, other: Path) -> bool:
    if os.path.realpath(path) == os.path.realpath(other):
        return True
    try:
        return path.samefile(other)
    except OSError:
        return False


def write_lists(path: Path, neighbors: Neighbors) -> None:
    """Write lists of neighbours, block by block: a line per pair, or a copy of their .h5ad file.

    The copy has distances and connectivities as ``obsp``, with ``uns["neighbors"]``, for scanpy.
    """
    from geoforest_cli.tables.annotated import write_neighbors

    if path.suffix.lower() == ".h5ad" and neighbors.source is not None:
        write_neighbors(neighbors.source, path, neighbors.distances, neighbors.indices)
        return
    starts = range(0, len(neighbors.indices), _BLOCK)
    blocks = (neighbors.frame(start, start + _BLOCK) for start in starts)
    write_table(path, blocks, ("distance", "proximity"))


def write_table(path: Path, blocks: Iterable[pd.DataFrame], rounded: Sequence[str] = ()) -> None:
    """Write the blocks of one table, as what the path's ending says.

    Parameters
    ----------
    path : path
        Parquet, CSV or TSV. What was there stays until the whole table is written.
    blocks : iterable of DataFrame
        Of the same columns; only one at a time is held.
    rounded : sequence of str
        Columns that have seven digits in a text, which is more than anything computed from
        measurements means; Parquet has all of them.

    Warns
    -----
    UserWarning
        When a text or a column name of a CSV or TSV file begins like a formula: a ' is put before
        it.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> halves = (pd.DataFrame({"row": [2 * i, 2 * i + 1]}) for i in range(2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(Path(folder, "rows.csv"), halves)
    ...     pd.read_csv(f"{folder}/rows.csv")["row"].tolist()
    [0, 1, 2, 3]
    """
    with replacing(path) as part:
        if path.suffix.lower() == ".parquet":
            _write_parquet(part, blocks)
        else:
            _write_text(part, blocks, path, rounded)


def _write_text(
    part: Path, blocks: Iterable[pd.DataFrame], output: Path, rounded: Sequence[str]
) -> None:
    import pandas as pd

    from geoforest_cli.tables.arrays import with_columns

    separator = _SEPARATORS[output.suffix.lower()]
    quoted: dict[str, str] = {}
    with part.open("w", encoding="utf-8", newline="") as file:
        for number, block in enumerate(blocks):
            guarded = with_columns(
                block, {name: _without_formulas(block[name], quoted) for name in block.columns}
            )
            short = {
                name: [float(f"{x:.7g}") for x in guarded[name]]
                for name in rounded
                if name in guarded
            }
            written = with_columns(guarded, short)
            written.columns = _without_formulas(pd.Series(written.columns, dtype=object), quoted)
            written.to_csv(file, sep=separator, index=False, header=number == 0)
    if quoted:
        shown = shortened(repr(next(iter(quoted))))
        warnings.warn(
            f"{output}: texts such as {shown} have a ' before them, so that no "
            "spreadsheet takes them for a formula (a .parquet file has them as they are)",
            stacklevel=4,
        )


def _without_formulas(column: pd.Series[Any], quoted: dict[str, str]) -> pd.Series[Any]:
    """Return a column whose texts no spreadsheet runs; `quoted` collects those that change."""
    from pandas.api.types import is_numeric_dtype

    if is_numeric_dtype(column.dtype):
        return column
    formulas = {
        text: f"'{text}" for text in column.unique() if isinstance(text, str) and _is_formula(text)
    }
    quoted.update(formulas)
    return column.map(lambda value: formulas.get(value, value)) if formulas else column


def _is_formula(text: str) -> bool:
    """Return whether a spreadsheet may take a text for a formula, or may once it has cleaned it.

    White space and what is not seen (control characters, a byte order mark) may be skipped, and a
    full-width sign may be taken for the plain one.
    """
    if _is_number(text):
        return False
    first = next((letter for letter in text if letter.isprintable() and not letter.isspace()), "")
    begins = unicodedata.normalize("NFKC", first)[:1]
    return text[:1] in _LEADING or begins in _SIGNS


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _write_parquet(part: Path, blocks: Iterable[pd.DataFrame]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rest = iter(blocks)
    first = pa.Table.from_pandas(next(rest), preserve_index=False)
    with pq.ParquetWriter(part, first.schema) as file:
        file.write_table(first)
        for block in rest:
            file.write_table(pa.Table.from_pandas(block, first.schema, preserve_index=False))
