"""The folds of a cross-validation: every class in each, and rows that belong together in one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.tables.codes import require_one_spelling
from geoforest_cli.tables.header import require_columns_of
from geoforest_cli.tables.messages import Note, as_argument, format_row
from geoforest_cli.tables.options import ClassificationOptions
from geoforest_cli.tables.reading import RawTable

__all__ = [
    "Splits",
    "block_numbers",
    "label_copies",
    "owners_of",
    "repeated_subjects",
    "require_together",
]

Indices = npt.NDArray[np.int64]

_MOST_CODES = 9
_BLOCKS_OF_A_FOLD = 4  # so that folds may have all classes
_SHARE_OF_ONE_CLASS = 0.9  # of the values that come more than once
_BY_CHANCE = 1e-6  # probability that the classes of independent rows agree


def repeated_subjects(
    frame: pd.DataFrame, labels: npt.NDArray[np.str_], label: str | npt.ArrayLike
) -> str:
    """Return a note on columns whose equal values nearly always have one class; empty for none.

    So it is where rows are visits and a column names the patient. Columns of whole numbers and of
    text are looked at, in which more values come again than there are classes.

    Parameters
    ----------
    frame : pandas.DataFrame
        The rows that are used, with all columns.
    labels : (N,) array of str
        Their classes.
    label : str or (N,) array
        The column of the classes, or these.

    Examples
    --------
    >>> patients = np.arange(40).repeat(3)
    >>> ill = np.where(patients % 2, "yes", "no")
    >>> print(repeated_subjects(pd.DataFrame({"patient": patients}), ill, "ill"))
    Rows with the same 'patient' nearly always have the same class: if they are of one thing \
measured more than once, scores are too high without together='patient'.
    """
    most = len(np.unique(labels))
    pure_columns = _of_one_class(frame, labels, label)
    return _leak_note(
        [name for name, repeated, _ in pure_columns if repeated > most],
        lambda names, first: (
            f"Rows with the same {names} nearly always have the same class: if they are of one "
            "thing measured more than once, scores are too high without "
            f"{as_argument('together', first)}."
        ),
    )


def label_copies(
    frame: pd.DataFrame, labels: npt.NDArray[np.str_], label: str | npt.ArrayLike
) -> str:
    """Return a note on columns of few values of which each has one class; empty for none.

    So it is where a column is the label by another name, such as its code. From ten values on that
    come again, and more than two for each class, the values are no names of classes.

    Parameters
    ----------
    frame : pandas.DataFrame
        The features.
    labels : (N,) array of str
    label : str or (N,) array

    Examples
    --------
    >>> kind = np.arange(60) % 3
    >>> print(label_copies(pd.DataFrame({"code": 10 * kind}), kind.astype(str), "kind"))
    Each value of 'code' has one class only: if it is the label by another name, the accuracy \
says nothing (exclude='code' leaves it out).
    """
    most = max(_MOST_CODES, 2 * len(np.unique(labels)))
    pure_columns = _of_one_class(frame, labels, label)
    return _leak_note(
        [name for name, repeated, pure in pure_columns if repeated <= most and repeated == pure],
        lambda names, first: (
            f"Each value of {names} has one class only: if it is the label by another name, the "
            f"accuracy says nothing ({as_argument('exclude', first)} leaves it out)."
        ),
    )


def _leak_note(columns: Sequence[str], sentence: Callable[[str, str], str]) -> str:
    names = " or ".join(map(quoted, columns[:3]))
    return Note(sentence(names, columns[0]), "leak") if columns else ""


def _of_one_class(
    frame: pd.DataFrame, labels: npt.NDArray[np.str_], label: str | npt.ArrayLike
) -> Iterator[tuple[str, int, int]]:
    """The columns whose equal values nearly all have one class, hardly by chance.

    With how many values come more than once, and how many of these have one class.
    """
    from scipy.stats import binom

    classes, numbers = np.unique(labels, return_inverse=True)
    shares = np.bincount(numbers) / len(numbers)
    for name in frame.columns:
        if (isinstance(label, str) and name == label) or _has_fractions(frame[name]):
            continue
        owners = pd.factorize(frame[name].astype(object).map(str, na_action="ignore"))[0]
        present = owners >= 0
        sizes = np.bincount(owners[present])
        repeated = sizes > 1
        pairs = np.unique((owners * len(classes) + numbers)[present])
        pure = int((np.bincount(pairs // len(classes))[repeated] == 1).sum())
        if not pure or pure < _SHARE_OF_ONE_CLASS * repeated.sum():
            continue
        # the tail of as many draws of the mean probability is no lighter (Hoeffding 1956)
        by_chance = (shares ** sizes[repeated, None]).sum(axis=1).mean()
        if binom.sf(pure - 1, repeated.sum(), by_chance) < _BY_CHANCE:
            yield str(name), int(repeated.sum()), pure


def _has_fractions(values: pd.Series[Any]) -> bool:
    if not pd.api.types.is_float_dtype(values.dtype):
        return False
    present = values.dropna().to_numpy(np.float64)
    return bool((present % 1 != 0).any())


def require_together(raw: RawTable, together: str | None, used: Sequence[Any]) -> None:
    """Refuse a column that the table does not have, or that is a feature or the label.

    Raises
    ------
    DataError
    """
    if together is None:
        return
    require_columns_of(list(raw.frame.columns), raw.name, {"together": [together]})
    if any(isinstance(column, str) and column == together for column in used):
        argument = as_argument("together", together)
        raise DataError(f"{raw.name}: {argument}: this column is the label or one of the features")


def block_numbers(rows: int, blocks: int) -> Indices:
    """Return the number of each row's block, of blocks of consecutive rows.

    Examples
    --------
    >>> block_numbers(7, 3).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    return np.arange(rows) * blocks // rows


def owners_of(raw: RawTable, rows: Indices, together: str) -> Indices:
    """Return numbers (N,) of what the rows belong to, by the values of a column.

    Raises
    ------
    DataError
        If a row has no value there, or a number is spelt in two ways.
    """
    values: pd.Series[Any] = raw.frame[together].iloc[rows]
    if values.isna().any():
        row = int(rows[np.argmax(values.isna().to_numpy())])
        raise DataError(
            f"{raw.name}: the column {quoted(together)} is empty in {format_row(row)}, which "
            f"therefore belongs to no other rows ({as_argument('together')})"
        )
    words = values.astype(object).map(str).map(lambda word: word.strip() or word)
    if not pd.api.types.is_numeric_dtype(values.dtype):
        what = f"{raw.name}: {as_argument('together', together)}: this column"
        require_one_spelling(words.unique(), what, raw.decimal)
    owners: Indices = pd.factorize(words)[0].astype(np.int64)
    return owners


@dataclass(frozen=True)
class Splits:
    """Into how many folds the rows go, and which of them stay together.

    Attributes
    ----------
    folds, seed : int
    owners : (N,) int64, optional
        Rows with the same number are in one fold.
    note : str
        What is said of them; else empty.
    """

    folds: int
    seed: int
    owners: Indices | None = field(default=None, repr=False)
    note: str = ""

    @classmethod
    def of(cls, raw: RawTable, rows: Indices, options: ClassificationOptions, folds: int) -> Self:
        """Read which rows belong together.

        Parameters
        ----------
        raw : RawTable
        rows : (N,) int64
            Those that are used.
        options : ClassificationOptions
            With the column, or blocks.
        folds : int

        Raises
        ------
        DataError
            If a row has no value there.
        UserError
            If there are fewer values than folds, or for both a column and blocks.
        """
        together, seed = options.together, options.seed
        if options.blocks and together is not None:
            both = as_argument("together", together)
            raise UserError(f"{as_argument('blocks')} and {both}: folds are made in one way")
        if options.blocks:
            blocks = block_numbers(len(rows), _BLOCKS_OF_A_FOLD * folds)
            note = f"Each fold is of about {_BLOCKS_OF_A_FOLD} blocks of consecutive rows."
            return cls(folds, seed, blocks, note)
        if together is None:
            return cls(folds, seed)
        owners = owners_of(raw, rows, together)
        if (count := int(owners.max()) + 1) < folds:
            raise UserError(
                f"{as_argument('folds', folds)}: {quoted(together)} has {count} different values, "
                "whose rows stay together, so that there are not more folds"
            )
        note = f"Rows with the same {quoted(together)} are in one fold: {count} different values."
        return cls(folds, seed, owners, note)

    def majority_share(self, labels: npt.NDArray[np.str_]) -> float:
        """Return how often the most frequent class is right, as a mean over folds.

        So is an accuracy: rows that stay together may make folds of very different sizes.
        """
        classes, counts = np.unique(labels, return_counts=True)
        right = labels == classes[counts.argmax()]
        if self.owners is None:
            return float(right.mean())
        return float(np.mean([right[test].mean() for _, test in self.parts(labels)]))

    def parts(self, labels: npt.NDArray[np.str_]) -> list[tuple[Indices, Indices]]:
        """Return the rows to learn from and to test on, fold by fold.

        Raises
        ------
        DataError
            If those to learn from are of one class only.
        """
        from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

        kind = StratifiedKFold if self.owners is None else StratifiedGroupKFold
        splits = kind(self.folds, shuffle=True, random_state=self.seed)
        with warnings.catch_warnings():
            # of classes with fewer rows than folds, which a note names
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            parts = list(splits.split(labels, labels, self.owners))
        if any(len(test) == 0 or len(np.unique(labels[train])) < 2 for train, test in parts):
            raise DataError(
                f"{as_argument('folds', self.folds)}: one of the folds is empty, or leaves one "
                f"class to learn from; take fewer folds, or rows that stay together "
                f"({as_argument('together')}) in smaller parts"
            )
        return parts
