"""Result of a cross-validation: accuracies, predictions and importances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from geoforest_cli.core.escaping import shortened

__all__ = ["ClassificationResult"]

_MOST_RECALLS = 5  # classes that are named


@dataclass(frozen=True, eq=False)
class ClassificationResult:
    """Result of a cross-validation.

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
    importances : pandas.DataFrame, optional
        Where they were asked for, a line for each column, the most important one first: column,
        impurity (its share in the decrease of impurity of the method fitted on all rows, NaN for
        methods that have none), and if asked for permutation (how much the accuracy drops when the
        column is permuted in the rows that are tested, mean over folds and 5 repeats), low and
        high. Nine in ten drops are between low and high: they cover the choice of the tested rows
        and of the permutation, and are no confidence interval of the mean.
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
    importances: pd.DataFrame | None = field(default=None, repr=False)

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

    @property
    def interval(self) -> tuple[float, float]:
        """Limits of the 95 % interval of `accuracy`: Student's t over the folds, within 0 and 1."""
        half = float(stdtrit(len(self.accuracies) - 1, 0.975)) * self.standard_error
        return max(self.accuracy - half, 0.0), min(self.accuracy + half, 1.0)

    @property
    def recalls(self) -> pd.Series[float]:
        """Share of the rows of each class that are predicted right."""
        right = (self.predictions["predicted"] == self.predictions["label"]).astype(np.float64)
        return right.groupby(self.predictions["label"]).mean().rename("recall")

    @property
    def balanced_accuracy(self) -> float:
        """Mean of `recalls`, each class weighing the same."""
        return float(self.recalls.mean())

    def summary(self) -> str:
        """Return the accuracy, its interval and the majority-class accuracy in a sentence."""
        low, high = self.interval
        return (
            f"{self.method}: accuracy {self.accuracy:.4f}, 95 % interval {low:.4f} to {high:.4f} "
            f"(standard error {self.standard_error:.4f}, {len(self.accuracies)} folds); "
            f"majority-class accuracy: {self.naive:.4f}"
        )

    def class_summary(self) -> str:
        """Return the balanced accuracy and the five lowest recalls in a sentence."""
        lowest = self.recalls.sort_values(kind="stable")
        shown = [
            f"{shortened(str(name))} {share:.4f}" for name, share in lowest[:_MOST_RECALLS].items()
        ]
        which = "recall" if len(lowest) <= _MOST_RECALLS else f"lowest recall of {len(lowest)}"
        return f"balanced accuracy {self.balanced_accuracy:.4f}; {which}: {', '.join(shown)}"
