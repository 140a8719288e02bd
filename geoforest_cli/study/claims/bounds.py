"""A metric against a number, or against chance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from geoforest_cli.problems.metrics.kinds import REAL, MetricKind
from geoforest_cli.study.claims.base import Claim, Method, Metric, Number, Tolerance
from geoforest_cli.study.claims.points import Contrast, GridPoint, Region
from geoforest_cli.study.frames import CHANCE, Series, Table, aligned

__all__ = ["AtLeast", "AtMost", "Near"]


class _OneMethod(Claim):
    metric: Metric
    method: Method

    def _series(self, table: Table) -> list[GridPoint]:
        found = table.series(self.method.name, self.method.variant, self.metric)
        kind = table.kind(self.metric)
        return [
            GridPoint(
                table.named(point),
                [Contrast({}, dict(sorted(s.values.items())), s.missing, kind)],
            )
            for point, s in found.items()
        ]

    def _against_chance(
        self, table: Table, compare: Callable[[float, float], float], kind: MetricKind
    ) -> list[GridPoint]:
        name, variant = self.method.name, self.method.variant
        parts = [table.series(name, variant, metric) for metric in (self.metric, CHANCE)]
        found = []
        for point, (series, chance) in aligned(parts).items():
            values, missing = _compared(series, chance, compare)
            found.append(GridPoint(table.named(point), [Contrast({}, values, missing, kind)]))
        return found


class _Bound(_OneMethod):
    value: Number | None = None
    times_chance: Annotated[float, Field(strict=True, gt=0)] | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if (self.value is None) == (self.times_chance is None):
            raise ValueError("give either 'value' or 'times_chance'")
        return self

    @property
    def _limit(self) -> float:
        bound = self.value if self.times_chance is None else self.times_chance
        assert bound is not None
        return bound

    def points(self, table: Table) -> list[GridPoint]:
        """The metric, or its ratio to chance."""
        if self.times_chance is None:
            return self._series(table)
        return self._against_chance(table, lambda value, chance: value / chance, REAL)

    def quantity(self) -> str:
        """Name the metric or the ratio."""
        over = "" if self.times_chance is None else " over chance"
        return f"{self.metric} of {self.method}{over}"

    @abstractmethod
    def region(self) -> Region:
        """One side of the bound."""


class AtLeast(_Bound):
    """The metric is at least a value, or at least so many times chance.

    Parameters
    ----------
    metric : str
    method : Method
    value : float, optional
    times_chance : float, optional
        Multiple of the metric ``chance`` of the same cells; the estimate is then the ratio.
    """

    check: Literal["at_least"]

    def region(self) -> Region:
        """From the bound up."""
        return Region(low=self._limit)


class AtMost(_Bound):
    """The metric is at most a value, or at most so many times chance.

    Parameters
    ----------
    metric : str
    method : Method
    value : float, optional
    times_chance : float, optional
        As in `AtLeast`.
    """

    check: Literal["at_most"]

    def region(self) -> Region:
        """Up to the bound."""
        return Region(high=self._limit)


class Near(_OneMethod):
    """The metric is within a tolerance of a number, or of chance.

    Parameters
    ----------
    metric : str
    method : Method
    target : float or "chance"
        With "chance" the estimate is the difference from it.
    tolerance : float
    """

    check: Literal["near"]
    target: Number | Literal["chance"]
    tolerance: Tolerance

    def points(self, table: Table) -> list[GridPoint]:
        """The metric, or its difference from chance."""
        if self.target != CHANCE:
            return self._series(table)
        kind = table.kind(self.metric).difference()
        return self._against_chance(table, lambda value, chance: value - chance, kind)

    def region(self) -> Region:
        """The tolerance around the target."""
        centre = 0.0 if isinstance(self.target, str) else self.target
        return Region(centre - self.tolerance, centre + self.tolerance)

    def quantity(self) -> str:
        """Name the metric or the difference."""
        minus = " minus chance" if self.target == CHANCE else ""
        return f"{self.metric} of {self.method}{minus}"


def _compared(
    series: Series, chance: Series, compare: Callable[[float, float], float]
) -> tuple[dict[int, float], int]:
    values, missing = {}, max(series.missing, chance.missing)
    for repetition, value in sorted(series.values.items()):
        level = chance.values.get(repetition, 0.0)
        if level > 0:
            values[repetition] = compare(value, level)
        else:
            missing += 1
    return values, missing
