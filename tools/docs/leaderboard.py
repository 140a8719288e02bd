"""The table of all methods on all shapes in docs/choosing.md, from the reference."""

from __future__ import annotations

from pathlib import Path

from geoforest_cli.study.report.site.leaderboard import NOISE, standings
from geoforest_cli.study.results.record import read_record
from tools.docs.blocks import missing_note, summary

__all__ = ["block"]


def block(reference: Path) -> str:
    """Return mean ranks and precisions, the best method first; a sentence if they are not there."""
    rows = summary(reference, "leaderboard")
    if rows is None:
        return missing_note("leaderboard")
    labels = read_record(reference / "leaderboard").labels
    lines = [
        f"| method | mean rank | {' | '.join(map(str, NOISE))} |",
        f"|---|{'---|' * (1 + len(NOISE))}",
    ]
    for method, rank, half, means in standings(rows):
        cells = [f"{rank:.1f} ± {half:.1f}", *(f"{mean:.2f}"[1:] for mean in means)]
        lines.append(f"| {labels[method]} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])
