"""Rows indexed the way the checks ask for them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from geoforest_cli.problems.metrics.kinds import METRIC_KINDS, REAL, MetricKind

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "CHANCE",
    "FIXED",
    "Point",
    "PublishedValues",
    "Rows",
    "Series",
    "Table",
    "each_of",
    "grid_columns",
    "plain",
    "within",
]

CHANCE = "chance"  # the metric that others are measured against
FIXED = ("method", "variant", "repetition", "metric", "value", "status", "cell", "source")
Point = tuple[Any, ...]


def plain(value: Any) -> Any:
    """A cell of a frame as a plain Python value: NaN is None, whole floats are integers.

    Examples
    --------
    >>> plain(50.0), plain(0.5), plain(float("nan")), plain("helix")
    (50, 0.5, None, 'helix')
    """
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return int(value) if value.is_integer() else value
    return value


def grid_columns(frame: pd.DataFrame) -> tuple[str, ...]:
    """The grid's columns of a frame of rows: all that every frame of rows does not have."""
    return tuple(str(name) for name in frame.columns if name not in FIXED)


@dataclass
class Series:
    """Values of one method, variant and metric at one grid point.

    Attributes
    ----------
    values : dict
        Repetition -> value.
    missing : int
        Cells that failed, were not run, or gave no number.
    undefined : int
        Rows that say why there is no number: disconnected, say.
    """

    values: dict[int, float] = field(default_factory=dict)
    missing: int = 0
    undefined: int = 0


class Rows:
    """Rows as plain values, read once for all claims.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows: grid columns, then method, variant, repetition, metric, value, status. A row whose
        status is not "ok" stands for a whole cell; its inner grid columns are empty.

    Attributes
    ----------
    columns : tuple of str
        The grid's.
    points : list of tuple
        The grid point of each row.
    others : list of tuple
        What else is in each row.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.columns = grid_columns(frame)
        grid = [_plain_values(frame[name]) for name in self.columns]
        self.points: list[Point] = list(zip(*grid, strict=True)) if grid else [()] * len(frame)
        names = ["method", "variant", "repetition", "metric", "value", "status"]
        # item by item, a column of strings of arrow is slow
        self.others = list(zip(*(frame[name].to_numpy(object) for name in names), strict=True))


def _plain_values(column: pd.Series[Any]) -> list[Any]:
    """`plain` of each value; those of a grid are few."""
    import pandas as pd

    numbers, values = pd.factorize(column.to_numpy(object), use_na_sentinel=False)
    plain_values = [plain(value) for value in values]
    return [plain_values[i] for i in numbers.tolist()]


class Table:
    """Rows, indexed by method, variant, metric, grid point and repetition.

    Parameters
    ----------
    rows : Rows or pandas.DataFrame
    where : mapping
        Grid column -> value or values to keep. An empty column of a failed row matches anything.
    kinds : mapping, optional
        Metric -> `MetricKind`, before those of the standard metrics.
    """

    def __init__(
        self,
        rows: Rows | pd.DataFrame,
        where: Mapping[str, Any] | None = None,
        kinds: Mapping[str, MetricKind] | None = None,
    ) -> None:
        self.kinds = {**METRIC_KINDS, **(kinds or {})}
        rows = rows if isinstance(rows, Rows) else Rows(rows)
        self.columns = rows.columns
        self._values: dict[tuple[str, str, str], dict[Point, Series]] = defaultdict(dict)
        self._failed: dict[tuple[str, str], list[Point]] = defaultdict(list)
        wanted = [
            (self.columns.index(name), {None, *map(plain, each_of(allowed))})
            for name, allowed in (where or {}).items()
            if name in self.columns
        ]
        kept: dict[Point, bool] = {}
        for point, others in zip(rows.points, rows.others, strict=True):
            if point not in kept:
                kept[point] = all(point[i] in allowed for i, allowed in wanted)
            if kept[point]:
                self._add(point, others)

    def _add(self, point: Point, others: tuple[Any, ...]) -> None:
        method, variant, repetition, metric, value, status = others
        if metric and status != "ok":
            key = str(method), str(variant), str(metric)
            self._values[key].setdefault(point, Series()).undefined += 1
            return
        if status != "ok":
            self._failed[str(method), str(variant)].append(point)
            return
        series = self._values[str(method), str(variant), str(metric)].setdefault(point, Series())
        if math.isfinite(value):
            series.values[int(repetition)] = float(value)
        else:
            series.missing += 1

    def series(self, method: str, variant: str, metric: str) -> dict[Point, Series]:
        """Grid point -> what was measured there, failed cells counted in."""
        by_point = {
            point: Series(dict(series.values), series.missing, series.undefined)
            for point, series in self._values.get((method, variant, metric), {}).items()
        }
        for failed in self._failed.get((method, variant), []):
            matching = [point for point in by_point if _covers(failed, point)]
            for point in matching or [failed]:
                by_point.setdefault(point, Series()).missing += 1
        return by_point

    def kind(self, metric: str) -> MetricKind:
        """Return what values a metric can take."""
        return self.kinds.get(metric, REAL)

    def values(self, column: str) -> list[Any]:
        """The values of a grid column, in the order of the rows."""
        at = self.columns.index(column)
        points = (point for group in self._values.values() for point in group)
        return [value for value in dict.fromkeys(p[at] for p in points) if value is not None]

    def named(self, point: Point) -> dict[str, Any]:
        """A grid point as a mapping, without its empty columns."""
        return {
            name: value
            for name, value in zip(self.columns, point, strict=True)
            if value is not None
        }


def aligned(parts: Iterable[dict[Point, Series]]) -> dict[Point, list[Series]]:
    """Join several series on their grid points; a point that one lacks is missing there.

    A failed cell stands at a point without inner values; where another series has the inner
    points, it is missing at each of them.
    """
    parts = list(parts)
    points = list(dict.fromkeys(point for part in parts for point in part))
    partial = [point for point in points if None in point]
    full = [p for p in points if p not in partial or not _is_covered(p, points)]
    return {point: [_at(part, point) for part in parts] for point in full}


def _is_covered(failed: Point, points: list[Point]) -> bool:
    return any(other != failed and None not in other and _covers(failed, other) for other in points)


def _at(part: dict[Point, Series], point: Point) -> Series:
    if point in part:
        return part[point]
    missing = sum(s.missing for other, s in part.items() if None in other and _covers(other, point))
    return Series(missing=max(1, missing))


def _covers(failed: Point, point: Point) -> bool:
    return all(a is None or a == b for a, b in zip(failed, point, strict=True))


def each_of(value: Any) -> Iterable[Any]:
    """Return a list, tuple or set as it is, anything else as the only item of a list."""
    return value if isinstance(value, list | tuple | set) else [value]


def within(frame: pd.DataFrame, allowed: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows whose columns have one of the values allowed for them, or are empty."""
    for column, values in allowed.items():
        if column in frame.columns:
            frame = frame[frame[column].isin(list(each_of(values))) | frame[column].isna()]
    return frame


class PublishedValues:
    """Published numbers by method, variant, metric and grid point.

    Parameters
    ----------
    frame : pandas.DataFrame or None
        As `report.published.load` returns it. Grid columns it does not have, or leaves empty,
        are not compared.
    """

    def __init__(self, frame: pd.DataFrame | None) -> None:
        self._values: dict[tuple[str, ...], list[tuple[dict[str, Any], float]]] = defaultdict(list)
        if frame is None or frame.empty:
            return
        columns = grid_columns(frame)
        for row in frame.to_dict("records"):
            point = {name: plain(row[name]) for name in columns}
            coordinates = {name: value for name, value in point.items() if value is not None}
            key = (str(row["method"]), str(row["variant"]), str(row["metric"]))
            self._values[key].append((coordinates, float(row["value"])))

    def find(
        self, method: str, variant: str, metric: str, point: Mapping[str, Any]
    ) -> float | None:
        """The published value at a grid point, or None."""
        for coordinates, value in self._values.get((method, variant, metric), []):
            if all(point.get(name) == wanted for name, wanted in coordinates.items()):
                return value
        return None
