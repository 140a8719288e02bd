"""Contents of a map of rows: places, names, and the classes or numbers that colour them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.tables.profiles import is_number, profile_column

__all__ = ["COLOR_MAP", "ONE_COLOR", "LegendEntry", "MapColors", "RowMap", "map_colors"]

# the first six are Okabe and Ito's; each of the others was chosen for its least distance to those
# before it, for normal sight and three kinds of colour blindness, on white and on a dark page
_PALETTE = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
    "#8800FF", "#BBDD88", "#773311", "#444455",
)  # fmt: skip
COLOR_MAP, ONE_COLOR = "viridis", _PALETTE[0]
_OTHERS, _MISSING = "#808080", "#B8B8B8"
_MOST_NUMBERS = 20  # different numbers of a label that may be classes
_CLIPPED = (1.0, 99.0)  # percent: a few extreme numbers must not take the whole scale


class LegendEntry(NamedTuple):
    """A line of the legend: a class, how many rows are of it, and its colour."""

    name: str
    rows: int
    color: str


@dataclass(frozen=True, eq=False)
class MapColors:
    """Colours of a map's rows, and their meaning.

    Attributes
    ----------
    name : str
        Of the column; empty where all rows have one colour.
    texts : list of str
        The value of each row, in words.
    entries : tuple of Entry
        The classes, at most 12 with "others" and "missing"; none for numbers.
    codes : (N,) int64
        Which entry each row belongs to.
    values : (N,) float64, optional
        The numbers, NaN where missing.
    limits : (float, float)
        The ends of the scale: 1 % of the numbers lie below it and 1 % above.
    """

    name: str = ""
    texts: list[str] = field(default_factory=list, repr=False)
    entries: tuple[LegendEntry, ...] = ()
    codes: npt.NDArray[np.int64] = field(default_factory=lambda: np.arange(0), repr=False)
    values: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    limits: tuple[float, float] = (0.0, 1.0)


class RowMap(NamedTuple):
    """All that a map shows: a row has a name and a place (N, 2); the caption says what it means."""

    title: str
    caption: str
    ids: pd.Series[Any]
    places: npt.NDArray[np.float64]
    colors: MapColors


def map_colors(column: pd.Series[Any], *, label: bool) -> MapColors:
    """Return the colours of a column: a scale for numbers, and a colour for each class.

    Parameters
    ----------
    column : pandas.Series
        With its name. Text that is mostly numbers is numbers; truth values are classes.
    label : bool
        The column holds classes, even where these are numbers, unless they are more than 20.

    Examples
    --------
    >>> colors = map_colors(pd.Series([3, 1, 3, None], name="cylinders"), label=True)
    >>> [(entry.name, entry.rows) for entry in colors.entries], colors.codes.tolist()
    ([('1', 1), ('3', 2), ('missing', 1)], [1, 0, 1, 2])
    >>> map_colors(pd.Series([1.0, 2.5, 4.0], name="size"), label=False).texts
    ['1', '2.5', '4']
    """
    name = escape_control_characters(str(column.name), one_line=True)
    column = column.reset_index(drop=True).rename("values")
    if not is_number(column):
        profile = profile_column(column, "values")
        column = profile.values if profile.kind == "number" else column
    numbers = is_number(column) and not pd.api.types.is_bool_dtype(column.dtype)
    if numbers and not (label and column.nunique() <= _MOST_NUMBERS):
        return _scale(name, column)
    return _classes(name, column, numbers=numbers)


def _scale(name: str, column: pd.Series[Any]) -> MapColors:
    values = column.to_numpy(np.float64, na_value=np.nan)
    texts = ["missing" if np.isnan(value) else f"{value:.6g}" for value in values]
    finite = values[np.isfinite(values)] if np.isfinite(values).any() else np.zeros(1)
    low, high = np.percentile(finite, _CLIPPED)
    if not low < high:
        low, high = finite.min(), finite.max()
    if not low < high:
        low, high = low - 0.5, high + 0.5
    values = np.where(np.isfinite(values), values, np.nan)
    return MapColors(name, texts, values=values, limits=(float(low), float(high)))


def _classes(name: str, column: pd.Series[Any], *, numbers: bool) -> MapColors:
    shown = (lambda value: f"{value:.15g}") if numbers else str
    words = column.astype(object).map(
        lambda value: escape_control_characters(shown(value), one_line=True), na_action="ignore"
    )
    counts = words.value_counts(sort=False).sort_index(key=_as_numbers if numbers else None)
    largest = counts.sort_values(ascending=False, kind="stable").index[: len(_PALETTE)]
    named = counts[counts.index.isin(largest)]
    entries = [
        LegendEntry(str(word), int(count), color)
        for (word, count), color in zip(named.items(), _PALETTE, strict=False)
    ]
    codes = named.index.get_indexer(pd.Index(words))
    if len(counts) > len(named):
        codes[(codes < 0) & words.notna()] = len(entries)
        rest = int(counts.sum() - named.sum())
        entries.append(LegendEntry(f"{len(counts) - len(named)} others", rest, _OTHERS))
    if words.isna().any():
        codes[words.isna()] = len(entries)
        entries.append(LegendEntry("missing", int(words.isna().sum()), _MISSING))
    texts = words.fillna("missing").tolist()
    return MapColors(name, texts, tuple(entries), codes)


def _as_numbers(names: pd.Index[Any]) -> pd.Index[Any]:
    return names.astype(np.float64)
