"""The dialect of a text file: separator, decimal mark and encoding, asked for or detected."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.messages import Note, as_argument

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "PACKED",
    "Dialect",
    "ReadingOptions",
    "detect_dialect",
    "has_decimal_commas",
    "open_bytes",
]

PACKED = (".gz", ".zst")

_HEAD = 1 << 16  # bytes that are looked at
_LINES = 50
_SEPARATORS = ",;\t|"
_DECLARED = re.compile(r"\ufeff?sep=([^\"\r\n])\r?\n", re.IGNORECASE)
_BY_NAME = {"\\t": "\t", "tab": "\t"}
_OTHER_ENCODING = "cp1252"  # what western spreadsheets write where it is not UTF-8
_WHOLE, _COMMA = r"[+-]?\d+", r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?"
_THOUSANDS = r"[+-]?[1-9]\d{0,2},\d{3}"
_MILLIONS = r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3}){2,}(?:\.\d*)?|,\d{3}\.\d+)"
_THOUSAND = 1000


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How a file is to be read, where it does not say so itself.

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
        known = [field.name for field in fields(cls)]
        for name in options:
            if name not in known:
                raise UserError(unknown("option", name, known))
        return cls(**options)


class Dialect(NamedTuple):
    """Separator, decimal mark and encoding of a text; `detected` are those the file itself shows.

    `skipped` is 1 where a first line, as ``sep=;`` of spreadsheets, says what separates values;
    `not_missing` is a word that is a value.
    """

    sep: str
    decimal: str
    encoding: str
    detected: tuple[tuple[str, str], ...] = ()
    skipped: int = 0
    not_missing: str | None = None

    def with_detected(self, argument: Literal["sep", "decimal", "encoding"], value: str) -> Dialect:
        """Return the dialect with the value of an argument that the file shows."""
        if getattr(self, argument) == value:
            return self
        changed: dict[str, Any] = {argument: value}
        return self._replace(**changed, detected=(*self.detected, (argument, value)))

    def note(self) -> tuple[Note, ...]:
        """Return what was found, in a sentence, in the words that ask for it."""
        arguments = " ".join(as_argument(argument, value) for argument, value in self.detected)
        return (Note(f"Read as the file shows ({arguments}).", "dialect"),) if arguments else ()


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
    decimal, encoding = reading.decimal, reading.encoding
    sep = None if reading.sep is None else _BY_NAME.get(reading.sep, reading.sep)
    _require_valid(sep, decimal, encoding)
    dialect = Dialect(
        sep or default, decimal or ".", encoding or "utf-8", not_missing=reading.not_missing
    )
    if encoding is None:
        dialect = dialect.with_detected("encoding", _encoding(path))
    text = _head(path).decode(dialect.encoding, errors="replace")
    if declared := _DECLARED.match(text):
        dialect = dialect._replace(skipped=1)
    if sep is None:
        separator = declared[1] if declared else _separator(text, default)
        dialect = dialect.with_detected("sep", separator)
    return dialect


def _require_valid(sep: str | None, decimal: str | None, encoding: str | None) -> None:
    if sep is not None and (len(sep) != 1 or sep in '"\r\n'):
        place = as_argument("sep", sep)
        raise UserError(f"{place}: values are separated by one character, such as ; or tab")
    place = as_argument("decimal", decimal)
    if decimal not in {None, ".", ","}:
        raise UserError(f"{place}: a decimal mark is . or ,")
    if sep is not None and sep == decimal:
        raise UserError(f"{place}: {as_argument('sep', sep)} separates values")
    try:
        codecs.lookup(encoding or "utf-8")
    except LookupError:
        place = as_argument("encoding", encoding)
        raise UserError(f"{place}: unknown; utf-8, cp1252 and utf-16 are some") from None


def has_decimal_commas(frame: pd.DataFrame, sep: str) -> bool:
    """Return whether the numbers of a frame have decimal commas, as far as it shows.

    Parameters
    ----------
    frame : pandas.DataFrame
        Read with decimal points.
    sep : str
        Between the values: where it is no semicolon, 1,234 alone is a thousand and more; so it is
        everywhere beside 892 or 1,234,567.

    Examples
    --------
    >>> import pandas as pd
    >>> has_decimal_commas(pd.DataFrame({"x": ["1,5", "2"], "word": ["a", "b,c"]}), ";")
    True
    >>> has_decimal_commas(pd.DataFrame({"x": ["1,5", "2"], "y": [0.5, 1.0]}), ";")
    False
    >>> pounds = pd.DataFrame({"x": ["1,500", "2,250"]})
    >>> has_decimal_commas(pounds, ";"), has_decimal_commas(pounds, ",")
    (True, False)
    >>> has_decimal_commas(pd.DataFrame({"x": ["1,500", "2,250", "892"]}), ";")
    False
    """
    import pandas as pd

    surely, perhaps = 0, False
    for name, kind in frame.dtypes.items():
        if not (pd.api.types.is_object_dtype(kind) or pd.api.types.is_string_dtype(kind)):
            continue
        words = frame[name].dropna().astype(str).str.strip()
        if words.str.fullmatch(_MILLIONS).any():
            return False
        commas, whole = words.str.fullmatch(_COMMA), words.str.fullmatch(_WHOLE)
        if not commas.any() or 2 * int((commas | whole).sum()) <= len(words):
            continue
        if not words[commas].str.fullmatch(_THOUSANDS).all():
            surely += 1
        elif not whole.any() or (words[whole].astype(float).abs() >= _THOUSAND).any():
            perhaps = True
    if not surely and not (perhaps and sep == ";"):
        return False
    points = sum(
        _has_decimal_points(frame[name].dropna())
        for name, kind in frame.dtypes.items()
        if pd.api.types.is_float_dtype(kind)
    )
    return surely > points or (perhaps and not points and sep == ";")


def _has_decimal_points(values: pd.Series[float]) -> bool:
    """Whether numbers that were read with decimal points have any, and not points of thousands."""
    sizes = values[values % 1 != 0].abs()
    thousands = (sizes >= 1) & (sizes < _THOUSAND) & (sizes.round(3) == sizes)
    in_full = sizes.round(2) != sizes
    return not sizes.empty and not bool(thousands.all() and in_full.any())


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


def _head(path: Path) -> bytes:
    with open_bytes(path) as file:
        head = bytes(file.read(_HEAD))
    # the last line may be cut
    return head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1]


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
