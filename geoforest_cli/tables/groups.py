"""Groups of a user's columns: the one that a name or a number means, and its table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.choices import EACH, SCREEN, Group, NeighborScreen, parse_group
from geoforest_cli.tables.messages import as_argument, format_names
from geoforest_cli.tables.screens import ScreenOptions, ScreenResult
from geoforest_cli.tables.shapes import Shape
from geoforest_cli.tables.table import UserTable

__all__ = ["EACH", "Group", "GroupChoice", "parse_group"]


@dataclass(frozen=True)
class GroupChoice:
    """Choice of a group of columns, and how groups are found.

    Attributes
    ----------
    group : str or int
        A column of the group, or its number, from 1, as `find_columns` counts; or "each".
    screening : ScreenOptions
    """

    group: Group
    screening: ScreenOptions

    @classmethod
    def of(
        cls,
        group: Group,
        screen: NeighborScreen | None,
        shape: Shape | None,
        *,
        level: float,
        seed: int,
        n_jobs: int | None,
    ) -> GroupChoice:
        """Check what a user says; a screen that is not named is that of `find_columns`.

        Raises
        ------
        UserError
            For images, of which all columns are needed, without a screen, or as `ScreenOptions`.
        """
        argument = as_argument("group", group)
        if shape is not None:
            needs = f"{as_argument('shape', shape)} needs all of them"
            raise UserError(f"{argument}: a group is some of the columns, and {needs}")
        if screen == "none":
            none = as_argument("screen", "none")
            raise UserError(f"{argument}: a screen finds the groups, and {none} asks for none")
        which = SCREEN if screen is None or screen == "auto" else screen
        screening = ScreenOptions(which, level, seed=seed, n_jobs=n_jobs, grouped=True)
        return cls(group, screening)

    def tables(self, data: UserTable) -> dict[int, tuple[UserTable, ScreenResult]]:
        """Return, by its number, the table of the columns of the group, or of each group.

        Raises
        ------
        DataError
            If no column is in a group, or as `ScreenOptions.fit`.
        UserError
            For a group that is not there.
        """
        result = self.screening.fit(data.points, data.sources, data.name)
        argument = as_argument("group", self.group)
        if not result.count:
            raise DataError(
                f"{argument}: {data.name} has no group, since no column was found to depend on "
                f"another ({self.screening.statistic}, {self.screening.rate})"
            )
        if self.group == EACH:
            numbers = range(1, result.count + 1)
        else:
            number = _number(result, self.group, argument, data.name)
            numbers = range(number, number + 1)
        return {number: _of_group(data, result, number) for number in numbers}


def _of_group(data: UserTable, result: ScreenResult, number: int) -> tuple[UserTable, ScreenResult]:
    """Return the table of a group's columns, and the screen as if it had kept these alone."""
    names = result.group_of(number)
    count = f"{len(names)} of {len(result.names)} columns"
    note = f"Group {number} of {result.count}, {count}: {format_names(names)}."
    screened = replace(result, kept=result.groups == number, note=note)
    return data.select_columns(screened.kept_among(data.sources)), screened


def _number(result: ScreenResult, group: Group, argument: str, name: str) -> int:
    """Return the number of the group that a user means.

    Raises
    ------
    UserError
    """
    groups = f"{result.count} group{'s' if result.count > 1 else ''} of columns"
    if isinstance(group, int | np.integer):
        if not 1 <= group <= result.count:
            possible = "1" if result.count == 1 else f"1 to {result.count}"
            raise UserError(f"{argument}: {name} has {groups}, so that {possible} is possible")
        return int(group)
    members = [column for column, g in zip(result.names, result.groups, strict=True) if g > 0]
    if group not in result.names:
        raise UserError(f"{argument}: {unknown('column', group, members)}")
    number = int(result.groups[result.names.index(group)])
    if number < 1:
        raise UserError(
            f"{argument}: this column depends on no other and is in no group; {name} has {groups}, "
            f"which hold {format_names(members)}"
        )
    return number
