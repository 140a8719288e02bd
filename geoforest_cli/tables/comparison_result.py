"""The scores of methods on one table, with intervals of their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.standard_errors import StandardErrors, stratum_weights

__all__ = ["MethodComparison"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_DIGITS = 12  # equal lists of neighbours have equal scores: a sum's last digits are its order's


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Scores of methods on one table.

    Attributes
    ----------
    methods : tuple of str
        Those that have finished, in the order in which they ran.
    k : int
    values : (methods, N) float64
        The share of a row's neighbours that are of its class.
    influences : (methods, N) float64
        Of each row on each score, see `geoforest_cli.tables.standard_errors`.
    classes : (N,) int64
    arguments : tuple of str
        The arguments with which `find_neighbors` lists each method's neighbours.
    seconds, cpu_seconds : (methods,) float64
        Time of each method on a clock, and of the processor, all threads together; without that
        of a compiler.
    failed : mapping
        The methods that could not run, with the reason.
    seed : int
        Of the draws that find how wide the intervals are.
    owners : (N,) int64, optional
        Rows with the same number are one draw, and no neighbours of one another.

    Examples
    --------
    >>> classes = np.array([0, 0, 0, 1])
    >>> values, seconds = np.zeros((1, 4)), np.zeros(1)
    >>> scores = MethodComparison(("a",), 1, values, values, classes, ("",), seconds, seconds)
    >>> round(scores.chance, 3), scores.chance_share
    (0.333, 0.5)
    """

    methods: tuple[str, ...]
    k: int
    values: Floats = field(repr=False)
    influences: Floats = field(repr=False)
    classes: Indices = field(repr=False)
    arguments: tuple[str, ...] = field(repr=False)
    seconds: Floats = field(repr=False)
    cpu_seconds: Floats = field(repr=False)
    failed: Mapping[str, str] = field(default_factory=dict, repr=False)
    seed: int = 0
    owners: Indices | None = field(default=None, repr=False)

    @cached_property
    def scores(self) -> Floats:
        """The score of each method: the mean of its values, where classes weigh the same."""
        return np.asarray(np.round(self.values @ stratum_weights(self.classes), _DIGITS))

    @property
    def shares(self) -> Floats:
        """The plain mean of each method's values: rows weigh the same."""
        return np.asarray(self.values.mean(axis=1))

    @property
    def chance(self) -> float:
        """The score that neighbours drawn at random have on average."""
        return round(float(self._chances @ stratum_weights(self.classes)), _DIGITS)

    @property
    def chance_share(self) -> float:
        """Share of other rows that are of a row's class, in the plain mean."""
        return float(self._chances.mean())

    @cached_property
    def _chances(self) -> Floats:
        """Share of the rows that may be neighbours of each row (N,) that are of its class."""
        n = len(self.classes)
        owners = np.arange(n) if self.owners is None else self.owners
        both = np.unique(owners * n + self.classes, return_inverse=True)[1]
        alike = np.bincount(self.classes)[self.classes] - np.bincount(both)[both]
        return np.asarray(alike / (n - np.bincount(owners)[owners]))

    @property
    def best(self) -> int:
        """The position of the method with the highest score."""
        return int(np.argmax(self.scores))

    @property
    def order(self) -> Indices:
        """Positions of the methods, the best score first."""
        return np.argsort(-self.scores, kind="stable")

    @property
    def intervals(self) -> Floats:
        """The intervals (2, methods) of the scores: 95 % for all methods at once."""
        width = self._errors.score_widths
        return np.array([self.scores - width, self.scores + width]).clip(0.0, 1.0)

    @property
    def behind(self) -> Floats:
        """Difference of the best score to each method's."""
        return np.asarray(self.scores[self.best] - self.scores)

    @property
    def behind_intervals(self) -> Floats:
        """The intervals (2, methods) of `behind`: 95 % for all differences of methods at once."""
        width = self._errors.difference_widths[self.best]
        return np.array([self.behind - width, self.behind + width])

    @property
    def as_good(self) -> npt.NDArray[np.bool_]:
        """Mask of the methods that are as good as the best within the difference's interval."""
        return np.asarray(self.behind_intervals[0] <= 0)

    @cached_property
    def _errors(self) -> StandardErrors:
        if self.owners is None:
            return StandardErrors(self.influences, self.classes, self.seed)
        sums = np.array([np.bincount(self.owners, row) for row in self.influences])
        return StandardErrors(sums, np.zeros(sums.shape[1], np.int64), self.seed)

    def frame(self) -> pd.DataFrame:
        """Return one line per method, the best first, and those that failed with the reason."""
        (low, high), (behind_low, behind_high) = self.intervals, self.behind_intervals
        lines = pd.DataFrame({
            "method": np.array(self.methods, object), "balanced_share": self.scores,
            "low": low, "high": high, "chance": self.chance,
            "behind": self.behind, "behind_low": behind_low, "behind_high": behind_high,
            "as_good": self.as_good, "share": self.shares, "chance_share": self.chance_share,
            "seconds": self.seconds, "cpu_seconds": self.cpu_seconds, "failed": "",
        }).iloc[self.order]  # fmt: skip
        reasons = pd.DataFrame(self.failed.items(), columns=["method", "failed"])
        frames = [lines, reasons] if len(reasons) else [lines]
        return pd.concat(frames, ignore_index=True)

    def summary(self) -> str:
        """Return which method to use, in a sentence."""
        order, as_good = self.order, self.as_good
        best = f"{self.methods[self.best]} ({self.scores[self.best]:.3f})"
        if self.intervals[0, self.best] <= self.chance:
            return (
                f"No method is better than chance ({self.chance:.3f}): {best} has the highest "
                "score, and its interval reaches down to chance."
            )
        equal, behind = (
            [self.methods[number] for number in order[1:] if as_good[number] == wanted]
            for wanted in (True, False)
        )
        if equal and not behind:
            return (
                f"No difference that this table can show: keep the default method. {best} has the "
                "highest score, and all others are as good within the interval."
            )
        parts = [f"Use {best}"]
        if equal:
            parts += [f"{_are(equal)} as good within the interval", f"{_are(behind)} not"]
        else:
            parts += [f"{_are(behind)} not as good" if behind else "no other method has run"]
        return f"{'; '.join(parts)}."

    def coverage(self) -> str:
        """Return what the intervals cover, in a sentence."""
        drawn = "rows to be independent draws, with a fixed number of each class"
        if self.owners is not None:
            drawn = "rows that belong together to be one draw"
        return (
            f"The intervals hold for all methods and differences at once (95 %), and take {drawn}."
        )


def _are(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last} are" if first else f"{last} is"
