"""Write the generated pages and tables: ``python -m tools.docs [--picture]``."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli.core.files import write_atomically
from geoforest_cli.study import plan
from tools.docs import (
    claims,
    commands,
    findings,
    leaderboard,
    outcome,
    own_tables,
    picture,
    screens,
)
from tools.docs.blocks import replace_block

REFERENCE = Path("results/reference")
BLOCKS = {
    Path("README.md"): {"outcome": outcome.block},
    Path("docs/choosing.md"): {"leaderboard": leaderboard.block, "own tables": own_tables.block},
    Path("docs/screening.md"): {"rows needed": screens.block},
}
PICTURE = Path("docs/noise.png")


@click.command()
@click.option("--picture", "draws", is_flag=True, help=f"Also {PICTURE}.")
def main(*, draws: bool) -> None:
    """Write commands.md, claims.md and findings.md in docs, and tables of README.md and others."""
    for page, blocks in BLOCKS.items():
        text = page.read_text("utf-8")
        for name, block in blocks.items():
            text = replace_block(text, name, block(REFERENCE))
        _write(page, text.encode())
    _write(Path("docs/commands.md"), commands.page().encode())
    plans = [plan.load(path) for path in sorted(Path("configs").glob("*.yaml"))]
    _write(Path("docs/claims.md"), claims.page(plans).encode())
    _write(Path("docs/findings.md"), findings.page(REFERENCE).encode())
    if draws:
        _write(PICTURE, picture.drawn(REFERENCE))


def _write(path: Path, content: bytes) -> None:
    if not path.is_file() or path.read_bytes() != content:
        write_atomically(path, content)
        click.echo(f"{path} has been rewritten")


if __name__ == "__main__":
    main()
