"""What cross-validation found: accuracies, predictions and importances."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.escaping import shortened
from geoforest_cli.estimators.methods import METHODS, kind_of
from geoforest_cli.tables.cross_validation import FoldModel, Labels
from geoforest_cli.tables.importances import IMPORTANCES, by_source
from geoforest_cli.tables.messages import as_argument
from geoforest_cli.tables.shapes import Shape, sides
from geoforest_cli.tables.writers import require_picture, write_table

__all__ = ["ClassificationResult", "require_importances"]

_MOST_RECALLS = 5  # classes that are named


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
        """Of `accuracy`, where tables of as many rows are drawn.

        Folds share most of the rows they are trained on: the variance of their mean is the sum of
        1 / folds and the rows tested over those trained on, times that of a fold (Nadeau and
        Bengio, Inference for the generalization error, Machine Learning 52, 2003). It is at least
        that of a share of as many rows, since few folds may agree by chance.
        """
        folds, share = len(self.accuracies), self.accuracy
        of_folds = np.std(self.accuracies, ddof=1) * np.sqrt(1 / folds + 1 / (folds - 1))
        return float(max(of_folds, np.sqrt(share * (1 - share) / len(self.predictions))))

    def summary(self) -> str:
        """Return the accuracy, its standard error and the majority-class accuracy in a sentence."""
        return (
            f"{self.method}: accuracy {self.accuracy:.4f}, standard error "
            f"{self.standard_error:.4f} over {len(self.accuracies)} folds; "
            f"majority-class accuracy: {self.naive:.4f}"
        )

    @property
    def recalls(self) -> pd.Series[float]:
        """Share of the rows of each class that are predicted right."""
        right = (self.predictions["predicted"] == self.predictions["label"]).astype(np.float64)
        return right.groupby(self.predictions["label"]).mean().rename("recall")

    @property
    def balanced_accuracy(self) -> float:
        """Mean of `recalls`, each class weighing the same."""
        return float(self.recalls.mean())

    def class_summary(self) -> str:
        """Return the balanced accuracy and the five lowest recalls in a sentence."""
        lowest = self.recalls.sort_values(kind="stable")
        shown = [
            f"{shortened(str(name))} {share:.4f}" for name, share in lowest[:_MOST_RECALLS].items()
        ]
        which = "recall" if len(lowest) <= _MOST_RECALLS else f"lowest recall of {len(lowest)}"
        return f"balanced accuracy {self.balanced_accuracy:.4f}; {which}: {', '.join(shown)}"

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

    def impurity(self) -> pd.Series[float] | None:
        """Return `importances` of the user's columns, or None where the method has none."""
        try:
            require_importances(self.method, self.shape)
            shares = self.importances()
        except UserError:
            return None
        return by_source(shares, self._model.data.sources)

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
    name = method or default_method(shape)
    known = name in METHODS and ":" not in name and kind_of(name) == "classifier"
    if known and not hasattr(METHODS[name].load(), "feature_importances_"):
        raise UserError(_no_importances(name))


def _no_importances(method: str) -> str:
    return f"{as_argument('importances')}: {method} has no importances; morf, sporf and rf have"


def default_method(shape: Shape | None) -> str:
    """Return MORF for images and series, and a random forest for columns without an order."""
    return "rf" if sides(shape) is None else "morf"
