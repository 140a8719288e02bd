"""``geoforest neighbors --compare``: methods on a user's table, compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.output import print_frame, say
from geoforest_cli.cli.progress import show_progress
from geoforest_cli.tables.writers import write_table

if TYPE_CHECKING:
    from geoforest_cli.tables.comparison_result import MethodComparison

__all__ = ["compare"]

_NOT_SHOWN = ["chance", "as_good", "chance_share", "failed"]
_HEADERS = {"share": "plain_share", "cpu_seconds": "CPU seconds"}
_WHERE = "What the scores mean: docs/own_data.md; when which method leads: docs/choosing.md"


def compare(table: Path, output: Path | None, picture: Path | None, **given: Any) -> None:
    """Compare methods, write the results so far after each of them, and print all at the end.

    Parameters
    ----------
    table : Path
    output, picture : Path, optional
    **given
        What `tables.compare_neighbors` takes.

    Raises
    ------
    KeyboardInterrupt
        What has finished is printed then.
    """
    finished: list[MethodComparison] = []

    def keep(comparison: MethodComparison) -> None:
        finished[:] = [comparison]
        if output is not None:
            write_table(output, [comparison.frame()])

    try:
        with show_progress():
            tables.compare_neighbors(
                table, on_note=options.show_note, on_method=_show_method, on_result=keep, **given
            )
    except KeyboardInterrupt:
        if finished:
            say(f"Interrupted; finished, {len(finished[0].methods)} methods:", err=True)
        raise
    finally:
        for comparison in finished:
            _show(comparison)
            options.draw(picture, "draw_comparison", comparison)
            if output is not None:
                say(output)


def _show(comparison: MethodComparison) -> None:
    """Print a comparison: a table, how to read it and to go on, and what it says."""
    lines = comparison.frame().drop(columns=_NOT_SHOWN).rename(columns=_HEADERS)
    names = [name.replace("_", " ") for name in map(str, lines)]
    formats = {name: ".2f" if "seconds" in name else ".3f" for name in names}
    print_frame(lines.set_axis(names, axis=1), formats, "methods")
    chance, plain = comparison.chance, comparison.chance_share
    say(f"Neighbours drawn at random: {chance:.3f} (plain share {plain:.3f})")
    for method, reason in comparison.failed.items():
        say(f"{method} failed: {reason}", one_line=True)
    say(comparison.coverage())
    best = comparison.arguments[comparison.best]
    say(f"To list its neighbours: geoforest neighbors TABLE {best} -o FILE, with your options")
    say(_WHERE)
    say(comparison.summary())


def _show_method(method: str, number: int, of: int) -> None:
    options.show_note(f"{number} of {of}: {method} ...")
