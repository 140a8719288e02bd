"""A paper's sentence checked on the paper's own numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel

from geoforest_cli.study.claims.contrasts import Contrast, GridPoint, pooled
from geoforest_cli.study.claims.model import Quantifier, Region
from geoforest_cli.study.claims.verdicts import least
from geoforest_cli.study.frames import CHANCE, Point, Series, Table

__all__ = ["PublishedAnswer", "PublishedTable", "check_published"]

Answer = Literal["supported", "refuted", "partly", "no numbers"]


class PublishedAnswer(BaseModel):
    """What the published numbers say to a sentence.

    `held` of `points` points bear it out, by `contrasts` comparisons in all. "partly": at some
    points, and at fewer than the sentence says. `largest` and `median` are of the absolute
    differences between our means and the published values of the claim's methods.
    """

    answer: Answer
    held: int
    points: int
    contrasts: int
    largest: float | None
    median: float | None


class PublishedTable(Table):
    """Published values at the points of our rows, one repetition each.

    A value of the claim's variant comes first, then the program's (``as_run``), then any. Chance
    is not published and is taken from our rows.

    Parameters
    ----------
    own : Table
        Our rows, with the published values.
    """

    def __init__(self, own: Table) -> None:
        self.columns = own.columns
        self.own = own
        self.kinds = own.kinds
        self.published = own.published

    def series(self, method: str, variant: str, metric: str) -> dict[Point, Series]:
        """Grid point -> the published value there."""
        found = {}
        for point, ours in self.own.series(method, variant, metric).items():
            if metric == CHANCE:
                value = statistics.fmean(ours.values.values()) if ours.values else None
            else:
                value = self.published.closest(method, variant, metric, self.named(point))
            if value is not None:
                found[point] = Series({0: value})
        return found

    def differences(self, named: Iterable[tuple[str, str, str]]) -> list[float]:
        """Absolute differences of our means, for (method, variant, metric)."""
        return [
            abs(statistics.fmean(ours.values.values()) - theirs[point].values[0])
            for key in named
            if key[2] != CHANCE
            for theirs in [self.series(*key)]
            for point, ours in self.own.series(*key).items()
            if point in theirs and ours.values
        ]


def check_published(
    points: list[GridPoint], region: Region, quantifier: Quantifier, differences: list[float]
) -> PublishedAnswer:
    """Apply a claim's region to published values.

    Parameters
    ----------
    points : list of GridPoint
        The claim's points, from a `PublishedTable`.
    region : Region
    quantifier : {"all", "most", "mean"} or float
    differences : list of float
        Absolute differences of our means from the published values.
    """
    judged = pooled(points) if quantifier == "mean" else points
    values = [[_value(c) for c in point.contrasts if c.terms] for point in judged]
    values = [several for several in values if several]
    held = sum(all(map(region.holds, several)) for several in values)
    answer: Answer = "partly" if held else "refuted"
    if not values:
        answer = "no numbers"
    elif held >= least(quantifier, len(values)):
        answer = "supported"
    return PublishedAnswer(
        answer=answer,
        held=held,
        points=len(values),
        contrasts=sum(map(len, values)),
        largest=max(differences, default=None),
        median=statistics.median(differences) if differences else None,
    )


def _value(contrast: Contrast) -> float:
    total = math.fsum(weight * values[0] for weight, values in contrast.terms)
    return math.exp(total) if contrast.log else total
