"""The column screen of a user's table: its options, its result, and a sentence about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field, replace

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.choices import (
    ADJUST,
    LEVEL,
    SCREEN,
    Adjust,
    NeighborScreen,
    ScreenMethod,
    require_level,
    require_screen,
)
from geoforest_cli.tables.messages import as_argument, format_names, max_names
from geoforest_cli.tables.profiles import one_per_source
from geoforest_cli.tables.table import Points

__all__ = [
    "ADJUST",
    "LEVEL",
    "SCREEN",
    "Adjust",
    "NeighborScreen",
    "ScreenMethod",
    "ScreenOptions",
    "ScreenResult",
    "unpaired_note",
]

Bools = npt.NDArray[np.bool_]

_ERRORS: dict[Adjust, str] = {"fdr": "false discovery rate", "fwer": "family-wise error"}


@dataclass(frozen=True, eq=False)
class ScreenResult:
    """A fitted screen, one entry per column of the user's table.

    Attributes
    ----------
    names : tuple of str
    kept : (q,) bool
    scores, pvalues, adjusted : (q,) float64
    partners : (q,) int64
        Number of the best partner; -1 where none is known.
    note : str
        Why all columns are kept, whatever the test says; else empty.
    groups : (q,) int64
        Kept columns that depend on each other, directly or through others, have one number, from 1,
        the largest group first; -1 for dropped ones. Empty where nobody asked for groups.
    """

    names: tuple[str, ...] = field(repr=False)
    kept: Bools = field(repr=False)
    scores: npt.NDArray[np.float64] = field(repr=False)
    pvalues: npt.NDArray[np.float64] = field(repr=False)
    adjusted: npt.NDArray[np.float64] = field(repr=False)
    partners: npt.NDArray[np.int64] = field(repr=False)
    note: str = field(default="", repr=False)
    groups: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64), repr=False)

    @property
    def count(self) -> int:
        """Number of groups."""
        return int(self.groups.max(initial=0))

    def group_of(self, number: int) -> tuple[str, ...]:
        """Names of the columns of a group."""
        return tuple(np.array(self.names, object)[self.groups == number])

    @property
    def selected(self) -> tuple[str, ...]:
        """Names of the kept columns: what ``columns`` of `find_neighbors` takes."""
        return tuple(np.array(self.names, object)[self.kept])

    @property
    def dropped(self) -> tuple[str, ...]:
        """Names of the columns that are not kept."""
        return tuple(np.array(self.names, object)[~self.kept])

    def kept_among(self, sources: Sequence[str]) -> Bools:
        """Return which columns of a table come from columns that are kept."""
        return np.isin(sources, self.selected)

    def sentence(self) -> str:
        """Return what was kept and which columns were dropped.

        Examples
        --------
        >>> none = np.zeros(3)
        >>> kept = np.array([True, True, False])
        >>> ScreenResult(("x", "y", "noise"), kept, none, none, none, none.astype(int)).sentence()
        'The screen keeps 2 of 3 columns; dropped: noise.'
        """
        if self.note:
            return self.note
        dropped = self.dropped
        left = len(self.names) - len(dropped)
        if not dropped:
            return f"The screen keeps all {left} columns."
        names = format_names(dropped)
        more = len(dropped) > max_names.get() + 1
        rest = f" ({as_argument('find_columns')} lists all)" if more else ""
        return f"The screen keeps {left} of {len(self.names)} columns; dropped: {names}{rest}."


def unpaired_note(which: ScreenMethod, p: int) -> str:
    """Return the note that a screen of so many columns compares no pairs; else "".

    Examples
    --------
    >>> print(unpaired_note("both", 100_000))
    100,000 columns: the forest alone judges them, without pairs ("pairs" compares all).
    """
    from geoforest_cli.estimators.screening.columns import MOST_PAIRED

    if p <= MOST_PAIRED or which not in {"auto", "both"}:
        return ""
    return f'{p:,} columns: the forest alone judges them, without pairs ("pairs" compares all).'


@dataclass(frozen=True)
class ScreenOptions:
    """Settings of a screen of columns.

    Attributes
    ----------
    which : {"pairs", "correlation", "forest", "auto", "both"}
    level : float
        Bound on what `adjust` says.
    adjust : {"fdr", "fwer"}
        The expected share of independent columns among the kept ones, or the probability that any
        independent column is kept.
    seed : int
    n_jobs : int, optional
        Threads; by default one per core.
    cautious : bool
        Use the columns of `cautious_choice`.
    grouped : bool
        Sort the kept columns into groups.
    argument : str
        What the user's call names `which`.

    Raises
    ------
    UserError
        For an unknown screen or correction, or a level that is no probability.

    Examples
    --------
    >>> ScreenOptions("piars", 0.01, "fdr")
    Traceback (most recent call last):
    geoforest_cli.core.errors.UserError: screen: unknown screen 'piars'; did you mean 'pairs'? \
(known: pairs, correlation, forest, auto, both)
    """

    which: ScreenMethod
    level: float = LEVEL
    adjust: Adjust = ADJUST
    seed: int = 0
    n_jobs: int | None = None
    cautious: bool = False
    grouped: bool = False
    argument: InitVar[str] = "screen"

    def __post_init__(self, argument: str) -> None:
        require_screen(argument, self.which, self.adjust)
        require_level(self.level)

    @property
    def statistic(self) -> str:
        """Statistic that judges columns, in words."""
        return "pairs and correlations" if self.which == "auto" else self.which

    @property
    def rate(self) -> str:
        """Rate that the level bounds, in words."""
        return f"{_ERRORS[self.adjust]} {self.level:g}"

    def fit(self, points: Points, sources: Sequence[str], name: str) -> ScreenResult:
        """Screen the columns of a table.

        Parameters
        ----------
        points : (N, p) array
            Missing values are NaN.
        sources : sequence of str
            The user's column behind each; a category is screened as one column.
        name : str
            What messages call the table.

        Raises
        ------
        DataError
            For one column only, or too few rows to count.
        """
        values, names = one_per_source(points, sources)
        if len(names) < 2:
            raise DataError(
                f"{name}: {names[0]!r} is the only column, and a screen compares columns"
            )
        from geoforest_cli.estimators.screening import ColumnScreen
        from geoforest_cli.estimators.screening.auto import FEWEST_ROWS
        from geoforest_cli.estimators.screening.row_order import dependent_rows_allowed

        if len(values) < FEWEST_ROWS:
            raise DataError(
                f"{name}: {len(values)} rows, but a screen needs at least {FEWEST_ROWS}"
            )

        screen = ColumnScreen(
            self.which,
            level=self.level,
            adjust=self.adjust,
            n_jobs=self.n_jobs or -1,
            random_state=self.seed,
            find_groups=self.grouped,
        )
        with dependent_rows_allowed():  # a note says it of the whole table
            screen.fit(values)
        of_columns = screen.scores_, screen.pvalues_, screen.adjusted_, screen.partners_
        result = ScreenResult(names, screen.support_, *of_columns)
        return replace(result, groups=screen.groups_) if self.grouped else result

    def keep(
        self, points: Points, sources: Sequence[str], name: str, where: str = ""
    ) -> ScreenResult:
        """Screen the columns of a table, and refuse a table of which none is kept.

        A cautious screen keeps all columns instead, and says why.

        Parameters
        ----------
        points, sources, name
            As in `fit`.
        where : str
            Which rows these are, with a blank before it; by default all.

        Raises
        ------
        DataError
            As `fit`, and if no column is kept.
        """
        if self.cautious:
            return self._keep_cautiously(points, sources, name)
        result = self.fit(points, sources, name)
        if not result.kept.any():
            raise DataError(
                f"{name}: no column was found to depend on another at the {self.rate}{where}, "
                f"so that {as_argument('screen', self.which)} keeps none; without it all "
                f"{len(result.names)} are used"
            )
        return result

    def _keep_cautiously(self, points: Points, sources: Sequence[str], name: str) -> ScreenResult:
        names = tuple(dict.fromkeys(sources))
        q = len(names)
        all_kept = np.ones(q, bool)
        from geoforest_cli.estimators.screening.auto import FEWEST_ROWS, cautious_choice

        if q < 2 or len(points) < FEWEST_ROWS:
            none = np.zeros(q)
            return ScreenResult(names, all_kept, none, none, none, none.astype(np.int64))
        result = self.fit(points, sources, name)
        choice = cautious_choice(result.kept, one_per_source(points, sources)[0], self.n_jobs)
        kept = np.isin(np.arange(q), choice.kept)
        note = choice.sentence(
            lambda columns: format_names([names[j] for j in columns]),
            f" ({self.statistic}, {self.rate})",
        )
        return replace(result, kept=kept, note="" if choice.dropped.size else note)
