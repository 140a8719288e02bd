"""``geoforest init``: copy the configs and experiments out, or a template of a study."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from geoforest_cli.cli import options
from geoforest_cli.cli.output import say
from geoforest_cli.core.bundled import bundled
from geoforest_cli.core.errors import UserError

__all__ = ["init"]

_TEMPLATE = {
    "study.yaml": "configs",
    "study.py": "configs",
    "published.csv": "configs",
    "figures.yml": ".github/workflows",
}


@click.command()
@click.argument("folder", type=options.FOLDER, default=Path())
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option(
    "--template",
    is_flag=True,
    help="Only a small study that runs as it stands: config, experiment, published values and a "
    "workflow of GitHub.",
)
def init(*, folder: Path, force: bool, template: bool) -> None:
    """Copy configs/ and experiments/ into FOLDER (by default, here) for editing."""
    if template:
        source = bundled("docs") / "template"
        copies = [(source / name, folder / below / name) for name, below in _TEMPLATE.items()]
    else:
        copies = [
            (source, folder / kind / source.relative_to(bundled(kind)))
            for kind, pattern in (("configs", "**/*.yaml"), ("experiments", "*.py"))
            for source in sorted(bundled(kind).glob(pattern))
        ]
    existing = [target for _, target in copies if target.exists()]
    if existing and not force:
        more = f" ({len(existing)} files in all)"
        raise UserError(f"{existing[0]} exists already{more}: --force overwrites")
    for source, target in copies:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (target.exists() and target.samefile(source)):
            shutil.copyfile(source, target)
    say(f"{len(copies)} files copied to {folder.resolve()}")
    if template:
        say("geoforest run configs/study.yaml runs the study")
