"""How a text file writes its table: separator, decimal mark and encoding, asked for or found."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict

import pandas as pd

from geoforest_cli.errors import UserError
from geoforest_cli.own_data.wording import spell

__all__ = ["Dialect", "Reading", "comma_numbers", "dialect_of"]

_HEAD = 1 << 16  # bytes that are looked at
_LINES = 50
_SEPARATORS = ",;\t|"
_BY_NAME = {"\\t": "\t", "tab": "\t"}
_ELSEWHERE = "cp1252"  # what western spreadsheets write where it is not UTF-8
_WHOLE, _COMMA = r"[+-]?\d+", r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?"
_THOUSANDS = r"[+-]?[1-9]\d{0,2},\d{3}"


class Reading(TypedDict, total=False):
    """How a file is to be read, where it does not say so itself.

    Attributes
    ----------
    sep : str, optional
        Between the values of a row of a text: one character; found by default.
    decimal : str, optional
        The decimal mark of a text, "." or ","; found by default.
    encoding : str, optional
        Of a text, such as "latin-1"; by default UTF-8, or what Windows writes in the west.
    sheet : str, optional
        Of a workbook; by default the first one.
    """

    sep: str | None
    decimal: str | None
    encoding: str | None
    sheet: str | None


class Dialect(NamedTuple):
    """What a text is read with; `found` are the arguments that the file itself has shown."""

    sep: str
    decimal: str
    encoding: str
    found: tuple[tuple[str, str], ...] = ()

    def other(self, argument: Literal["sep", "decimal", "encoding"], value: str) -> Dialect:
        """Return the dialect with one more argument that has been found."""
        changed: dict[str, Any] = {argument: value}
        return self._replace(**changed, found=(*self.found, (argument, value)))

    def note(self) -> tuple[str, ...]:
        """Return what was found, in a sentence, in the words that ask for it."""
        told = " ".join(spell(argument, value) for argument, value in self.found)
        return (f"Read as the file shows ({told}).",) if told else ()


def dialect_of(path: Path, default: str, how: Reading) -> Dialect:
    """Return how a text is read: what the user says, else what its first lines show.

    Parameters
    ----------
    path : Path
        Gzipped if it ends in .gz.
    default : str
        The separator that the file's ending stands for: another one counts only where this one
        does not make rows of equal lengths.
    how : Reading

    Raises
    ------
    UserError
        For a separator, a decimal mark or an encoding that is none.
    """
    sep, decimal, encoding = how.get("sep"), how.get("decimal"), how.get("encoding")
    sep = None if sep is None else _BY_NAME.get(sep, sep)
    if sep is not None and (len(sep) != 1 or sep in '"\r\n'):
        raise UserError(
            f"{spell('sep', sep)}: values are separated by one character, such as ; or tab"
        )
    if decimal not in {None, ".", ","}:
        raise UserError(f"{spell('decimal', decimal)}: a decimal mark is . or ,")
    if sep is not None and sep == decimal:
        raise UserError(f"{spell('decimal', decimal)}: {spell('sep', sep)} separates values")
    chosen = Dialect(sep or default, decimal or ".", encoding or "utf-8")
    if encoding is not None:
        try:
            codecs.lookup(encoding)
        except LookupError:
            place = spell("encoding", encoding)
            raise UserError(f"{place}: unknown; utf-8, cp1252 and utf-16 are some") from None
    else:
        found = _encoding(path)
        chosen = chosen if found == chosen.encoding else chosen.other("encoding", found)
    if sep is None:
        text = _head(path).decode(chosen.encoding, errors="replace")
        shown = _separator(text, default)
        chosen = chosen if shown == default else chosen.other("sep", shown)
    return chosen


def comma_numbers(frame: pd.DataFrame, sep: str) -> bool:
    """Return whether the numbers of a frame have decimal commas, as far as it shows.

    Parameters
    ----------
    frame : pandas.DataFrame
        Read with decimal points.
    sep : str
        Between the values: where it is a comma, 1,234 may be a thousand and more.

    Examples
    --------
    >>> comma_numbers(pd.DataFrame({"x": ["1,5", "2"], "word": ["a", "b,c"]}), ";")
    True
    >>> comma_numbers(pd.DataFrame({"x": ["1,5", "2"], "y": [0.5, 1.0]}), ";")
    False
    >>> pounds = pd.DataFrame({"x": ["1,500", "2,250"]})
    >>> comma_numbers(pounds, ";"), comma_numbers(pounds, ",")
    (True, False)
    """
    kinds = dict(frame.dtypes.items())
    for name, kind in kinds.items():
        if pd.api.types.is_float_dtype(kind) and (frame[name].dropna() % 1 != 0).any():
            return False
    surely = perhaps = False
    for name, kind in kinds.items():
        if not (pd.api.types.is_object_dtype(kind) or pd.api.types.is_string_dtype(kind)):
            continue
        words = frame[name].dropna().astype(str).str.strip()
        commas = words.str.fullmatch(_COMMA)
        numbers = commas | words.str.fullmatch(_WHOLE)
        if commas.any() and 2 * int(numbers.sum()) > len(words):
            perhaps = True
            surely = surely or not words[commas].str.fullmatch(_THOUSANDS).all()
    return surely or (perhaps and sep != ",")


def _encoding(path: Path) -> str:
    head = _head(path)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _opened(path) as file:
        while piece := file.read(_HEAD):
            try:
                decoder.decode(piece)
            except UnicodeDecodeError:
                return _ELSEWHERE
            if path.suffix.lower() == ".gz":
                break  # how much there is of it does not show
    return "utf-8"


def _head(path: Path) -> bytes:
    with _opened(path) as file:
        head = bytes(file.read(_HEAD))
    # the last line may be cut
    return head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1]


def _opened(path: Path) -> Any:
    return gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")


def _separator(text: str, default: str) -> str:
    sizes = {one: _size(text, one) for one in {default, *_SEPARATORS}}
    if sizes[default] > 1:
        return default
    best = max(_SEPARATORS, key=lambda one: sizes[one])
    return best if sizes[best] > 1 else default


def _size(text: str, sep: str) -> int:
    """Return the length of all rows of a text; 0 if they differ or there are fewer than two."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=sep)
    try:
        lengths = [len(row) for row in itertools.islice(filter(None, rows), _LINES)]
    except csv.Error:
        return 0
    return lengths[0] if len(lengths) > 1 and len(set(lengths)) == 1 else 0
