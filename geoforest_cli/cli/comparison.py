"""``geoforest neighbors --compare``: all methods on a user's table, compared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from geoforest_cli import tables
from geoforest_cli.cli.output import print_table, say

__all__ = ["show_comparison"]

_WHERE = "When which method leads, and when to screen first: docs/choosing.md"


def show_comparison(comparison: tables.Comparison, output: Path | None) -> None:
    """Print a comparison: a table, a sentence, and where to read on; write its table as well."""
    frame = comparison.frame()
    rows = [
        [cells[0], *(f"{share:.2f}" for share in cells[1:])]
        for cells in frame.itertuples(index=False)
    ]
    print_table(list(frame.columns), rows, right=range(1, len(frame.columns)))
    for why, methods in _by_reason(comparison.failed).items():
        say(f"Left out, {', '.join(methods)}: {why}", err=True, one_line=True)
    say(comparison.summary())
    say(_WHERE)
    if output is not None:
        tables.write_table(output, [frame])
        say(output)


def _by_reason(failed: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the methods that could not run, those with the same reason together."""
    together: dict[str, list[str]] = {}
    for method, why in failed.items():
        together.setdefault(why, []).append(method)
    return together
