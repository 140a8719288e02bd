"""Our means against published values: distances, prediction intervals, order of methods."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from geoforest_cli.study.figures.options import METHOD_LABELS, prose
from geoforest_cli.study.frames import plain

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Agreement", "agreement", "pooled"]

_NUMBERS = ("mean", "half", "repetitions", "published")
_NO_GRID = {"method", "variant", "metric", *_NUMBERS, "undefined", "failed", "difference"}
_DECIMALS = 6  # differences that vanish at so many are ties


class Agreement(BaseModel):
    """Our means over repetitions against published values.

    Attributes
    ----------
    values : int
        Published values that are compared.
    median, percentile_90 : float
        Of the absolute differences.
    inside, intervals : int
        Published values inside the 95 % prediction interval of one more repetition, of those for
        which there is one: there are several repetitions, and they differ.
    tau : float or None
        Kendall's rank correlation of our means and the published values over the methods at a grid
        point and metric, averaged over these; None where no two methods differ.
    tau_points : int
        How many points that is an average over.
    largest : dict
        The largest difference: method, variant, metric, grid columns that vary, ours, published.
    """

    model_config = ConfigDict(frozen=True)

    values: int
    median: float
    percentile_90: float
    inside: int
    intervals: int
    tau: float | None
    tau_points: int
    largest: dict[str, Any]

    @property
    def figures(self) -> str:
        """All numbers but the largest difference, in words."""
        said = f"{self.values:,} published value{'s' if self.values > 1 else ''}: median deviation "
        said += f"{_short(self.median)}, 90th percentile {_short(self.percentile_90)}"
        if self.intervals:
            share = f"{self.inside:,} of {self.intervals:,} ({self.inside / self.intervals:.0%})"
            said += f", {share.replace('%', ' %')} inside the 95 % prediction interval"
        if self.tau is not None:
            said += f", order of methods {_short(self.tau)} (Kendall's tau)"
        return said

    def sentence(self, labels: Mapping[str, str] | None = None) -> str:
        """Return all numbers in words.

        Parameters
        ----------
        labels : mapping, optional
            Method -> what it is called.
        """
        point = dict(self.largest)
        fixed = ("method", "variant", "metric", "ours", "published")
        method, _, metric, ours, published = (point.pop(name) for name in fixed)
        at = ", ".join(
            f"{'' if value else 'not '}{prose(name)}"
            if isinstance(value, bool)
            else f"{prose(name)} {prose(value)}"
            for name, value in point.items()
        )
        label = (labels or {}).get(method, METHOD_LABELS.get(method, method))
        what = f"{prose(metric)} of {label}{' at ' if at else ''}{at}"
        return (
            f"{self.figures}; largest deviation from a published value: "
            f"{_short(abs(ours - published))}, {what} ({_short(ours)} here, {_short(published)} "
            "published)"
        )


def agreement(summary: pd.DataFrame) -> Agreement | None:
    """Compare the means of a run with the published values beside them.

    Parameters
    ----------
    summary : pandas.DataFrame
        As `report.tables.summary` returns it, or as ``summary.csv`` holds it.

    Returns
    -------
    Agreement or None
        None without published values.

    Examples
    --------
    >>> import pandas as pd
    >>> found = agreement(pd.DataFrame({
    ...     "k": [5, 5, 9, 9], "method": ["gf", "umap"] * 2, "variant": "as_run",
    ...     "metric": "precision", "mean": [0.9, 0.8, 0.7, 0.65], "half": [0.02, 0.01, 0.02, 0.0],
    ...     "repetitions": 5, "published": [0.91, 0.84, 0.7, 0.66],
    ... }))
    >>> found.values, found.inside, found.intervals, found.tau
    (4, 2, 3, 1.0)
    >>> found.sentence().partition("value: ")[2]
    '.04, precision of UMAP at k 5 (.8 here, .84 published)'
    """
    lines = _compared(summary)
    if lines.empty:
        return None
    grid = [str(name) for name in lines if name not in _NO_GRID]
    deviations = (lines["mean"] - lines["published"]).abs()
    has_interval = lines["half"] > 0
    # half is t s / sqrt(n), and one more repetition has the error s sqrt(1 + 1/n)
    inside = has_interval & (deviations <= lines["half"] * np.sqrt(lines["repetitions"] + 1))
    taus = list(_taus(lines, grid))
    [worst] = lines.iloc[[int(deviations.argmax())]].to_dict("records")
    names = ["method", "variant", "metric", *(name for name in grid if len(set(lines[name])) > 1)]
    coordinates = ((name, plain(worst[name])) for name in names)
    return Agreement(
        values=len(lines),
        median=float(deviations.median()),
        percentile_90=float(deviations.quantile(0.9)),
        inside=int(inside.sum()),
        intervals=int(has_interval.sum()),
        tau=math.fsum(taus) / len(taus) if taus else None,
        tau_points=len(taus),
        largest={
            **{name: value for name, value in coordinates if value is not None},
            "ours": worst["mean"],
            "published": worst["published"],
        },
    )


def pooled(summaries: Mapping[str, pd.DataFrame]) -> Agreement | None:
    """Compare the means of several configs with their published values, all values together.

    Parameters
    ----------
    summaries : mapping
        Config -> as for `agreement`; the largest difference has it as a grid column.
    """
    import pandas as pd

    compared = ((name, _compared(lines)) for name, lines in summaries.items())
    parts = {name: lines for name, lines in compared if len(lines)}
    if not parts:
        return None
    return agreement(pd.concat(parts, names=["config"]).reset_index("config"))


def _compared(summary: pd.DataFrame) -> pd.DataFrame:
    if "published" not in summary:
        return summary.iloc[:0]
    lines = summary.astype(dict.fromkeys(_NUMBERS, float))
    return lines.dropna(subset=["mean", "published"])


def _taus(lines: pd.DataFrame, grid: list[str]) -> Iterator[float]:
    """Kendall's tau-b of each point; of none where all values of a side are equal."""
    for _, part in lines.groupby(["metric", *grid], sort=False, dropna=False):
        sides = (part[name].to_numpy() for name in ("mean", "published"))
        a, b = (np.sign(np.round(np.subtract.outer(x, x), _DECIMALS)) for x in sides)
        if a.any() and b.any():
            yield float(np.sum(a * b)) / math.sqrt(float(np.sum(a * a) * np.sum(b * b)))


def _short(value: float) -> str:
    return f"{value:.2g}".replace("0.", ".", 1)
