"""Gather what Sphinx reads in one folder: ``python -m tools.docs.site build/docs/source``."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

__all__ = ["gather", "main"]

EXAMPLES = "examples"  # kept, so that examples which have not changed do not run again


def gather(docs: Path, source: Path) -> None:
    """Copy pages, settings and examples into one folder: Sphinx writes pages of its own there.

    Parameters
    ----------
    docs : Path
        The folder of pages, with ``sphinx`` and ``gallery`` in it.
    source : Path
        What is in it from an earlier build is removed, but for the output of the examples.
    """
    source.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        if path.is_file():
            path.unlink()
        elif path.name != EXAMPLES:
            shutil.rmtree(path)
    shutil.copytree(docs / "sphinx", source, dirs_exist_ok=True)
    shutil.copytree(docs / "gallery", source / "gallery")
    for path in (*docs.glob("*.md"), *docs.glob("*.png")):
        shutil.copy2(path, source)


@click.command()
@click.argument("source", type=click.Path(path_type=Path, file_okay=False))
def main(source: Path) -> None:
    """Gather in SOURCE what Sphinx reads."""
    gather(Path("docs"), source)


if __name__ == "__main__":
    main()
