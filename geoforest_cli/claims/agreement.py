"""Our means against published values."""

from __future__ import annotations

import statistics
from typing import Any, Literal

from pydantic import field_validator

from geoforest_cli.claims.base import Claim, Method, Sample, Tolerance
from geoforest_cli.claims.table import PublishedValues, Table
from geoforest_cli.claims.verdicts import Judge, Region

__all__ = ["Published"]


class Published(Claim):
    """Our mean lies within a tolerance of the published value at every point that has one.

    Published numbers come from the authors' programs, so only ``as_run`` cells are compared.
    The published value is one draw itself: by default the mean decides, and the claim is refuted
    only where the whole interval lies outside (``judge: interval`` asks for all of it inside).

    Parameters
    ----------
    metric : str
    method : Method
        In its ``as_run`` variant.
    tolerance : float
        Largest absolute difference allowed.
    """

    check: Literal["published"]
    metric: str
    method: Method
    tolerance: Tolerance
    judge: Judge = "mean"

    @field_validator("method")
    @classmethod
    def _only_as_run(cls, value: Method) -> Method:
        if value.variant != "as_run":
            raise ValueError(
                f"published values are compared with 'as_run' only, not {value.variant!r}"
            )
        return value

    def samples(self, table: Table, published: PublishedValues) -> list[Sample]:
        """Our value minus the published one, at the points that have one."""
        name, variant = self.method.name, self.method.variant
        found = []
        for point, series in table.series(name, variant, self.metric).items():
            named = table.named(point)
            value = published.find(name, variant, self.metric, named)
            if value is not None:
                differences = {r: ours - value for r, ours in sorted(series.values.items())}
                found.append(Sample({**named, "published": value}, differences, series.missing))
        return found

    def region(self) -> Region:
        """The tolerance around no difference."""
        return Region(-self.tolerance, self.tolerance)

    def quantity(self) -> str:
        """Name the difference."""
        return f"{self.metric} of {self.method} minus the published value"

    def methods(self) -> tuple[tuple[tuple[str | int, ...], Method], ...]:
        """The one method."""
        return ((("method",), self.method),)

    def metrics(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """The metric compared."""
        return ((("metric",), self.metric),)

    def remark(self, samples: list[Sample]) -> str:
        """The worst point and the median distance."""
        means = [(statistics.fmean(s.values.values()), s) for s in samples if s.values]
        if not means:
            return "No published value at these points."
        worst, sample = max(means, key=lambda item: abs(item[0]))
        median = statistics.median(abs(mean) for mean, _ in means)
        return (
            f"Largest difference {worst:+.4f} at {_place(sample.point)}; "
            f"median |difference| {median:.4f}."
        )


def _place(point: dict[str, Any]) -> str:
    return ", ".join(f"{k} {v}" for k, v in point.items() if k != "published") or "the one point"
