"""Linear combinations of the columns of a user's table that carry structure."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.copies import copies_note
from geoforest_cli.tables.messages import as_argument, format_names
from geoforest_cli.tables.options import ColumnOptions, read_table, takes_options
from geoforest_cli.tables.reading import TableLike, open_table
from geoforest_cli.tables.screens import ScreenOptions
from geoforest_cli.tables.table import UserTable

__all__ = ["Directions", "find_directions"]

Floats = npt.NDArray[np.float64]
Better = Literal["columns", "directions"]
_Missing = Literal["refuse", "drop"]

_NAMED = 3  # columns that a line names
_MIN_CORRELATION = 0.9  # multiple one, from which a family has a column of its own
_HARDLY = 0.1  # of the squared correlations
_MIXED = 0.5  # of the columns depend on one another: below, the table has columns of its own


@dataclass(frozen=True, eq=False, kw_only=True)
class Directions:
    """The directions of a table, and its rows projected to them.

    Attributes
    ----------
    names : (k,) tuple of str
        family1_1, family1_2, family2_1, ...
    families : (k,) int64
        Numbers from 1, in the order in which they were found.
    scores, pvalues : (k,) float64
        Of the family: its contrast z, and how often the search finds as strong a direction in
        normal noise.
    weights : (k, p) float64
        The projection is the centred table times its transpose.
    correlations : (k, p) float64
        Of each direction with each column.
    columns : (p,) tuple of str
    projected : (n, k) float64
    ids : pandas.Series
        The identifier column, or row numbers from 0.
    identifier : str
        What `rows` calls it.
    rank : int
        Of the table: columns that are no combination of others.
    level : float
    by_pairs : tuple of bool
        Which columns depend on some other one, pair by pair.
    notes : tuple of str

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(0, 6, 500)
    >>> clean = np.c_[np.cos(t), np.sin(t), rng.normal(size=(500, 8))]
    >>> found = find_directions(clean @ rng.normal(size=(10, 10)))
    >>> found.names, found.better
    (('family1_1', 'family1_2'), 'directions')
    >>> print(found.summary())
    2 directions in 1 family (level 0.01, 500 rows, rank 10).
    """

    names: tuple[str, ...]
    families: npt.NDArray[np.int64] = field(repr=False)
    scores: Floats = field(repr=False)
    pvalues: Floats = field(repr=False)
    weights: Floats = field(repr=False)
    correlations: Floats = field(repr=False)
    columns: tuple[str, ...] = field(repr=False)
    projected: Floats = field(repr=False)
    ids: pd.Series[Any] = field(repr=False)
    identifier: str
    rank: int
    level: float
    by_pairs: tuple[bool, ...] = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)

    @property
    def better(self) -> Better:
        """Name of the screen that suits the table.

        Columns, if there is no direction. Directions, if at least half of the columns depend on
        another one by pairs, unless all directions are made of the other columns; or if the
        directions of no family make up a single column. Else columns.
        """
        if not self.names:
            return "columns"
        squares = self.correlations**2
        if self.kept_by_pairs >= _MIXED:
            follow_none = squares[:, self.by_pairs].sum() < _HARDLY * squares.sum()
            return "columns" if follow_none else "directions"
        of_families = [squares[self.families == k].sum(axis=0) for k in np.unique(self.families)]
        return "columns" if np.max(of_families) >= _MIN_CORRELATION**2 else "directions"

    @property
    def kept_by_pairs(self) -> float:
        """Share of the columns that depend on some other one, pair by pair."""
        return sum(self.by_pairs) / len(self.by_pairs)

    def frame(self) -> pd.DataFrame:
        """Return one line per direction: direction, family, z, p_value, columns.

        The columns are the three with the largest correlations, which stand in brackets.
        """
        columns = np.array([self._follow(row) for row in self.correlations], object)
        return pd.DataFrame({
            "direction": np.array(self.names, object), "family": self.families,
            "z": self.scores, "p_value": self.pvalues, "columns": columns,
        })  # fmt: skip

    def _follow(self, correlations: Floats) -> str:
        nearest = np.argsort(-np.abs(correlations), kind="stable")[:_NAMED]
        return format_names([f"{self.columns[j]} ({correlations[j]:.2f})" for j in nearest])

    def summary(self) -> str:
        """Return how many directions there are, in a sentence."""
        which = f"level {self.level:g}, {len(self.ids)} rows, rank {self.rank}"
        k = len(self.names)
        if not k:
            return f"No direction with light tails or clusters was found ({which})."
        count = int(self.families.max())
        families = f"{count} famil{'ies' if count > 1 else 'y'}"
        return f"{k} direction{'s' if k > 1 else ''} in {families} ({which})."

    def advice(self) -> str:
        """Return which screen suits the table, in a sentence."""
        share = f"{sum(self.by_pairs)} of {len(self.by_pairs)} columns depend on others"
        better = "directions are"
        if self.better == "columns":
            better = f"{as_argument('find_columns')} is"
        return f"{share}, pair by pair: {better} the better choice here."

    def rows(self) -> pd.DataFrame:
        """Return the names of the rows, and their projections."""
        lines = pd.DataFrame(self.projected, columns=list(self.names))
        lines.insert(0, self.identifier, self.ids.to_numpy())
        return lines


@takes_options(ColumnOptions)
def find_directions(
    table: TableLike,
    *,
    standardise: bool = False,
    missing: _Missing = "refuse",
    **options: Any,
) -> Directions:
    """Find the linear combinations of columns that carry structure, and project the rows to them.

    For tables whose columns are mixed: sensors that each pick up a share of several sources, or a
    space that was rotated. What is normal noise to every combination is dropped.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        A file is CSV, TSV, Parquet, NPY or a workbook.
    standardise : bool
        Measure distances among the directions in standardised columns: for different units.
    missing : {"refuse", "drop"}
        Missing values are an error, or their rows are left out.
    level : float
        The chance that a table of nothing but normal noise has any direction.
    columns, exclude, label, identifier, seed, n_jobs, on_note, strict
        As in `find_neighbors`, and so is what says how a file is read. Categories are left out.

    Returns
    -------
    Directions

    Raises
    ------
    UserError
        For a level or an option that is wrong.
    DataError
        For a table that cannot be read, has a missing value, or too few rows.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> print(find_directions(rng.normal(size=(400, 12))).summary())
    No direction with light tails or clusters was found (level 0.01, 400 rows, rank 12).
    """
    given = ColumnOptions.of(options)
    if missing not in (allowed := get_args(_Missing)):
        raise UserError(f"{as_argument('missing')}: {unknown('value', str(missing), allowed)}")
    data = _read_numbers(table, given, missing)
    copies = copies_note(data.points, "p-values")
    data = replace(data, notes=tuple(filter(None, (*data.notes, copies))))
    for note in data.notes:
        given.on_note(note)
    _require_rows(data)
    result = _search(data, given, standardise=standardise)
    for note in result.notes[len(data.notes) :]:
        given.on_note(note)
    return result


def _search(data: UserTable, given: ColumnOptions, *, standardise: bool) -> Directions:
    from geoforest_cli.estimators.directions import DirectionScreen
    from geoforest_cli.estimators.screening.row_order import DependentRowsWarning

    screen = DirectionScreen(
        level=given.screen_level, standardise=standardise, random_state=given.seed
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", DependentRowsWarning)  # a note says it
        screen.fit(data.points)
    notes = [f"Note: {warning.message}." for warning in caught]
    if len(screen.dependent_):
        names = format_names([data.columns[number] for number in screen.dependent_])
        notes.append(f"Adds nothing, other columns determine it: {names}.")
    values = data.points.astype(np.float64)
    projected = np.empty((len(values), 0))
    if len(screen.components_):
        projected = screen.transform(values)
    return Directions(
        names=tuple(screen.get_feature_names_out()),
        families=screen.families_,
        scores=screen.scores_,
        pvalues=screen.p_values_,
        weights=screen.components_,
        correlations=_correlations(projected, values),
        columns=data.columns,
        projected=projected,
        ids=data.ids,
        identifier="id" if given.identifier is None else given.identifier,
        rank=screen.rank_,
        level=given.screen_level,
        by_pairs=_kept_by_pairs(data, given),
        notes=(*data.notes, *notes),
    )


def _read_numbers(table: TableLike, given: ColumnOptions, missing: _Missing) -> UserTable:
    """Read the columns of numbers; categories are left out with a note."""
    table = open_table(table, given)
    cleaning = given.clean_options(missing=missing, remedies=("drop",))
    # what a category misses is of no matter
    data = read_table(table, replace(cleaning, missing="keep"), given)
    pairs = zip(data.columns, data.sources, strict=True)
    categories = list(dict.fromkeys(source for column, source in pairs if column != source))
    if not categories:
        return read_table(table, cleaning, given) if np.isnan(data.points).any() else data
    columns = [name for name in given.columns if name not in categories]
    if set(data.sources) == set(categories):
        raise DataError(f"{data.name}: all columns are categories, and directions need numbers")
    without = replace(cleaning, columns=columns, exclude=(*cleaning.exclude, *categories))
    data = read_table(table, without, given)
    note = f"Left out, categories have no directions: {format_names(categories)}."
    return replace(data, notes=(*data.notes, note))


def _require_rows(data: UserTable) -> None:
    from geoforest_cli.estimators.directions.screen import TOO_FEW_ROWS

    n, p = data.points.shape
    if p < 2:
        raise DataError(f"{data.name}: {data.columns[0]!r} is the only column of numbers")
    if n < TOO_FEW_ROWS * p:
        raise DataError(
            f"{data.name}: {n} rows of {p} columns, but directions need at least "
            f"{TOO_FEW_ROWS * p} rows, and are found reliably from about {10 * p} on; use fewer "
            f"columns ({as_argument('columns')})"
        )


def _correlations(projected: Floats, values: Floats) -> Floats:
    from geoforest_cli.estimators.directions.whitening import standardised

    return np.asarray(standardised(projected)[0].T @ standardised(values)[0] / len(values))


def _kept_by_pairs(data: UserTable, given: ColumnOptions) -> tuple[bool, ...]:
    pairs = ScreenOptions("pairs", given.screen_level, seed=given.seed, n_jobs=given.n_jobs)
    return tuple(pairs.fit(data.points, data.sources, data.name).kept.tolist())
