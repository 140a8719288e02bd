"""``geoforest classify``: cross-validated classification of a user's images, series or tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from geoforest_cli import tables
from geoforest_cli.cli import table_options as options
from geoforest_cli.cli.output import say
from geoforest_cli.cli.progress import show_counts
from geoforest_cli.tables.choices import SCREEN

__all__ = ["classify"]


@click.command()
@options.table
@click.option("--label", required=True, metavar="COLUMN", help="Column with the classes.")
@options.method("morf with --shape, else rf")
@options.selection
@options.missing(
    "auto", "refuse", "best", "drop",
    text="an error; sent to the better side of each cut (best: rf, sporf); or rows to leave out. "
    "auto: best, and an error for other methods.",
)  # fmt: skip
@click.option(
    "--screen",
    is_flag=False,
    flag_value=SCREEN,
    metavar="[pairs|correlation|forest|auto|both]",
    help="Drop columns that depend on no other first, see `geoforest columns`; both if no value "
    "is given.",
)
@options.group("")
@options.level()
@click.option("--folds", type=click.IntRange(min=2), default=5, help="Parts to test on.")
@click.option(
    "--together",
    metavar="COLUMN",
    help="Rows with the same value in this column (several of one patient) are in one fold.",
)
@click.option(
    "--blocks", is_flag=True, help="Folds of blocks of consecutive rows, for rows in order of time."
)
@options.file("-o", "--output", text="Parquet, CSV or TSV of the predictions.")
@options.file(
    "--importances",
    text="Parquet, CSV or TSV of the importance of each column, by impurity and by permutation: "
    "all rows are predicted 5 times for each column.",
)
@options.file(
    "--picture",
    text="PNG, SVG or PDF of the importances: by permutation with --importances and without "
    "--shape, else by impurity.",
)
@options.common
def classify(
    *,
    table: Path,
    params: tuple[str, ...],
    output: Path | None,
    importances: Path | None,
    picture: Path | None,
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
    from geoforest_cli.tables.parameters import parse_pairs

    picture = options.usable(table, output, importances, picture=picture)
    kind: Literal["impurity", "permutation"] | None = None if picture is None else "impurity"
    with show_counts() as count:
        result = tables.cross_validate(
            table,
            params=parse_pairs(params),
            importances=kind if importances is None else "permutation",
            on_fold=_show_fold,
            on_column=lambda _done, total: count("columns permuted", 1, total),
            on_note=options.show_note,
            **given,
        )
    say(result.summary())
    say(result.class_summary())
    options.save(output, result.predictions)
    if result.importances is not None:
        shown = result.importances
        options.save(importances, shown, "impurity", "permutation", "low", "high")
        options.draw(picture, "draw_importances", result)


def _show_fold(number: int, of: int, accuracy: float) -> None:
    say(f"fold {number} of {of}: accuracy {accuracy:.4f}")
