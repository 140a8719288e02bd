"""Blocks of pages that are generated: their markers, and the summaries they are made of."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.results.record import RECORD, read_record

__all__ = ["judged_before", "markers", "missing_note", "replace_block", "summary"]


def judged_before(reference: Path) -> list[str]:
    """Return the configs of a reference that an earlier version judged, by its rules.

    Their records have no digests of cells: these came with the rules of now.
    """
    folders = sorted(path.parent for path in reference.glob(f"*/{RECORD}"))
    return [folder.name for folder in folders if not read_record(folder).identities]


def markers(name: str) -> tuple[str, str]:
    """Return the comments before and after a block."""
    return f"<!-- {name}: written by make docs -->\n", f"<!-- end of {name} -->\n"


def replace_block(text: str, name: str, content: str) -> str:
    r"""Return a page with other content between the markers of a block.

    Raises
    ------
    UserError
        If a marker is missing.

    Examples
    --------
    >>> start, end = markers("outcome")
    >>> replace_block(f"a\n{start}old\n{end}b\n", "outcome", "new\n") == f"a\n{start}new\n{end}b\n"
    True
    """
    start, end = markers(name)
    before, has_start, rest = text.partition(start)
    _, has_end, after = rest.partition(end)
    if not has_start or not has_end:
        raise UserError(f"the text has no place for the {name}, between {start!r} and {end!r}")
    return f"{before}{start}{content}{end}{after}"


def summary(reference: Path, config: str) -> pd.DataFrame | None:
    """Return a config's summary; None if the reference does not have it."""
    path = reference / config / "summary.csv"
    return pd.read_csv(path) if path.exists() else None


def missing_note(config: str) -> str:
    """Return the sentence that replaces a table whose config is not in the reference."""
    return f"The outcome of `{config}` is not in `results/reference` yet.\n"
