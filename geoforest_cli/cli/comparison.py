"""``geoforest neighbors --compare``: methods on a user's table, compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.output import print_table, say
from geoforest_cli.cli.progress import show_progress

__all__ = ["compare"]

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
    with show_progress(), _shown(output, picture, table) as finished:

        def keep(comparison: tables.Comparison) -> None:
            finished[:] = [comparison]
            if output is not None:
                comparison.write(output, table)

        tables.compare_neighbors(
            table, on_note=options.show_note, on_method=_show_method, on_result=keep, **given
        )


@contextmanager
def _shown(
    output: Path | None, picture: Path | None, table: Path
) -> Iterator[list[tables.Comparison]]:
    """Hand out a list for the comparison so far; print and write it at the end, or interrupted."""
    finished: list[tables.Comparison] = []
    try:
        yield finished
    except KeyboardInterrupt:
        if finished:
            say(f"Interrupted; finished, {len(finished[0].methods)} methods:", err=True)
            _finish(finished[0], output, picture, table)
        raise
    _finish(finished[0], output, picture, table)


def _finish(
    comparison: tables.Comparison, output: Path | None, picture: Path | None, table: Path
) -> None:
    """Print a comparison, write its lines and draw its picture."""
    _show(comparison)
    if picture is not None:
        say(comparison.write_picture(picture, table, output))
    if output is not None:
        comparison.write(output, table)
        say(output)


def _show(comparison: tables.Comparison) -> None:
    """Print a comparison: a table, how to read it and to go on, and what it says."""
    from geoforest_cli.tables.comparison_result import WITHOUT_LABEL

    labelled = comparison.classes is not None
    headers = ["method", comparison.measure.replace("_", " "), "95 % interval"]
    headers += ["plain share"] if labelled else []
    headers += ["behind the best", "seconds", "CPU seconds"]
    print_table(headers, [*_rows(comparison)], right=range(1, len(headers)))
    for why, methods in _by_reason(comparison.failed).items():
        say(f"Failed, {', '.join(methods)}: {why}", one_line=True)
    say(comparison.coverage())
    if not labelled:
        say(WITHOUT_LABEL)
    best = comparison.arguments[comparison.best]
    say(f"To list its neighbours: geoforest neighbors TABLE {best} -o FILE, with your options")
    say(_WHERE)
    say(comparison.summary())


def _rows(comparison: tables.Comparison) -> Iterator[list[str]]:
    """Return the cells of the methods, the best first, of chance, and of what failed."""
    labelled = comparison.classes is not None
    low, high = comparison.intervals
    nearer, farther = comparison.behind_intervals
    for number in comparison.order:
        yield [
            comparison.methods[number],
            f"{comparison.scores[number]:.3f}",
            f"{low[number]:.3f} to {high[number]:.3f}",
            *([f"{comparison.shares[number]:.3f}"] if labelled else []),
            ""
            if number == comparison.best
            else f"{comparison.behind[number]:.3f} ({nearer[number]:.3f} to {farther[number]:.3f})",
            f"{comparison.seconds[number]:.2f}",
            f"{comparison.cpu_seconds[number]:.2f}",
        ]
    share = [f"{comparison.chance_share:.3f}"] if labelled else []
    yield ["chance", f"{comparison.chance:.3f}", "", *share, "", "", ""]
    for name in comparison.failed:
        yield [name, "failed", "", *([""] if labelled else []), "", "", ""]


def _by_reason(failed: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the methods that could not run, those with the same reason together."""
    together: dict[str, list[str]] = {}
    for method, why in failed.items():
        together.setdefault(why, []).append(method)
    return together


def _show_method(method: str, number: int, of: int) -> None:
    options.show_note(f"{number} of {of}: {method} ...")
