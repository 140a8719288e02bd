"""Cross-validated classification of the rows of a user's own table."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, Unpack, runtime_checkable

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.errors import UserError
from geoforest_cli.methods import METHODS, kind_of
from geoforest_cli.own_data.blocks import require_picture, write_blocks
from geoforest_cli.own_data.dialect import Reading
from geoforest_cli.own_data.folds import (
    Classifier,
    Labels,
    OfKept,
    OnFold,
    OnScale,
    folded,
    new_model,
    screens_in_words,
)
from geoforest_cli.own_data.labels import labelled_rows, largest_share
from geoforest_cli.own_data.parameters import checked, require_seed
from geoforest_cli.own_data.reading import TableLike
from geoforest_cli.own_data.scaling import Scale, chosen_scale
from geoforest_cli.own_data.screens import ADJUST, LEVEL, Screening, Which
from geoforest_cli.own_data.shapes import Shape, require_columns, require_no_screen, sides
from geoforest_cli.own_data.table import Points
from geoforest_cli.own_data.wording import OnNote, silent, spell

__all__ = ["Classes", "OnFold", "Shape", "cross_validate", "require_importances"]

_WITH_SHAPE, _WITHOUT_SHAPE = "morf", "rf"


@runtime_checkable
class _Explained(Protocol):
    feature_importances_: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Classes:
    """What cross-validation found.

    Attributes
    ----------
    method : str
    params : mapping
        The parameters that it was given.
    accuracies : tuple of float
        Of each fold.
    naive : float
        Share of the most frequent class: the accuracy of a guess.
    predictions : pandas.DataFrame
        row (its number in the table, from 0), label and predicted, the classes as text; every row
        is predicted once, by a model that has not seen it.
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
    _new: Callable[[], Classifier] = field(repr=False)
    _points: Points = field(repr=False)
    _labels: Labels = field(repr=False)
    left_out: Mapping[str, str] = field(default_factory=dict, repr=False)
    _source: Path | None = field(default=None, repr=False)

    @property
    def accuracy(self) -> float:
        """Mean over the folds."""
        return float(np.mean(self.accuracies))

    @property
    def standard_error(self) -> float:
        """Of `accuracy`."""
        return float(np.std(self.accuracies, ddof=1) / np.sqrt(len(self.accuracies)))

    def summary(self) -> str:
        """Return accuracy, standard error and the guess's accuracy in a sentence."""
        return (
            f"{self.method}: accuracy {self.accuracy:.4f}, standard error "
            f"{self.standard_error:.4f} over {len(self.accuracies)} folds; "
            f"the most frequent class makes {self.naive:.4f}"
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write `predictions` to a Parquet, CSV or TSV file.

        Raises
        ------
        DataError
            For another ending, a folder that is not there, or the table's own file.
        """
        write_blocks(path, [self.predictions], self._source)

    def importances(self) -> pd.Series[float]:
        """Fit the method on all rows and return the share of each column in its projections.

        A column that the screen drops on all rows has none.

        Raises
        ------
        UserError
            If the method has no importances.
        """
        model = self._new().fit(self._points, self._labels)
        kept = np.ones(len(self.columns), bool)
        if isinstance(model, OfKept):
            kept = model.kept
            model = model.model
        model = model.model if isinstance(model, OnScale) else model
        if not isinstance(model, _Explained):
            raise UserError(_no_importances(self.method))
        shares = np.zeros(len(kept))
        shares[kept] = model.feature_importances_
        return pd.Series(shares, index=list(self.columns), name="importance")

    def write_picture(self, path: str | os.PathLike[str]) -> Path:
        """Draw `importances` as PNG, SVG or PDF, an image for images and bars otherwise.

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
        from geoforest_cli.own_data.picture import write_picture

        require_picture(path, self._source)
        return write_picture(self.importances(), self.shape, Path(path))


def require_importances(method: str | None, shape: Shape | None = None) -> None:
    """Refuse a method that has no importances: worth asking before it is trained for a picture.

    Parameters
    ----------
    method, shape
        As in `cross_validate`. A method of one's own may have them once it is trained.

    Raises
    ------
    UserError

    Examples
    --------
    >>> require_importances("morf")
    >>> require_importances("knn")
    Traceback (most recent call last):
    geoforest_cli.errors.UserError: importances: knn has no importances; morf, sporf and rf have
    """
    name = method or (_WITHOUT_SHAPE if sides(shape) is None else _WITH_SHAPE)
    known = name in METHODS and ":" not in name and kind_of(name) == "classifier"
    if known and not hasattr(METHODS[name].load(), "feature_importances_"):
        raise UserError(_no_importances(name))


def _no_importances(method: str) -> str:
    return f"{spell('importances')}: {method} has no importances; morf, sporf and rf have"


def cross_validate(
    table: TableLike,
    label: str | npt.ArrayLike,
    method: str | None = None,
    shape: Shape | None = None,
    folds: int = 5,
    params: Mapping[str, Any] | None = None,
    *,
    columns: Sequence[str] = (),
    scale: Scale = "auto",
    missing: Literal["refuse", "drop"] = "refuse",
    screen: Which | None = None,
    level: float = LEVEL,
    seed: int = 0,
    n_jobs: int | None = None,
    on_fold: OnFold | None = None,
    on_note: OnNote = silent,
    **how: Unpack[Reading],
) -> Classes:
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
        Parts, each of which is tested on once; every class has rows in all of them.
    params : mapping, optional
        Parameters of the method, such as ``{"n_estimators": 500}``.
    columns : sequence of str
        Columns to use; by default all numeric ones and categories but the label.
    scale : {"auto", "none", "standardise", "min_max"}
        How columns are brought to one scale, learned on the training rows of each fold, see
        `scaling.chosen_scale`.
    missing : {"refuse", "drop"}
        Missing values and labels are an error, or their rows are left out.
    screen : {"pairs", "forest", "both"}, optional
        Drop the columns that depend on no other column, as the training rows of each fold show
        it, see `find_columns`. The classes do not count: a column that tells them and is
        independent of all other columns is dropped.
    level : float
        The screen's bound on the share of columns that it keeps wrongly.
    seed : int
        Of everything random.
    n_jobs : int, optional
        Threads; by default one per core. The result does not depend on it.
    on_fold : callable, optional
        Told the number of a fold that is done, from 1, of how many, and its accuracy.
    on_note : callable
        Told each note as soon as it is known, and the columns that are used.
    sep, decimal, encoding, sheet : str, optional
        How a file is read, see `geoforest_cli.own_data.dialect.Reading`.

    Returns
    -------
    Classes

    Raises
    ------
    UserError
        For a method, parameter, shape or screen that is wrong.
    DataError
        For a table that cannot be read or used, missing labels, one class only, a class with
        fewer rows than folds, or a screen that keeps no column in a fold.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> images, digits = load_digits(n_class=3, return_X_y=True)
    >>> found = cross_validate(images, digits, shape="8x8", params={"n_estimators": 20})
    >>> found.accuracy > 0.9, found.naive < 0.4, len(found.predictions) == len(digits)
    (True, True, True)
    >>> found.importances().to_numpy().reshape(found.shape).shape
    (8, 8)
    """
    image = sides(shape)
    if method is None:
        method = _WITHOUT_SHAPE if image is None else _WITH_SHAPE
    given = checked(method, params, "classifier", image)
    screening = None if screen is None else Screening.checked(screen, level, ADJUST, seed, n_jobs)
    require_no_screen(screen, shape)
    require_seed(seed)
    data, labels = labelled_rows(table, label, columns, drop=missing == "drop", **how)
    rescale, note = chosen_scale(method, scale, data.points, images=image is not None)
    notes = (*data.notes, note) if note else data.notes
    for note in (*notes, data.used()):
        on_note(note)
    require_columns(shape, data.points.shape[1])
    naive = largest_share(labels, label, folds)

    new = functools.partial(new_model, method, given, rescale, seed, n_jobs or -1, screening, data)
    predicted, accuracies, screens = folded(new, data.points, labels, folds, seed, on_fold)
    folds_kept = None
    if screens:
        counts = np.sum([screen.kept for screen in screens], axis=0)
        folds_kept = pd.Series(counts, index=list(screens[0].names), name="folds_kept")
        note = screens_in_words(screens, folds_kept)
        on_note(note)
        notes = (*notes, note)
    rows = {"row": data.rows, "label": labels, "predicted": predicted}
    return Classes(
        method=method,
        params=given,
        accuracies=accuracies,
        naive=naive,
        predictions=pd.DataFrame(rows),
        columns=data.columns,
        shape=image,
        notes=notes,
        folds_kept=folds_kept,
        _new=new,
        _points=data.points,
        _labels=labels,
        left_out=data.left_out,
        _source=data.path,
    )
