"""The scores of methods on one table, with intervals of their differences."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.standard_errors import StandardErrors, stratum_weights
from geoforest_cli.tables.writers import write_table

__all__ = ["WITHOUT_LABEL", "Comparison"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_DIGITS = 12  # equal lists of neighbours have equal scores: a sum's last digits are its order's

WITHOUT_LABEL = (
    "This is a score without labels, and agrees poorly with them: on 25 labelled tables its best "
    "method was within 0.02 of the best by labels in 10, the default method in 15."
)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Scores of methods on one table.

    Attributes
    ----------
    methods : tuple of str
        Those that have finished, in the order in which they ran.
    k : int
    values : (methods, N) float64
        With a label the share of a row's neighbours that are of its class; without one the share
        of the variance that they predict, see `geoforest_cli.tables.column_prediction`.
    influences : (methods, N) float64
        Of each row on each score, see `geoforest_cli.tables.standard_errors`.
    classes : (N,) int64, optional
        The class of each row, where there is a label.
    arguments : tuple of str
        The arguments with which `find_neighbors` lists each method's neighbours.
    seconds : (methods,) float64
        Time of each method on a clock, without that of a compiler; without a label, of all its
        runs.
    cpu_seconds : (methods,) float64
        Time of the processor in the same runs, all threads together.
    failed : mapping
        The methods that could not run, with the reason.
    seed : int
        Of the draws that find how wide the intervals are.
    by_chance : float, optional
        Without a label, the score of neighbours that are drawn at random.
    owners : (N,) int64, optional
        Rows with the same number are one draw, and no neighbours of one another.
    """

    methods: tuple[str, ...]
    k: int
    values: Floats = field(repr=False)
    influences: Floats = field(repr=False)
    classes: Indices | None = field(repr=False)
    arguments: tuple[str, ...] = field(repr=False)
    seconds: Floats = field(repr=False)
    cpu_seconds: Floats = field(repr=False)
    failed: Mapping[str, str] = field(default_factory=dict, repr=False)
    seed: int = 0
    by_chance: float = field(default=np.nan, repr=False)
    owners: Indices | None = field(default=None, repr=False)

    @property
    def measure(self) -> str:
        """The name of the score: "balanced_share" with a label, else "prediction"."""
        return "prediction" if self.classes is None else "balanced_share"

    @cached_property
    def scores(self) -> Floats:
        """The score of each method: the mean of its values, where classes weigh the same."""
        weighted: Floats = np.round(self.values @ stratum_weights(self._strata), _DIGITS)
        return weighted

    @cached_property
    def shares(self) -> Floats:
        """The plain mean of each method's values: rows weigh the same."""
        means: Floats = self.values.mean(axis=1)
        return means

    @cached_property
    def chance(self) -> float:
        """The score that neighbours drawn at random have on average.

        Examples
        --------
        >>> classes = np.array([0, 0, 0, 1])
        >>> values, seconds = np.zeros((1, 4)), np.zeros(1)
        >>> two = Comparison(("a",), 1, values, values, classes, ("",), seconds, seconds)
        >>> round(two.chance, 3), two.chance_share
        (0.333, 0.5)
        """
        if self.classes is None:
            return self.by_chance
        return round(float(self._chances @ stratum_weights(self.classes)), _DIGITS)

    @property
    def chance_share(self) -> float:
        """How often another row is of the same class, in the plain mean."""
        if self.classes is None:
            return self.chance
        return float(self._chances.mean())

    @property
    def _chances(self) -> Floats:
        """Share of the rows that may be neighbours of each row (N,) that are of its class."""
        assert self.classes is not None
        n = len(self.classes)
        owners = np.arange(n) if self.owners is None else self.owners
        both = np.unique(owners * n + self.classes, return_inverse=True)[1]
        alike = np.bincount(self.classes)[self.classes] - np.bincount(both)[both]
        chances: Floats = alike / (n - np.bincount(owners)[owners])
        return chances

    @property
    def best(self) -> int:
        """The position of the method with the highest score."""
        return int(np.argmax(self.scores))

    @property
    def intervals(self) -> Floats:
        """The intervals (2, methods) of the scores: 95 % for all methods at once."""
        least = -np.inf if self.classes is None else 0.0
        width = self._errors.score_widths
        ends: Floats = np.array([self.scores - width, self.scores + width]).clip(least, 1.0)
        return ends

    @property
    def behind(self) -> Floats:
        """How far each method is behind the best."""
        behind: Floats = self.scores[self.best] - self.scores
        return behind

    @property
    def behind_intervals(self) -> Floats:
        """The intervals (2, methods) of `behind`: 95 % for all differences of methods at once."""
        width = self._errors.difference_widths[self.best]
        ends: Floats = np.array([self.behind - width, self.behind + width])
        return ends

    @property
    def as_good(self) -> npt.NDArray[np.bool_]:
        """Which methods are as good as the best within the interval of the difference."""
        reached: npt.NDArray[np.bool_] = self.behind_intervals[0] <= 0
        return reached

    @property
    def order(self) -> Indices:
        """Positions of the methods, the best score first."""
        return np.argsort(-self.scores, kind="stable")

    @property
    def _strata(self) -> Indices:
        n = self.values.shape[1]
        return np.zeros(n, np.int64) if self.classes is None else self.classes

    @cached_property
    def _errors(self) -> StandardErrors:
        if self.owners is None:
            return StandardErrors(self.influences, self._strata, self.seed)
        count = int(self.owners.max()) + 1
        sums = [np.bincount(self.owners, row, minlength=count) for row in self.influences]
        return StandardErrors(np.array(sums), np.zeros(count, np.int64), self.seed)

    def frame(self) -> pd.DataFrame:
        """Return one line per method, the best first, and those that failed with the reason."""
        order = self.order
        names = np.array(self.methods, object)[order]
        lines = pd.DataFrame({"method": names, self.measure: self.scores[order]})
        lines["low"], lines["high"] = self.intervals[:, order]
        lines["chance"] = self.chance
        lines["behind"] = self.behind[order]
        lines["behind_low"], lines["behind_high"] = self.behind_intervals[:, order]
        lines["as_good"] = self.as_good[order]
        if self.classes is not None:
            lines["share"], lines["chance_share"] = self.shares[order], self.chance_share
        lines["seconds"], lines["cpu_seconds"] = self.seconds[order], self.cpu_seconds[order]
        lines["failed"] = ""
        reasons = pd.DataFrame({"method": list(self.failed), "failed": list(self.failed.values())})
        return pd.concat([lines, reasons], ignore_index=True) if len(reasons) else lines

    def summary(self) -> str:
        """Return which method to use, in a sentence."""
        names = [self.methods[number] for number in self.order]
        reached = self.as_good[self.order]
        best = f"{names[0]} ({self.scores[self.best]:.3f})"
        if self.intervals[0, self.best] <= self.chance:
            return (
                f"No method is better than chance ({self.chance:.3f}): {best} has the highest "
                "score, and its interval reaches down to chance."
            )
        if len(names) > 1 and reached.all():
            return (
                f"No difference that this table can show: keep the default method. {best} has the "
                "highest score, and all others are as good within the interval."
            )
        lead = "Highest by this score:" if self.classes is None else "Use"
        parts = [f"{lead} {best}"]
        as_good = [name for name, one in zip(names[1:], reached[1:], strict=True) if one]
        behind = [name for name, one in zip(names[1:], reached[1:], strict=True) if not one]
        if as_good:
            parts.append(f"{_and(as_good)} {_are(as_good)} as good within the interval")
        if behind:
            parts.append(f"{_and(behind)} {_are(behind)} not")
        if not as_good and behind:
            parts[1] = f"{_and(behind)} {_are(behind)} not as good"
        if len(names) == 1:
            parts.append("no other method has run")
        return f"{'; '.join(parts)}."

    def coverage(self) -> str:
        """Return what the intervals cover, in a sentence."""
        fixed = "" if self.classes is None else ", with a fixed number of each class"
        drawn = f"rows to be independent draws{fixed}"
        if self.owners is not None:
            drawn = "rows that belong together to be one draw"
        return (
            f"The intervals hold for all methods and differences at once (95 %), and take {drawn}."
        )

    def write(self, path: str | os.PathLike[str], *others: object) -> None:
        """Write `frame` to a Parquet, CSV or TSV file, which is replaced in one step.

        Raises
        ------
        DataError
            For another ending, a folder that is not there, or one of the `others`.
        """
        write_table(path, [self.frame()], *others)

    def write_picture(self, path: Path, *others: object) -> Path:
        """Write the picture of `geoforest_cli.tables.comparison_figure`; return its file.

        Raises
        ------
        DataError
            As `geoforest_cli.tables.writers.require_picture`.
        """
        from geoforest_cli.tables.comparison_figure import write_comparison

        return write_comparison(self, path, *others)


def _and(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _are(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"
