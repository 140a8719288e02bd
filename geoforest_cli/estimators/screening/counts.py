"""Progress of a screen of many columns, told to whoever watches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from geoforest_cli.estimators.forests.forest import watcher

__all__ = ["MANY_COLUMNS", "counted"]

Result = TypeVar("Result")
MANY_COLUMNS = 5000  # columns: fewer take seconds


def counted(
    results: Iterable[Result], sizes: Sequence[int], what: str, columns: int
) -> Iterator[Result]:
    """Yield results, and report how much of all work each was, where there are many columns.

    Parameters
    ----------
    results : iterable
    sizes : sequence of int
        How much work each result was; reported is the share of the columns that it stands for.
    what : str
        What is counted.
    columns : int
        How many there are.

    Examples
    --------
    >>> token = watcher.set(lambda *said: print(*said))
    >>> list(counted("ab", [6000, 2000], "columns tested", 8000))
    columns tested 6000 8000
    columns tested 2000 8000
    ['a', 'b']
    >>> watcher.reset(token)
    """
    total, done, said = sum(sizes), 0, 0
    for result, size in zip(results, sizes, strict=True):
        done += size
        if columns >= MANY_COLUMNS:
            now = done * columns // total
            watcher.get()(what, now - said, columns)
            said = now
        yield result
