"""The errors that are the user's to mend: one sentence each, exit status 2, no traceback."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class UserError(Exception):
    """Mistake of the user; the message says what, where, and what is allowed."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence per problem."""
        return (str(self),)


class MachineError(UserError):
    """Failure of a machine where the input is right: exit status 1."""


class ConfigError(UserError):
    """A problem in a config, with its place.

    Parameters
    ----------
    message : str
        The sentence.
    file : path or str, optional
        The file, or any text that names the place, such as ``--set a.b=c``.
    line, column : int, optional
        Counted from 1.

    Examples
    --------
    >>> print(ConfigError("n must be at least 1", "configs/noise.yaml", 3, 5))
    configs/noise.yaml:3:5: n must be at least 1
    """

    def __init__(
        self,
        message: str,
        file: Path | str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message, file, line, column)
        self.message = message
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        numbers = (str(number) for number in (self.line, self.column) if number is not None)
        position = ":".join((str(self.file), *numbers)) if self.file is not None else ""
        return f"{position}: {self.message}" if position else self.message


class ConfigErrors(UserError):
    """All problems of a config, one line each.

    Parameters
    ----------
    problems : iterable of ConfigError
        At least one.
    """

    def __init__(self, problems: Iterable[ConfigError]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence per problem."""
        return tuple(str(problem) for problem in self.problems)


class DataError(UserError, ValueError):
    """The data are bad, or a data set cannot be had."""


class InvalidParameterError(DataError):
    """An estimator has a parameter that is not allowed."""


class MissingData(DataError):
    """A data set cannot be had here: not here yet, and not to be downloaded."""


class Unavailable(UserError):
    """Something optional is not installed, or does not exist on this platform."""
