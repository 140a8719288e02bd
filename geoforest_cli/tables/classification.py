"""Cross-validated classification of the rows of a user's table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.estimators.methods import METHODS, kind_of
from geoforest_cli.tables.cleaning import CleanOptions
from geoforest_cli.tables.cross_validation import (
    FoldModel,
    Labels,
    OnFold,
    cross_predict,
    screen_note,
)
from geoforest_cli.tables.importances import IMPORTANCES, OnColumn, Permutations, by_source
from geoforest_cli.tables.imputation import missing_note
from geoforest_cli.tables.labels import labelled_rows, majority_share, rare_classes
from geoforest_cli.tables.messages import as_argument, ignore
from geoforest_cli.tables.options import ClassificationOptions, takes_options
from geoforest_cli.tables.parameters import accepts_missing, checked
from geoforest_cli.tables.reading import TableLike, open_table
from geoforest_cli.tables.scaling import chosen_scale
from geoforest_cli.tables.screens import ScreenOptions
from geoforest_cli.tables.shapes import Shape, require_columns, require_no_screen, sides
from geoforest_cli.tables.writers import require_picture, write_table

__all__ = ["ClassificationResult", "OnFold", "Shape", "cross_validate", "require_importances"]

_WITH_SHAPE, _WITHOUT_SHAPE = "morf", "rf"


@dataclass(frozen=True, eq=False)
class ClassificationResult:
    """What cross-validation found.

    Attributes
    ----------
    method : str
    params : mapping
        The parameters that it was given.
    accuracies : tuple of float
        Of each fold.
    naive : float
        Majority-class accuracy: the share of the most frequent class.
    predictions : pandas.DataFrame
        row (its number in the table, from 0), label and predicted, the classes as text; every row
        is predicted once, by a model that has not seen it. Where rows have names, these are in a
        first column, id.
    columns : tuple of str
        The columns that were used.
    shape : tuple of int, optional
        Height and width of the images in the rows; height 1 for a series.
    notes : tuple of str
        One sentence for everything that was left out.
    folds_kept : pandas.Series, optional
        In how many folds the screen has kept each column, if there was one.
    left_out : mapping
        The columns that were not used, with the reason.
    permutation : pandas.DataFrame, optional
        Where it was asked for, a line for each column, the most important one first: column,
        impurity (its share in the decrease of impurity of the method fitted on all rows, NaN for
        methods that have none), permutation (how much the accuracy drops when the column is
        permuted in the rows that are tested, mean over folds and 5 repeats), low and high. Nine in
        ten drops are between low and high: they cover the choice of the tested rows and of the
        permutation, and are no confidence interval of the mean.
    """

    method: str
    params: Mapping[str, Any]
    accuracies: tuple[float, ...]
    naive: float
    predictions: pd.DataFrame = field(repr=False)
    columns: tuple[str, ...] = field(repr=False)
    shape: tuple[int, int] | None
    notes: tuple[str, ...]
    folds_kept: pd.Series[int] | None = field(repr=False)
    left_out: Mapping[str, str] = field(repr=False)
    _model: FoldModel = field(repr=False)
    _labels: Labels = field(repr=False)
    permutation: pd.DataFrame | None = field(default=None, repr=False)

    @property
    def accuracy(self) -> float:
        """Mean over the folds."""
        return float(np.mean(self.accuracies))

    @property
    def standard_error(self) -> float:
        """Of `accuracy`."""
        return float(np.std(self.accuracies, ddof=1) / np.sqrt(len(self.accuracies)))

    def summary(self) -> str:
        """Return the accuracy, its standard error and the majority-class accuracy in a sentence."""
        return (
            f"{self.method}: accuracy {self.accuracy:.4f}, standard error "
            f"{self.standard_error:.4f} over {len(self.accuracies)} folds; "
            f"majority-class accuracy: {self.naive:.4f}"
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write `predictions` to a Parquet, CSV or TSV file.

        Raises
        ------
        DataError
            For another ending, a folder that is not there, or the table's own file.
        """
        write_table(path, [self.predictions], self._model.data.path)

    def importances(self) -> pd.Series[float]:
        """Fit the method on all rows and return each column's share in the decrease of impurity.

        A column that the screen drops on all rows has none.

        Raises
        ------
        UserError
            If the method has no importances.
        """
        fitted = replace(self._model).fit(self._model.data.points, self._labels)
        kept = fitted.columns()
        if not hasattr(fitted.model, "feature_importances_"):
            raise UserError(_no_importances(self.method))
        shares = np.zeros(len(kept))
        shares[kept] = fitted.model.feature_importances_
        return pd.Series(shares, index=list(self.columns), name="importance")

    def write_importances(self, path: str | os.PathLike[str]) -> None:
        """Write `permutation` to a Parquet, CSV or TSV file.

        Raises
        ------
        UserError
            If it was not asked for.
        DataError
            As `write`.
        """
        if self.permutation is None:
            raise UserError("the importances were not asked for: importances=True computes them")
        write_table(path, [self.permutation], self._model.data.path, rounded=IMPORTANCES)

    def write_picture(self, path: str | os.PathLike[str]) -> Path:
        """Draw importances as PNG, SVG or PDF: the 30 largest by name, largest first.

        They are those of `permutation`, with low and high, where it was asked for, and else
        `importances`. Images are an image, and series are bars in order, of `importances` wherever
        the method has them.

        Returns
        -------
        Path
            The file: .png is added where there is no ending.

        Raises
        ------
        UserError
            If the method has no importances.
        DataError
            For another ending, a folder that is not there, or the table's own file.
        """
        from geoforest_cli.tables.importance_figure import write_picture

        require_picture(path, self._model.data.path)
        if self.permutation is None:
            shares = self.importances()
            if self.shape is None:
                shares = by_source(shares, self._model.data.sources)
            return write_picture(shares, self.shape, Path(path))
        table = self.permutation.set_index("column")
        if self.shape is None:
            bounds = table[["low", "high"]]
            return write_picture(table["permutation"], None, Path(path), bounds=bounds)
        kind = "permutation" if table["impurity"].isna().any() else "impurity"
        return write_picture(table[kind][list(self.columns)], self.shape, Path(path))


def require_importances(method: str | None, shape: Shape | None = None) -> None:
    """Refuse a method that has no importances: worth asking before it is trained for a picture.

    Parameters
    ----------
    method, shape
        As in `cross_validate`. A method of the user's may have them once it is trained.

    Raises
    ------
    UserError

    Examples
    --------
    >>> require_importances("morf")
    >>> require_importances("knn")
    Traceback (most recent call last):
    geoforest_cli.core.errors.UserError: importances: knn has no importances; morf, sporf and \
rf have
    """
    name = method or (_WITHOUT_SHAPE if sides(shape) is None else _WITH_SHAPE)
    known = name in METHODS and ":" not in name and kind_of(name) == "classifier"
    if known and not hasattr(METHODS[name].load(), "feature_importances_"):
        raise UserError(_no_importances(name))


def _no_importances(method: str) -> str:
    return f"{as_argument('importances')}: {method} has no importances; morf, sporf and rf have"


@takes_options(ClassificationOptions)
def cross_validate(
    table: TableLike,
    label: str | npt.ArrayLike,
    method: str | None = None,
    shape: Shape | None = None,
    folds: int = 5,
    params: Mapping[str, Any] | None = None,
    *,
    importances: bool = False,
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
    importances : bool
        Compute `ClassificationResult.permutation`: for each fold and column all rows of the fold
        are predicted 5 times.
    on_fold : callable
        Called with the number of a fold that is done, from 1, of how many, and its accuracy.
    on_column : callable
        Called with how many columns are permuted, and of how many, all folds together.
    columns : sequence of str
        Columns to use; by default all numeric ones and categories but the label.
    exclude : sequence of str
        Columns to leave out.
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
    level : float
        Bound on the probability that the screen of a fold keeps any column that is independent of
        all others.
    seed : int
        Random seed.
    n_jobs : int, optional
        Threads; by default one per core. The result does not depend on it.
    on_note : callable
        Called with each note as soon as it is known, and with the columns that are used.
    sep, decimal, encoding, sheet : str, optional
        How a file is read, see `geoforest_cli.tables.dialect.ReadingOptions`.

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
    >>> result.importances().to_numpy().reshape(result.shape).shape
    (8, 8)
    """
    chosen = ClassificationOptions.of(options)
    if method is None:
        method = _WITHOUT_SHAPE if shape is None else _WITH_SHAPE
    given = checked(method, params, "classifier", sides(shape))
    choice = chosen.group_choice(shape)
    screening = _screen_of_folds(chosen) if choice is None else None
    require_no_screen(chosen.screen, shape)
    clean = _clean_options(chosen, _kept_or(method, chosen.missing, given))
    images = shape is not None
    raw = open_table(table, chosen)
    data, labels = labelled_rows(raw, label, clean, images=images)
    notes = list(data.notes)
    if given.get("missing") == "best":
        notes += missing_note(data)
    if choice is not None:
        ((data, screened),) = choice.tables(data).values()
        notes.append(screened.note)
    rescale, note = chosen_scale(method, chosen.scale, data.points, images=images)
    require_columns(shape, data.points.shape[1])
    majority = majority_share(labels, label, folds)
    notes += [line for line in (note, rare_classes(labels, folds)) if line]
    for note in (*notes, data.used()):
        chosen.on_note(note)
    model = FoldModel(method, given, rescale, screening, data, chosen.seed, chosen.n_jobs)
    permutations = Permutations(data.sources, folds, chosen.seed, on_column)
    on_tested = permutations.add if importances else ignore
    predicted, accuracies, screens = cross_predict(model, labels, folds, on_fold, on_tested)
    folds_kept = None
    if screens:
        counts = np.sum([screen.kept for screen in screens], axis=0)
        folds_kept = pd.Series(counts, index=list(screens[0].names), name="folds_kept")
        notes.append(screen_note(screens, folds_kept))
        chosen.on_note(notes[-1])
    predictions = pd.DataFrame({"row": data.rows, "label": labels, "predicted": predicted})
    if chosen.identifier is not None or raw.row_names is not None:
        predictions.insert(0, "id", data.ids)
    result = ClassificationResult(
        method=method,
        params=given,
        accuracies=accuracies,
        naive=majority,
        predictions=predictions,
        columns=data.columns,
        shape=sides(shape),
        notes=tuple(notes),
        folds_kept=folds_kept,
        left_out=data.left_out,
        _model=model,
        _labels=labels,
    )
    if not importances:
        return result
    return replace(result, permutation=permutations.frame(_impurity(result)))


def _screen_of_folds(chosen: ClassificationOptions) -> ScreenOptions | None:
    if chosen.screen is None:
        return None
    return ScreenOptions(chosen.screen, chosen.screen_level, seed=chosen.seed, n_jobs=chosen.n_jobs)


def _clean_options(
    chosen: ClassificationOptions, missing: Literal["refuse", "drop", "keep"]
) -> CleanOptions:
    return CleanOptions(
        columns=chosen.columns,
        identifier=chosen.identifier,
        exclude=chosen.exclude,
        # pixels that never vary belong to the image, and no constant column harms a classifier
        keep_constant=True,
        missing=missing,
        remedies=("drop",),
    )


def _impurity(result: ClassificationResult) -> pd.Series[float] | None:
    """Return the importances of the user's columns, where the method has them."""
    try:
        require_importances(result.method, result.shape)
        shares = result.importances()
    except UserError:
        return None
    return by_source(shares, result._model.data.sources)


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
        place = as_argument("missing", missing)
        raise UserError(f"{place}: {method} takes no missing values; rf and sporf do")
    return "drop" if missing == "drop" else "refuse"
