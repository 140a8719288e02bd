"""``geoforest classify``: cross-validated classification of a user's images, series or tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.output import say
from geoforest_cli.cli.progress import show_counts
from geoforest_cli.tables.writers import require_output, require_picture

__all__ = ["classify"]


@click.command()
@options.table
@click.option("--label", required=True, metavar="COLUMN", help="Column with the classes.")
@click.option("--method", help="A classifier's name.  [default: morf with --shape, else rf]")
@click.option("--shape", help="Height x width of the images in the rows, or length of a series.")
@options.params
@options.columns
@options.exclude
@options.identifier
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
@click.option(
    "--together",
    metavar="COLUMN",
    help="Rows with the same value in this column (several of one patient) are in one fold.",
)
@click.option("-o", "--output", type=options.PATH, help="Parquet, CSV or TSV of the predictions.")
@click.option(
    "--importances", type=options.PATH, metavar="PATH",
    help="Parquet, CSV or TSV of the importance of each column, by impurity and by permutation: "
    "all rows are predicted 5 times for each column.",
)  # fmt: skip
@click.option(
    "--picture", type=options.PATH,
    help="PNG, SVG or PDF of the importances: by permutation with --importances and without "
    "--shape, else by impurity.",
)  # fmt: skip
@options.reading
@options.seed
@options.jobs
@options.verbose
def classify(
    *,
    table: Path,
    params: tuple[str, ...],
    output: Path | None,
    importances: Path | None,
    picture: Path | None,
    verbose: bool,
    **given: Any,
) -> None:
    """Classify the rows of TABLE with cross-validation.

    TABLE is CSV, TSV, Parquet, Feather, NPY, .h5ad or a workbook. The command shows the accuracy of
    each fold, their mean, the majority-class accuracy, the balanced accuracy (each class weighing
    the same) and the recall of each class. Rows count as independent: where several are of one
    patient, say, name the column that tells whose they are (--together), or the accuracy is too
    high.

    --importances writes a line for each column: column, impurity (its share in the decrease of
    impurity, of forests), permutation (the mean drop of accuracy when the column is permuted in
    rows that the model was not trained on), low and high (nine in ten of the drops, over folds and
    permutations, are between them).

    --picture draws the 30 largest; with --shape an image. Without --importances it needs a forest.

    --screen looks at the training rows of each fold only, without their classes; --group is found
    on all rows, without their classes.
    """
    if output is not None:
        require_output(output, table)
    if importances is not None:
        require_output(importances, table, output)
    if picture is not None:
        picture = require_picture(picture, table, output, importances)
    with options.in_options(verbose=verbose), show_counts() as count:
        from geoforest_cli.tables.classification_result import require_importances
        from geoforest_cli.tables.parameters import parse_pairs

        if picture is not None and importances is None:
            require_importances(given["method"], given["shape"])
        given["params"] = parse_pairs(params)
        result = tables.cross_validate(
            table,
            importances=importances is not None,
            on_fold=_show_fold,
            on_column=lambda _done, total: count("columns permuted", 1, total),
            on_note=options.show_note,
            **given,
        )
        say(result.summary())
        say(result.class_summary())
        if output is not None:
            result.write(output)
            say(output)
        if importances is not None:
            result.write_importances(importances)
            say(importances)
        if picture is not None:
            say(result.write_picture(picture))


def _show_fold(number: int, of: int, accuracy: float) -> None:
    say(f"fold {number} of {of}: accuracy {accuracy:.4f}")
