"""Points made coarser: means over some grid columns, repetition by repetition."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from geoforest_cli.claims.verdicts import GridPoint, pooled

__all__ = ["averaged"]


def averaged(points: Sequence[GridPoint], columns: Collection[str]) -> list[GridPoint]:
    """Return one point for each combination of the other grid values.

    Parameters
    ----------
    points : sequence of GridPoint
    columns : collection of str
        What is averaged over; without any the points stay as they are.

    Examples
    --------
    >>> from geoforest_cli.claims.verdicts import Contrast
    >>> points = [
    ...     GridPoint({"data": data, "n": n}, [Contrast({}, {0: value})])
    ...     for data, n, value in [("bars", 10, 1.0), ("bars", 20, 3.0), ("circle", 10, 5.0)]
    ... ]
    >>> [(point.at, point.contrasts[0].values) for point in averaged(points, ["n"])]
    [({'data': 'bars'}, {0: 2.0}), ({'data': 'circle'}, {0: 5.0})]
    """
    if not columns:
        return list(points)
    groups: dict[tuple[tuple[str, object], ...], list[GridPoint]] = {}
    for point in points:
        kept = tuple((name, value) for name, value in point.at.items() if name not in columns)
        groups.setdefault(kept, []).append(point)
    return [replace(one, at=dict(kept)) for kept, group in groups.items() for one in pooled(group)]
