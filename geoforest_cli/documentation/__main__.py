"""Write what is generated: ``python -m geoforest_cli.documentation [--picture]``."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli.documentation import commands, leaderboard, outcome, own_tables, picture, screens
from geoforest_cli.documentation.marks import filled
from geoforest_cli.files import write_atomically

REFERENCE = Path("results/reference")
BLOCKS = {
    Path("README.md"): {"outcome": outcome.block},
    Path("docs/choosing.md"): {"leaderboard": leaderboard.block, "own tables": own_tables.block},
    Path("docs/screening.md"): {"rows needed": screens.block},
}
FIGURE = Path("results/settings/paper/figure.png")


@click.command()
@click.option("--picture", "draws", is_flag=True, help=f"Also docs/settings.png, from {FIGURE}.")
def main(*, draws: bool) -> None:
    """Write docs/commands.md, and the tables of README.md and of pages on what was measured."""
    for page, blocks in BLOCKS.items():
        text = page.read_text("utf-8")
        for name, block in blocks.items():
            text = filled(text, name, block(REFERENCE))
        _write(page, text.encode())
    _write(Path("docs/commands.md"), commands.page().encode())
    if draws:
        _write(Path("docs/settings.png"), picture.shrunk(FIGURE))


def _write(path: Path, content: bytes) -> None:
    if not path.is_file() or path.read_bytes() != content:
        write_atomically(path, content)
        click.echo(f"{path} is written anew")


if __name__ == "__main__":
    main()
