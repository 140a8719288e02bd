"""``geoforest classify``: cross-validated classification of a user's images, series or tables."""

from pathlib import Path
from typing import Any

import click

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.output import say
from geoforest_cli.cli.progress import show_compiling

__all__ = ["classify"]


@click.command()
@options.table
@click.option("--label", required=True, metavar="COLUMN", help="Column with the classes.")
@click.option("--method", help="A classifier's name.  [default: morf with --shape, else rf]")
@click.option("--shape", help="Height x width of the images in the rows, or length of a series.")
@options.params
@options.columns
@options.exclude
@options.scale
@click.option(
    "--missing", type=click.Choice(["auto", "refuse", "best", "drop"]), default="auto",
    show_default=True,
    help="Missing values: an error; sent to the better side of each cut (best: rf, sporf); or rows "
    "to leave out. auto: best, and an error for other methods.",
)  # fmt: skip
@options.screen
@options.group("")
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
    params: tuple[str, ...],
    output: Path | None,
    picture: Path | None,
    verbose: bool,
    **given: Any,
) -> None:
    """Classify the rows of TABLE (CSV, TSV, Parquet or a workbook) with cross-validation.

    Shows the accuracy of each fold, their mean and the majority-class accuracy. The importance
    picture needs a forest; with --shape it is an image, otherwise bars. --screen uses only the
    training rows of each fold, and not their classes; --group is found on all rows, without them.
    """
    if output is not None:
        tables.require_output(output, table)
    if picture is not None:
        picture = tables.require_picture(picture, table, output)
    with options.in_options(verbose=verbose), show_compiling():
        if picture is not None:
            tables.require_importances(given["method"], given["shape"])
        given["params"] = tables.parse_pairs(params)
        result = tables.cross_validate(
            table, on_fold=_show_fold, on_note=options.show_note, **given
        )
        say(result.summary())
        if output is not None:
            result.write(output)
            say(output)
        if picture is not None:
            say(result.write_picture(picture))


def _show_fold(number: int, of: int, accuracy: float) -> None:
    say(f"fold {number} of {of}: accuracy {accuracy:.4f}")
