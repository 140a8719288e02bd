"""The column screen as a user's call names it: checked, fitted, and told in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from geoforest_cli.errors import DataError, UserError
from geoforest_cli.forests.forest import watcher
from geoforest_cli.hints import unknown
from geoforest_cli.own_data.categories import one_per_source
from geoforest_cli.own_data.table import Points
from geoforest_cli.own_data.wording import listed, spell

__all__ = ["ADJUST", "LEVEL", "SCREEN", "Adjust", "Screened", "Screening", "Which"]

Which = Literal["pairs", "forest", "both"]
Adjust = Literal["fdr", "fwer"]
Bools = npt.NDArray[np.bool_]

SCREEN: Which = "both"
LEVEL = 0.01
ADJUST: Adjust = "fwer"
_SCREENS: dict[str, Which] = {which: which for which in get_args(Which)}
_CORRECTIONS: dict[str, Adjust] = {adjust: adjust for adjust in get_args(Adjust)}
_FEWEST_ROWS = 10
_ERRORS: dict[Adjust, str] = {"fdr": "false discovery rate", "fwer": "family-wise error"}


@dataclass(frozen=True, eq=False)
class Screened:
    """A fitted screen, one entry per column of the user's table.

    Attributes
    ----------
    names : tuple of str
    kept : (q,) bool
    scores, pvalues, adjusted : (q,) float64
    partners : (q,) int64
        Number of the best partner; -1 where none is known.
    """

    names: tuple[str, ...]
    kept: Bools
    scores: npt.NDArray[np.float64]
    pvalues: npt.NDArray[np.float64]
    adjusted: npt.NDArray[np.float64]
    partners: npt.NDArray[np.int64]

    def dropped(self) -> list[str]:
        """Return the names of the columns that are not kept."""
        return [name for name, kept in zip(self.names, self.kept, strict=True) if not kept]

    def among(self, sources: Sequence[str]) -> Bools:
        """Return which columns of a table come from columns that are kept."""
        kept = {name for name, kept in zip(self.names, self.kept, strict=True) if kept}
        return np.array([source in kept for source in sources], bool)

    def sentence(self) -> str:
        """Return what was kept and which columns were dropped.

        Examples
        --------
        >>> none = np.zeros(3)
        >>> kept = np.array([True, True, False])
        >>> Screened(("x", "y", "noise"), kept, none, none, none, none.astype(int)).sentence()
        'The screen keeps 2 of 3 columns; dropped: noise.'
        """
        dropped = self.dropped()
        left = len(self.names) - len(dropped)
        if not dropped:
            return f"The screen keeps all {left} columns."
        told = listed(dropped)
        rest = "" if told.endswith(dropped[-1]) else f" ({spell('find_columns')} lists all)"
        return f"The screen keeps {left} of {len(self.names)} columns; dropped: {told}{rest}."


@dataclass(frozen=True)
class Screening:
    """How columns are screened.

    Attributes
    ----------
    which : {"pairs", "forest", "both"}
    level : float
    adjust : {"fdr", "fwer"}
    seed : int
    n_jobs : int
    """

    which: Which
    level: float
    adjust: Adjust
    seed: int
    n_jobs: int

    @classmethod
    def checked(
        cls,
        which: str,
        level: float,
        adjust: str,
        seed: int,
        n_jobs: int | None,
        argument: str = "screen",
    ) -> Screening:
        """Return the screening that is asked for.

        Parameters
        ----------
        which, level, adjust, seed, n_jobs
            As the attributes; by default one thread per core.
        argument : str
            What the user's call names `which`.

        Raises
        ------
        UserError
            For an unknown screen or correction, or a level that is no probability.

        Examples
        --------
        >>> Screening.checked("piars", 0.01, "fdr", 0, None)
        Traceback (most recent call last):
        geoforest_cli.errors.UserError: screen: unknown screen 'piars'; did you mean 'pairs'? \
(known: pairs, forest, both)
        """
        for name, value, what, known in (
            (argument, which, "screen", _SCREENS),
            ("adjust", adjust, "correction", _CORRECTIONS),
        ):
            if value not in known:
                raise UserError(f"{spell(name)}: {unknown(what, value, known)}")
        if not 0 < level < 1:
            raise UserError(f"{spell('level', level)}: a level lies between 0 and 1")
        return cls(_SCREENS[which], float(level), _CORRECTIONS[adjust], seed, n_jobs or -1)

    @property
    def rate(self) -> str:
        """What the level bounds, in words."""
        return f"{_ERRORS[self.adjust]} {self.level:g}"

    def fit(self, points: Points, sources: Sequence[str], name: str) -> Screened:
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
        if len(values) < _FEWEST_ROWS:
            raise DataError(
                f"{name}: {len(values)} rows, but a screen needs at least {_FEWEST_ROWS}"
            )
        from geoforest_cli.screening import ColumnScreen

        screen = ColumnScreen(
            self.which,
            level=self.level,
            adjust=self.adjust,
            n_jobs=self.n_jobs,
            random_state=self.seed,
        )
        # the many small forests of a screen are no progress that a user can follow
        token = watcher.set(_unheard)
        try:
            screen.fit(values)
        finally:
            watcher.reset(token)
        return Screened(
            names,
            screen.support_,
            screen.scores_,
            screen.pvalues_,
            screen.adjusted_,
            screen.partners_,
        )

    def keep(self, points: Points, sources: Sequence[str], name: str, where: str = "") -> Screened:
        """Screen the columns of a table, and refuse a table of which none is kept.

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
        found = self.fit(points, sources, name)
        if not found.kept.any():
            raise DataError(
                f"{name}: no column depends on any other at the {self.rate}{where}, so that "
                f"{spell('screen', self.which)} keeps none; without it all "
                f"{len(found.names)} are used"
            )
        return found


def _unheard(what: str, more: int, total: int) -> None:
    """Take a report of progress and say nothing."""
    del what, more, total
