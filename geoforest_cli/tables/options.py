"""The options that the methods on a user's table share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, TypeVar, cast, get_args, get_type_hints

import numpy as np

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.choices import require_level
from geoforest_cli.tables.cleaning import CleanOptions, clean_table
from geoforest_cli.tables.dialect import ReadingOptions
from geoforest_cli.tables.groups import EACH, Group, GroupChoice
from geoforest_cli.tables.messages import OnNote, as_argument, format_row, strictly, warn
from geoforest_cli.tables.parameters import require_seed
from geoforest_cli.tables.reading import TableLike, open_table
from geoforest_cli.tables.scaling import Scale
from geoforest_cli.tables.screens import LEVEL, NeighborScreen, ScreenMethod, ScreenOptions
from geoforest_cli.tables.shapes import Shape
from geoforest_cli.tables.table import UserTable

__all__ = [
    "AnalysisOptions",
    "ClassificationOptions",
    "ColumnOptions",
    "Missing",
    "NeighborOptions",
    "read_table",
    "takes_options",
]

F = TypeVar("F", bound=Callable[..., Any])
Missing = Literal["refuse", "impute", "drop"]
_READING = ReadingOptions()


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions(ReadingOptions):
    """Options that all methods on a user's table share.

    Attributes
    ----------
    columns, exclude, level, seed, n_jobs, on_note, strict
        As in `find_neighbors`.

    Raises
    ------
    UserError
        For a seed that no generator takes, a level that is no probability, no thread, or an unknown
        scale or way with missing values.
    """

    columns: Sequence[str] = ()
    exclude: Sequence[str] = ()
    level: float | None = None
    seed: int = 0
    n_jobs: int | None = None
    on_note: OnNote = warn
    strict: bool = False

    def __post_init__(self) -> None:
        if self.strict:
            object.__setattr__(self, "on_note", strictly(self.on_note))
        for name in ("columns", "exclude"):
            object.__setattr__(self, name, _names(getattr(self, name)))
        for name in ("label", "identifier", "together"):
            if getattr(self, name, None) is not None:
                object.__setattr__(self, name, str(getattr(self, name)))
        for name, allowed in get_type_hints(type(self)).items():
            value = getattr(self, name)
            if name in {"scale", "missing"} and value not in (values := get_args(allowed)):
                raise UserError(f"{as_argument(name)}: {unknown('value', str(value), values)}")
        require_seed(self.seed)
        if self.level is not None:
            require_level(self.level)
        if self.n_jobs is not None and (not isinstance(self.n_jobs, Integral) or not self.n_jobs):
            argument = as_argument("n_jobs", self.n_jobs)
            raise UserError(f"{argument}: there is at least 1 thread; -1 is all cores")

    @property
    def screen_level(self) -> float:
        """The level of a table's screen."""
        return LEVEL if self.level is None else self.level


@dataclass(frozen=True, kw_only=True)
class ColumnOptions(AnalysisOptions):
    """Options of `find_columns`; `label` and `identifier` are as in `find_neighbors`."""

    label: str | None = None
    identifier: str | None = None

    def clean_options(self, **more: Any) -> CleanOptions:
        """Return which columns and rows are used, with `more`: the label is no feature."""
        labels = () if self.label is None else (self.label,)
        exclude = (*self.exclude, *labels)
        return CleanOptions(self.columns, self.identifier, exclude, **more)


@dataclass(frozen=True, kw_only=True)
class NeighborOptions(ColumnOptions):
    """Options of `find_neighbors` and `compare_neighbors`, described there."""

    shape: Shape | None = None
    scale: Scale = "auto"
    missing: Missing = "refuse"
    screen: NeighborScreen | None = "auto"
    group: Group | None = None

    def group_choice(self) -> GroupChoice | None:
        """Return which group of columns is used, None for all that the screen keeps.

        Raises
        ------
        UserError
            As `GroupChoice.of`.
        """
        if self.group is None:
            return None
        return GroupChoice.of(
            self.group, self.screen or "none", self.shape,
            level=self.screen_level, seed=self.seed, n_jobs=self.n_jobs,
        )  # fmt: skip

    def column_screen(self, *, images: bool) -> ScreenOptions | None:
        """Return how columns are screened before neighbours are looked for, None for not at all.

        Parameters
        ----------
        images : bool
            Whether the rows are images or series, of which "auto" drops no column.

        Raises
        ------
        UserError
            For an unknown screen, or as `ScreenOptions`.

        Examples
        --------
        >>> NeighborOptions().column_screen(images=False).which
        'auto'
        >>> NeighborOptions(screen="none").column_screen(images=False) is None
        True
        """
        if self.screen is None or self.screen == "none":
            return None
        if self.screen not in (values := get_args(NeighborScreen)):
            raise UserError(f"{as_argument('screen')}: {unknown('screen', self.screen, values)}")
        auto = self.screen == "auto"
        screening = ScreenOptions(
            self.screen, self.screen_level, seed=self.seed, n_jobs=self.n_jobs, cautious=auto
        )
        return None if auto and images else screening


@dataclass(frozen=True, kw_only=True)
class ClassificationOptions(AnalysisOptions):
    """Options of `cross_validate`, described there."""

    scale: Scale = "auto"
    missing: Literal["auto", "refuse", "best", "drop"] = "auto"
    identifier: str | None = None
    screen: ScreenMethod | None = None
    group: Group | None = None
    together: str | None = None
    blocks: bool = False

    def group_choice(self, shape: Shape | None) -> GroupChoice | None:
        """Return which group of columns is used, None for all.

        Raises
        ------
        UserError
            For each group, of which there may be several, or as `GroupChoice.of`.
        """
        if self.group is None:
            return None
        if self.group == EACH:
            argument = as_argument("group", EACH)
            raise UserError(
                f"{argument}: a classifier takes one group, a column or a number names it"
            )
        return GroupChoice.of(
            self.group, self.screen, shape,
            level=self.screen_level, seed=self.seed, n_jobs=self.n_jobs,
        )  # fmt: skip


def _names(value: Any) -> tuple[str, ...]:
    """Return names of columns, which numbers have too; one alone may come without a list."""
    if value is None:
        return ()
    return (str(value),) if isinstance(value, str | Integral) else tuple(map(str, value))


def takes_options(options: type) -> Callable[[F], F]:
    """Show a dataclass' fields in the signature of a function that takes them as ``**options``.

    Editors complete them, and `help` lists them.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        fixed = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        names = {p.name for p in fixed}
        more = [p for p in inspect.signature(options).parameters.values() if p.name not in names]
        cast("Any", function).__signature__ = signature.replace(parameters=[*fixed, *more])
        return function

    return decorate


def read_table(
    table: TableLike,
    options: CleanOptions | None = None,
    reading: ReadingOptions = _READING,
    *,
    images: bool = False,
    filled: bool = False,
) -> UserTable:
    """Read a table and keep what can be compared: numbers that vary, and categories.

    A column of text with at most 20 different values, no more than half as many as there are
    rows, is a category: it becomes one column of zeros and ones for each value. Other text is
    left out with a note. Truth values are numbers, 0 and 1. A text column that is mostly numbers
    is a column of numbers; what is none in it counts as missing.
    Numbers that are all kept as text, as a DataFrame or a workbook may have them, are text.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        A file is CSV, TSV (both gzipped too), Parquet, NPY or a workbook (.xlsx, .xlsm).
        The columns of an array are numbered from 0.
    options : CleanOptions, optional
        Which columns and rows are used.
    reading : ReadingOptions
        How a file is read.
    images : bool
        Rows are images or series, whose columns may well have few values.
    filled : bool
        Missing values will be filled: a note tells of rows without any value.

    Raises
    ------
    DataError
        If the table cannot be read, is empty or cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"name": ["a", "b", "c"], "x": [0.5, 1.5, 4.0], "same": 1})
    >>> table = read_table(frame, CleanOptions(identifier="name"))
    >>> table.columns, table.notes
    (('x',), ('Left out, the same in every row: same.',))
    """
    options = options or CleanOptions()
    cleaned = clean_table(open_table(table, reading), options)
    if filled and (empty := np.isnan(cleaned.points).all(axis=1)).any():
        count, first = int(empty.sum()), format_row(int(cleaned.rows[np.argmax(empty)]))
        sentence = f"{count} rows have no value in any column, the first is {first}"
        alone = f"{first} has no value in any column"
        note = f"{sentence if count > 1 else alone}: filled, they are alike; leave such rows out."
        cleaned = replace(cleaned, notes=(*cleaned.notes, note))
    return cleaned.with_feature_notes(
        named=options.identifier is None, classes=not images, looked_at=not options.columns
    )
