"""``geoforest neighbors --compare``: all methods on a user's own table, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from geoforest_cli import own_data
from geoforest_cli.cli.saying import say

__all__ = ["compared"]

_WHERE = "When which method leads, and when to screen first: docs/choosing.md"


def compared(ask: Callable[[], own_data.Comparison], output: Path | None) -> None:
    """Show a comparison: a table, a sentence, and where to read on.

    Parameters
    ----------
    ask : callable
        Makes the comparison.
    output : Path, optional
        Where its table is written as well.
    """
    found = ask()
    frame = found.frame()
    for line in _lines(frame):
        say(line)
    for why, methods in _by_reason(found.failed).items():
        say(f"Left out, {', '.join(methods)}: {why}", err=True, one_line=True)
    say(found.summary())
    say(_WHERE)
    if output is not None:
        own_data.write_blocks(output, [frame])
        say(output)


def _by_reason(failed: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the methods that could not run, those with the same reason together."""
    together: dict[str, list[str]] = {}
    for method, why in failed.items():
        together.setdefault(why, []).append(method)
    return together


def _lines(frame: pd.DataFrame) -> list[str]:
    """Return a table of names and shares in columns of equal width."""
    rows: list[Sequence[str]] = [
        list(frame.columns),
        *(
            [cells[0], *(f"{share:.2f}" for share in cells[1:])]
            for cells in frame.itertuples(index=False)
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
