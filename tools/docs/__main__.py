"""Write the generated pages and tables: ``python -m tools.docs [--picture]``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from geoforest_cli.core.files import write_atomically
from geoforest_cli.study.report.site import picture
from geoforest_cli.study.report.site.runs import read
from tools.docs import (
    absent,
    changed,
    findings,
    leaderboard,
    outcome,
    own_tables,
    regret,
    screens,
)
from tools.docs.blocks import replace_block

REFERENCE = Path("results/reference")
BLOCKS: dict[Path, dict[str, Callable[[Path], str]]] = {
    Path("README.md"): {"outcome": outcome.block},
    Path("docs/choosing.md"): {
        "regret": regret.block,
        "leaderboard": leaderboard.block,
        "own tables": own_tables.block,
    },
    Path("docs/screening.md"): {"rows needed": screens.block},
    Path("docs/verdicts.md"): {"absent": absent.block},
}
PAGES: dict[Path, Callable[[Path], str]] = {
    Path("docs/expected.md"): changed.page,
    Path("docs/findings.md"): findings.page,
}
PICTURE = Path("docs/noise.png")


@click.command()
@click.option("--picture", "draws", is_flag=True, help=f"Also {PICTURE}.")
def main(*, draws: bool) -> None:
    """Write docs/findings.md, docs/expected.md, and tables of README.md and other pages."""
    for page, blocks in BLOCKS.items():
        text = page.read_text("utf-8")
        for name, block in blocks.items():
            text = replace_block(text, name, block(REFERENCE))
        _write(page, text.encode())
    for path, content in PAGES.items():
        _write(path, content(REFERENCE).encode())
    if draws:
        runs = {run.name: run.lines for run in read(REFERENCE)}
        _write(PICTURE, picture.drawn(runs) or b"")


def _write(path: Path, content: bytes) -> None:
    if not path.is_file() or path.read_bytes() != content:
        write_atomically(path, content)
        click.echo(f"{path} has been rewritten")


if __name__ == "__main__":
    main()
