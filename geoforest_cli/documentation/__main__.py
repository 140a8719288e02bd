"""Write what is generated: ``python -m geoforest_cli.documentation [--picture]``."""

from __future__ import annotations

from pathlib import Path

import click

from geoforest_cli.documentation import commands, outcome, picture
from geoforest_cli.files import write_atomically

FIGURE = Path("results/settings/paper/figure.png")


@click.command()
@click.option("--picture", "draws", is_flag=True, help=f"Also docs/settings.png, from {FIGURE}.")
def main(*, draws: bool) -> None:
    """Write the README's table of outcomes and docs/commands.md, from the project's folder."""
    readme = Path("README.md")
    content = outcome.block(Path("results/reference"))
    _write(readme, outcome.filled(readme.read_text("utf-8"), content).encode())
    _write(Path("docs/commands.md"), commands.page().encode())
    if draws:
        _write(Path("docs/settings.png"), picture.shrunk(FIGURE))


def _write(path: Path, content: bytes) -> None:
    if not path.is_file() or path.read_bytes() != content:
        write_atomically(path, content)
        click.echo(f"{path} is written anew")


if __name__ == "__main__":
    main()
