"""``geoforest classify``: cross-validated classification of a user's images, series or tables."""

from pathlib import Path
from typing import Literal, Unpack

import click

from geoforest_cli import own_data
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.saying import say
from geoforest_cli.cli.watching import compiling_told

__all__ = ["classify"]


@click.command()
@options.table
@click.option("--label", required=True, metavar="COLUMN", help="Column with the classes.")
@click.option("--method", help="A classifier's name.  [default: morf with --shape, else rf]")
@click.option("--shape", help="Height x width of the images in the rows, or length of a series.")
@options.params
@options.columns
@options.scale
@click.option(
    "--missing", type=click.Choice(["refuse", "drop"]), default="refuse", show_default=True,
    help="Missing values: an error, or rows to leave out.",
)  # fmt: skip
@options.screen
@options.level
@click.option(
    "--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Parts to test on."
)
@click.option("-o", "--output", type=options.PATH, help="Parquet, CSV or TSV of the predictions.")
@click.option("--picture", type=options.PATH, help="PNG, SVG or PDF of the importance.")
@options.reading
@options.seed
@options.jobs
@options.verbose
def classify(
    *,
    table: Path,
    label: str,
    method: str | None,
    shape: str | None,
    params: tuple[str, ...],
    columns: tuple[str, ...],
    scale: own_data.Scale,
    missing: Literal["refuse", "drop"],
    screen: own_data.Which | None,
    level: float,
    folds: int,
    output: Path | None,
    picture: Path | None,
    seed: int,
    jobs: int | None,
    verbose: bool,
    **how: Unpack[own_data.Reading],
) -> None:
    """Classify the rows of TABLE (CSV, TSV, Parquet or a workbook) with cross-validation.

    Says the accuracy of each fold, their mean and a naive guess's. The importance picture needs
    a forest; with --shape it is an image, otherwise bars. --screen looks at the training rows of
    each fold alone, and not at their classes.
    """
    if output is not None:
        own_data.require_output(output, table)
    if picture is not None:
        picture = own_data.require_picture(picture, table, output)
    with options.in_options(verbose=verbose), options.warnings_told(), compiling_told():
        if picture is not None:
            own_data.require_importances(method, shape)
        found = own_data.cross_validate(
            table, label, method, shape, folds, own_data.parse_pairs(params), columns=columns,
            scale=scale, missing=missing, screen=screen, level=level, seed=seed, n_jobs=jobs,
            on_fold=_tell_fold, on_note=options.tell, **how,
        )  # fmt: skip
        say(found.summary())
        if output is not None:
            found.write(output)
            say(output)
        if picture is not None:
            say(found.write_picture(picture))


def _tell_fold(number: int, of: int, accuracy: float) -> None:
    say(f"fold {number} of {of}: accuracy {accuracy:.4f}")
