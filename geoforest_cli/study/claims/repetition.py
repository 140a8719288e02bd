"""What the repetitions of a claim have in common, and what their spread is the spread of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.repetition import Split, Unit

if TYPE_CHECKING:
    from geoforest_cli.study.claims.points import GridPoint
    from geoforest_cli.study.frames import Table

__all__ = ["interval_note", "overlap_at"]


def overlap_at(unit: Unit, split: Split | None, at: Mapping[str, Any], table: Table) -> float:
    """Return what to add to 1/n in the variance of a mean over repetitions, at a grid point.

    Raises
    ------
    UserError
        If the unit is a split and nothing says of how much.
    """
    if unit != "split":
        return 0.0
    if split is None:
        raise UserError("the unit 'split' needs 'split', such as {test: 0.5}")
    if split.column is None or split.column in at:
        return split.overlap(at)
    # an axis of the check: the split that overlaps most
    return max(split.overlap({split.column: value}) for value in table.values(split.column))


def interval_note(unit: Unit, points: Sequence[GridPoint]) -> str:
    """Say what the spread over repetitions is the spread of, where it is not that of samples."""
    if unit == "seed":
        return "The interval is that of the method's seeds on this one data set."
    if unit == "query":
        return "The interval is that of the queries of this one data set."
    if unit == "split" and points:
        found = sorted({point.overlap for point in points})
        shown = " to ".join(f"{one:.3g}" for one in dict.fromkeys([found[0], found[-1]]))
        return f"Splits of one table: variance of the mean (1/n + {shown}) s², Nadeau and Bengio."
    return ""
