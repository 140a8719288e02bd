"""One method against others on the same samples."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from geoforest_cli.claims.base import BetweenBounds, Claim, Method, Number, Sample
from geoforest_cli.claims.table import PublishedValues, Series, Table, aligned
from geoforest_cli.claims.testing import holm, paired_t
from geoforest_cli.claims.verdicts import Region

__all__ = ["Greater", "Less", "Ratio", "paired"]


class _Difference(Claim):
    metric: str
    method: Method
    than: Annotated[tuple[Method, ...], Field(min_length=1)]
    margin: Number = 0.0
    adjust: Literal["none", "holm"] = "none"

    def tests(self, samples: list[Sample]) -> list[dict[str, float]]:
        """With Holm's correction, p of each paired t test and the level its interval needs."""
        if self.adjust == "none":
            return super().tests(samples)
        found = [paired_t(list(s.values.values()), self.margin) for s in samples]
        return holm(found, 1 - self.level)

    def remark(self, samples: list[Sample]) -> str:
        """How many comparisons were corrected for."""
        if self.adjust == "none" or not samples:
            return ""
        return f"Paired t tests, Holm's correction for {len(samples)} comparisons."

    def samples(self, table: Table, published: PublishedValues) -> list[Sample]:
        """Paired differences over repetitions."""
        del published
        ours = table.series(self.method.name, self.method.variant, self.metric)
        found = []
        for other in self.than:
            theirs = table.series(other.name, other.variant, self.metric)
            for point, (a, b) in aligned([ours, theirs]).items():
                sample = paired(a, b)
                sample.point = {**table.named(point), "than": str(other)}
                found.append(sample)
        return found

    def quantity(self) -> str:
        """Name the difference."""
        return f"{self.metric} of {self.method} minus that of {_others(self.than)}"

    def methods(self) -> tuple[tuple[tuple[str | int, ...], Method], ...]:
        """A and each B."""
        others = tuple((("than", i), other) for i, other in enumerate(self.than))
        return ((("method",), self.method), *others)

    def metrics(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """The metric compared."""
        return ((("metric",), self.metric),)


class Greater(_Difference):
    """The mean paired difference A - B lies above the margin, for every B and point.

    Parameters
    ----------
    metric : str
        What is compared; larger is better.
    method : Method
        A.
    than : list of Method
        Each B.
    margin : float
        The difference that must be exceeded.
    adjust : {"none", "holm"}
        Whether the intervals are widened for the number of comparisons, see `testing.holm`.
    """

    check: Literal["greater"]

    def region(self) -> Region:
        """Above the margin."""
        return Region(low=self.margin, open=True)


class Less(_Difference):
    """The mean paired difference A - B lies below the margin, for every B and point.

    Parameters
    ----------
    metric : str
        What is compared; smaller is better.
    method : Method
        A.
    than : list of Method
        Each B.
    margin : float
        The difference that must not be reached.
    adjust : {"none", "holm"}
        Whether the intervals are widened for the number of comparisons, see `testing.holm`.
    """

    check: Literal["less"]

    def region(self) -> Region:
        """Below the margin."""
        return Region(high=self.margin, open=True)


class Ratio(BetweenBounds):
    """The paired ratio A / B of a positive metric lies in bounds.

    Parameters
    ----------
    metric : str
    method, over : Method
        A and B.
    at_least, at_most : float, optional
        Bounds of the ratio; at least one of them.
    """

    check: Literal["ratio"]
    metric: str
    method: Method
    over: Method

    def samples(self, table: Table, published: PublishedValues) -> list[Sample]:
        """Ratios over repetitions; one to a value that is not positive counts as missing."""
        del published
        parts = [table.series(m.name, m.variant, self.metric) for m in (self.method, self.over)]
        found = []
        for point, (a, b) in aligned(parts).items():
            sample = paired(a, b)
            good = [r for r in sample.values if b.values[r] > 0]
            sample.missing += len(sample.values) - len(good)
            sample.values = {r: a.values[r] / b.values[r] for r in good}
            sample.point = table.named(point)
            found.append(sample)
        return found

    def quantity(self) -> str:
        """Name the ratio."""
        return f"{self.metric} of {self.method} over that of {self.over}"

    def methods(self) -> tuple[tuple[tuple[str | int, ...], Method], ...]:
        """A and B."""
        return ((("method",), self.method), (("over",), self.over))

    def metrics(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """The metric compared."""
        return ((("metric",), self.metric),)


def paired(a: Series, b: Series) -> Sample:
    """Differences a - b over the repetitions that both have."""
    common = [r for r in sorted(a.values) if r in b.values]
    missing = a.missing + b.missing
    if not common and not missing and not (a.undefined or b.undefined):
        missing = 1
    return Sample({}, {r: a.values[r] - b.values[r] for r in common}, missing)


def _others(methods: tuple[Method, ...]) -> str:
    return str(methods[0]) if len(methods) == 1 else "each of " + ", ".join(map(str, methods))
