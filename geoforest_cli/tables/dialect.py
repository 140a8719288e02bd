"""The dialect of a text file: separator, decimal mark and encoding, asked for or detected."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.messages import as_argument

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "PACKED",
    "Dialect",
    "ReadingOptions",
    "decimal_mark",
    "detect_dialect",
    "open_bytes",
]

PACKED = (".gz", ".zst")

_HEAD = 1 << 16  # bytes that are looked at
_LINES = 50
_SEPARATORS = ",;\t|"
_DECLARED = re.compile(r"\ufeff?sep=([^\"\r\n])\r?\n", re.IGNORECASE)
_BY_NAME = {"\\t": "\t", "tab": "\t"}
_OTHER_ENCODING = "cp1252"  # what western spreadsheets write where it is not UTF-8
_MILLIONS = r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3}){2,}(?:\.\d*)?|,\d{3}\.\d+)"


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """Options of reading a file, where it does not say itself how.

    Attributes
    ----------
    sep : str, optional
        Between the values of a row of a text: one character; detected by default.
    decimal : str, optional
        The decimal mark of a text, "." or ","; detected by default.
    encoding : str, optional
        Of a text, such as "latin-1"; by default UTF-8, or what Windows writes in the west.
    sheet : str, optional
        Of a workbook; by default the first one.
    matrix : str, optional
        Of an annotated matrix (.h5ad): "X", which is the default, "layers/NAME" or "obsm/NAME".
    not_missing : str, optional
        A word of a text, such as "NA", that is a value there and not a missing one.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    matrix: str | None = None
    not_missing: str | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return the options of a call.

        Raises
        ------
        UserError
            For a name that is none of them.

        Examples
        --------
        >>> ReadingOptions.of({"sep": ";"}).sep
        ';'
        >>> ReadingOptions.of({"seperator": ";"})
        Traceback (most recent call last):
        geoforest_cli.core.errors.UserError: unknown option 'seperator' (known: sep, decimal, \
encoding, sheet, matrix, not_missing)
        """
        names = [field.name for field in fields(cls)]
        for name in options:
            if name not in names:
                raise UserError(unknown("option", name, names))
        return cls(**options)


class Dialect(NamedTuple):
    """Separator and encoding of a text, and whether its first line only names the separator."""

    sep: str
    encoding: str
    skipped: int


def detect_dialect(path: Path, default: str, reading: ReadingOptions) -> Dialect:
    """Return how a text is read: what the user says, else what its first lines show.

    Parameters
    ----------
    path : Path
        Packed if it ends in .gz or .zst.
    default : str
        The separator that the file's ending stands for: another one counts only where this one
        does not make rows of equal lengths.
    reading : ReadingOptions

    Raises
    ------
    UserError
        For a separator, a decimal mark or an encoding that is none.
    """
    sep = None if reading.sep is None else _BY_NAME.get(reading.sep, reading.sep)
    _require_valid(sep, reading.decimal, reading.encoding)
    encoding = reading.encoding or _encoding(path)
    with open_bytes(path) as file:
        head = bytes(file.read(_HEAD))
    # the last line may be cut
    head = head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1]
    text = head.decode(encoding, errors="replace")
    declared = _DECLARED.match(text)
    if sep is None:
        sep = declared[1] if declared else _separator(text, default)
    return Dialect(sep, encoding, 1 if declared else 0)


def _require_valid(sep: str | None, decimal: str | None, encoding: str | None) -> None:
    if sep is not None and (len(sep) != 1 or sep in '"\r\n'):
        argument = as_argument("sep", sep)
        raise UserError(f"{argument}: values are separated by one character, such as ; or tab")
    argument = as_argument("decimal", decimal)
    if decimal not in {None, ".", ","}:
        raise UserError(f"{argument}: a decimal mark is . or ,")
    if sep is not None and sep == decimal:
        raise UserError(f"{argument}: {as_argument('sep', sep)} separates values")
    try:
        codecs.lookup(encoding or "utf-8")
    except LookupError:
        argument = as_argument("encoding", encoding)
        raise UserError(f"{argument}: unknown; utf-8, cp1252 and utf-16 are some") from None


def decimal_mark(
    texts: Sequence[pa.ChunkedArray], numbers: Sequence[pa.ChunkedArray], sep: str
) -> str:
    """Return the decimal mark of the numbers in a file, as far as it shows.

    Parameters
    ----------
    texts, numbers : sequences of pyarrow.ChunkedArray
        Columns that are no numbers, and those that are, with decimal points.
    sep : str
        Between the values: where it is no semicolon, 1,234 alone is a thousand and more; so it is
        everywhere beside 892 or 1,234,567.

    Examples
    --------
    >>> import pyarrow as pa
    >>> decimal_mark([pa.chunked_array([["1,5", "2"]]), pa.chunked_array([["a", "b,c"]])], [], ";")
    ','
    >>> decimal_mark([pa.chunked_array([["1,5", "2"]])], [pa.chunked_array([["0.5", "1.0"]])], ";")
    '.'
    >>> pounds = [pa.chunked_array([["1,500", "2,250"]])]
    >>> decimal_mark(pounds, [], ";"), decimal_mark(pounds, [], ",")
    (',', '.')
    >>> decimal_mark([pa.chunked_array([["1,500", "2,250", "892"]])], [], ";")
    '.'
    """
    votes = [_vote(words, ",") for words in texts]
    if not any(votes) or any(_count(words, _MILLIONS) for words in texts):
        return "."
    points = [_vote(words, r"\.") for words in (*texts, *numbers)].count("surely")
    if sep == ";" and not points:
        return ","
    return "," if votes.count("surely") > points else "."


def _vote(words: pa.ChunkedArray, mark: str) -> str:
    """Return whether a column mostly has numbers with a decimal mark: "surely", "perhaps" or ""."""
    numbers = _count(words, rf"[+-]?\d*{mark}\d+(?:[eE][+-]?\d+)?")
    whole = _count(words, r"[+-]?\d+")
    if not numbers or 2 * (numbers + whole) <= len(words) - _count(words, ""):
        return ""
    if numbers > _count(words, rf"[+-]?[1-9]\d{{0,2}}{mark}\d{{3}}"):
        return "surely"
    return "perhaps" if not whole or _count(words, r"[+-]?\d{4,}") else ""


def _count(words: pa.ChunkedArray, pattern: str) -> int:
    import pyarrow.compute as pc

    matches = pc.match_substring_regex(words, rf"^\s*(?:{pattern})\s*$")
    return int(pc.sum(matches).as_py() or 0)


def _encoding(path: Path) -> str:
    with open_bytes(path) as file:
        decoder = codecs.getincrementaldecoder("utf-8")()
        if (piece := file.read(_HEAD)).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        while piece:
            try:
                decoder.decode(piece)
            except UnicodeDecodeError:
                return _OTHER_ENCODING
            piece = file.read(_HEAD)
    return "utf-8"


def open_bytes(path: Path) -> Any:
    """Open a text as bytes, unpacked if it is packed."""
    import pyarrow as pa

    packing = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix.lower())
    return pa.input_stream(str(path), compression=packing)


def _separator(text: str, default: str) -> str:
    candidates: list[str] = [default, *_SEPARATORS]
    lengths = [_row_length(text, sep) for sep in candidates]
    if lengths[0] > 1 or max(lengths) <= 1:
        return default
    return candidates[lengths.index(max(lengths))]


def _row_length(text: str, sep: str) -> int:
    """Return the length of all rows of a text; 0 if they differ or there are fewer than two."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=sep)
    try:
        lengths = [len(row) for row in itertools.islice(filter(None, rows), _LINES)]
    except csv.Error:
        return 0
    return lengths[0] if len(lengths) > 1 and len(set(lengths)) == 1 else 0
