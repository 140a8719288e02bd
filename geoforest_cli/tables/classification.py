"""Cross-validated classification of the rows of a user's table."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.tables.classification_result import ClassificationResult
from geoforest_cli.tables.cleaning import CleanOptions
from geoforest_cli.tables.copies import copies_note
from geoforest_cli.tables.cross_validation import (
    FoldModel,
    Labels,
    OnFold,
    cross_predict,
    screen_note,
)
from geoforest_cli.tables.folds import (
    Splits,
    label_copies,
    repeated_subjects,
    require_together,
)
from geoforest_cli.tables.importances import (
    OnColumn,
    Permutations,
    importance_table,
    require_impurity,
)
from geoforest_cli.tables.imputation import missing_note
from geoforest_cli.tables.labels import labelled_rows, majority_share, rare_classes
from geoforest_cli.tables.messages import as_argument, ignore
from geoforest_cli.tables.options import ClassificationOptions, takes_options
from geoforest_cli.tables.parameters import accepts_missing, checked
from geoforest_cli.tables.reading import RawTable, TableLike, open_table
from geoforest_cli.tables.scaling import chosen_scale
from geoforest_cli.tables.screens import ScreenOptions
from geoforest_cli.tables.shapes import Shape, require_columns, require_no_screen, sides
from geoforest_cli.tables.table import UserTable

__all__ = ["OnFold", "Shape", "cross_validate"]


@takes_options(ClassificationOptions)
def cross_validate(
    table: TableLike,
    label: str | npt.ArrayLike,
    method: str | None = None,
    shape: Shape | None = None,
    folds: int = 5,
    params: Mapping[str, Any] | None = None,
    *,
    importances: Literal["impurity", "permutation"] | None = None,
    on_fold: OnFold = ignore,
    on_column: OnColumn = ignore,
    **options: Any,
) -> ClassificationResult:
    """Classify the rows of a table, each by a model that has not seen it.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        A file is CSV, TSV, Parquet, NPY or a workbook. Rows may be images or series, one value per
        column.
    label : str or (N,) array
        The column with the classes, or the classes.
    method : str, optional
        A classifier, see ``geoforest list methods``; by default MORF with a `shape`, and a random
        forest without one, whose columns have no order.
    shape : str, int or (height, width), optional
        Of the images in the rows, such as "28x28", or the length of a series.
    folds : int
        Parts, each of which is tested on once; two classes at least have rows in all of them.
    params : mapping, optional
        Parameters of the method, such as ``{"n_estimators": 500}``.
    importances : {"impurity", "permutation"}, optional
        Compute `ClassificationResult.importances`: of the method fitted on all rows; and by
        permutation: for each fold and column all rows of the fold are predicted 5 times.
    on_fold : callable
        Called with the number of a fold that is done, from 1, of how many, and its accuracy.
    on_column : callable
        Called with how many columns are permuted, and of how many, all folds together.
    columns, exclude, level, seed, n_jobs, on_note, strict
        As in `find_neighbors`, and so is what says how a file is read.
    identifier : str, optional
        Column that names the rows, in `ClassificationResult.predictions`; it is left out as well.
    scale : {"auto", "none", "standardise", "min_max"}
        How columns are brought to one scale, learned on the training rows of each fold, see
        `scaling.chosen_scale`.
    missing : {"auto", "refuse", "best", "drop"}
        Missing values are an error; forests of columns (rf, sporf) send them to the side of each
        cut that scores better; or their rows are left out. "auto" is "best" where the method takes
        it, and else "refuse". Rows without a label are an error, or left out with "drop".
    screen : {"pairs", "correlation", "forest", "auto", "both"}, optional
        Drop the columns that depend on no other column, as the training rows of each fold show
        it, see `find_columns`. The classes do not count: a column that tells them and is
        independent of all other columns is dropped.
    group : str or int, optional
        Use one group of the columns that depend on each other: the one that holds this column, or
        the one of this number, as `find_columns` counts them from 1 with the same columns, level
        and seed. It is found on all rows, without their classes; folds have no screen then.
    together : str, optional
        Rows with the same value in this column, such as the number of a patient, are in one fold,
        so that none of them is classified by a model that has seen another one. The column is no
        feature.
    blocks : bool
        Folds are of blocks of consecutive rows, for rows in order of time.

    Returns
    -------
    ClassificationResult

    Raises
    ------
    UserError
        For a method, parameter, shape, screen, group or option that is wrong.
    DataError
        For a table that cannot be read or used, missing labels, fewer than two classes with a row
        for each fold, or a screen that keeps no column in a fold.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> images, digits = load_digits(n_class=3, return_X_y=True)
    >>> result = cross_validate(images, digits, shape="8x8", params={"n_estimators": 20})
    >>> result.accuracy > 0.9, result.naive < 0.4, len(result.predictions) == len(digits)
    (True, True, True)
    """
    if isinstance(label, Integral):  # the number of a column of an array
        label = str(label)
    asked = ClassificationOptions.of(options)
    if method is None:
        method = "rf" if sides(shape) is None else "morf"
    if importances == "impurity":
        require_impurity(method)
    given = checked(method, params, "classifier", sides(shape))
    choice = asked.group_choice(shape)
    screening = None
    if asked.screen is not None and choice is None:
        level, seed = asked.screen_level, asked.seed
        screening = ScreenOptions(asked.screen, level, seed=seed, n_jobs=asked.n_jobs)
    require_no_screen(asked.screen, shape)
    clean = CleanOptions(
        columns=asked.columns, identifier=asked.identifier,
        exclude=(*asked.exclude, *([asked.together] if asked.together else [])),
        # pixels that never vary belong to the image, and no constant column harms a classifier
        keep_constant=True, missing=_kept_or(method, asked.missing, given), remedies=("drop",),
    )  # fmt: skip
    images = shape is not None
    raw = open_table(table, asked)
    require_together(raw, asked.together, (*asked.columns, label))
    data, labels = labelled_rows(raw, label, clean, images=images)
    notes = list(data.notes)
    if given.get("missing") == "best":
        notes += missing_note(data)
    if choice is not None:
        ((data, screened),) = choice.tables(data).values()
        notes.append(screened.note)
    rescale, note = chosen_scale(method, asked.scale, data.points, images=images)
    require_columns(shape, data.points.shape[1])
    majority_share(labels, label, folds, raw.name)
    splits = Splits.of(raw, data.rows, asked, folds)
    leaks = _leak_notes(raw, data, labels, label, together=asked.together is not None)
    notes += filter(None, (note, rare_classes(labels, folds), splits.note, *leaks))
    for note in (*notes, data.used()):
        asked.on_note(note)
    model = FoldModel(method, given, rescale, screening, data, asked.seed, asked.n_jobs)
    permutations = Permutations(model, folds, on_column)
    on_tested = permutations.add if importances == "permutation" else ignore
    predicted, accuracies, screens = cross_predict(model, labels, splits, on_fold, on_tested)
    folds_kept = None
    if screens:
        counts = np.sum([screen.kept for screen in screens], axis=0)
        folds_kept = pd.Series(counts, index=list(screens[0].names), name="folds_kept")
        notes.append(screen_note(screens, folds_kept))
        asked.on_note(notes[-1])
    predictions = pd.DataFrame({"row": data.rows, "label": labels, "predicted": predicted})
    if asked.identifier is not None or raw.row_names is not None:
        predictions.insert(0, "id", data.ids)
    table_of = importance_table(model, labels, permutations) if importances else None
    return ClassificationResult(
        method, given, accuracies, splits.majority_share(labels), predictions, data.columns,
        sides(shape), tuple(notes), folds_kept, data.left_out, table_of,
    )  # fmt: skip


def _leak_notes(
    raw: RawTable, data: UserTable, labels: Labels, label: str | npt.ArrayLike, *, together: bool
) -> list[str]:
    """Return notes on rows of one thing in several folds, unless kept together, and on labels."""
    rows = raw.frame.iloc[data.rows]
    copies = label_copies(rows[rows.columns.intersection(list(data.sources))], labels, label)
    if together:
        return [copies]
    return [repeated_subjects(rows, labels, label), copies_note(data.points), copies]


def _kept_or(
    method: str, missing: str, params: dict[str, Any]
) -> Literal["refuse", "drop", "keep"]:
    """Return what becomes of missing values when the table is read, and let the method take them.

    Raises
    ------
    UserError
        If the method takes none where it has to.
    """
    if missing in {"auto", "best"} and accepts_missing(method):
        return "keep" if params.setdefault("missing", "best") != "refuse" else "refuse"
    if missing == "best":
        argument = as_argument("missing", missing)
        raise UserError(f"{argument}: {method} takes no missing values; rf and sporf do")
    return "drop" if missing == "drop" else "refuse"
