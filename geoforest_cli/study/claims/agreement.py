"""Our means against published values."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from typing import Any, Literal

from pydantic import field_validator

from geoforest_cli.problems.metrics.kinds import REAL
from geoforest_cli.study.claims.base import Claim, Method, Metric, Tolerance
from geoforest_cli.study.claims.decision import ALPHA, standard_error
from geoforest_cli.study.claims.points import Contrast, GridPoint, Region
from geoforest_cli.study.claims.verdicts import Rule
from geoforest_cli.study.frames import Table

__all__ = ["Published"]


class Published(Claim):
    """Our mean lies within a tolerance of the published value at every point that has one.

    Published numbers come from the authors' programs, so only ``as_run`` cells are compared. The
    claim is supported where the interval of our mean lies within the tolerance. The published
    value is a single draw with an error of its own: the claim is refuted only where the prediction
    interval of a draw (its error is ``s sqrt(1 + 1/n)``) lies wholly beyond the tolerance.

    Parameters
    ----------
    metric : str
    method : Method
        In its ``as_run`` variant.
    tolerance : float
        Largest absolute difference allowed.
    """

    check: Literal["published"]
    metric: Metric
    method: Method
    tolerance: Tolerance

    @field_validator("method")
    @classmethod
    def _only_as_run(cls, value: Method) -> Method:
        if value.variant != "as_run":
            raise ValueError(
                f"published values are compared with 'as_run' only, not {value.variant!r}"
            )
        return value

    def points(self, table: Table) -> list[GridPoint]:
        """Our value minus the published one, at the points that have one."""
        name, variant = self.method.name, self.method.variant
        kind = table.kind(self.metric)
        found = []
        for point, series in table.series(name, variant, self.metric).items():
            named = table.named(point)
            value = table.published.find(name, variant, self.metric, named)
            if value is not None:
                differences = {r: ours - value for r, ours in sorted(series.values.items())}
                shifted = replace(kind, low=kind.low - value, high=kind.high - value)
                if kind.name == "positive":
                    # a difference has no logarithm
                    shifted = REAL
                contrast = Contrast({"published": value}, differences, series.missing, shifted)
                found.append(GridPoint(named, [contrast]))
        return found

    def region(self) -> Region:
        """The tolerance around no difference."""
        return Region(-self.tolerance, self.tolerance)

    def rule(self) -> Rule:
        """The published value is a draw: refutation needs a prediction interval."""
        exact = self.interval == "none"
        return Rule(self.region(), self.quantifier, exact=exact, prediction=True)

    def quantity(self) -> str:
        """Name the difference."""
        return f"{self.metric} of {self.method} minus the published value"

    def remark(self, points: list[GridPoint]) -> str:
        """The worst point, the median distance, and how many values a new draw could have been."""
        measured = [(p, list(c.values.values())) for p in points for c in p.contrasts if c.values]
        if not measured:
            return "No published value at these points."
        means = [(statistics.fmean(values), point) for point, values in measured]
        worst, point = max(means, key=lambda item: abs(item[0]))
        median = statistics.median(abs(mean) for mean, _ in means)
        inside = [_could_be_a_draw(v) for _, v in measured if min(v) < max(v)]
        predicted = (
            f"; {sum(inside)} of {len(inside)} published values lie in the 95 % prediction interval"
            if inside and self.interval != "none"
            else ""
        )
        return (
            f"Largest difference {worst:+.4f} at {_place(point.at)}; "
            f"median |difference| {median:.4f}{predicted}."
        )


def _could_be_a_draw(differences: list[float]) -> bool:
    """Whether a difference of 0 lies in the prediction interval of one more repetition's."""
    from scipy import special

    reach = float(special.stdtrit(len(differences) - 1, 1 - ALPHA))
    error = float(standard_error(differences, overlap=1.0))
    return math.fabs(statistics.fmean(differences)) <= reach * error


def _place(point: dict[str, Any]) -> str:
    return ", ".join(f"{k} {v}" for k, v in point.items()) or "the one point"
