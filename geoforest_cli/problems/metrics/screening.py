"""Columns that a screen kept, against those that carry the signal."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score

Mask = npt.NDArray[np.bool_]


class SelectionScores(NamedTuple):
    """Agreement of the kept columns with those of the signal.

    Attributes
    ----------
    kept_share : float
        Kept columns among all.
    power : float
        Kept columns among those of the signal; NaN where there is none.
    false_share : float
        Columns without signal among the kept ones, 0 where nothing is kept: the false discovery
        proportion, whose mean is the false discovery rate.
    false_any : float
        1 if any column without signal is kept, else 0: its mean is the family-wise error rate.
    all_kept : float
        1 if all columns of the signal are kept, whatever else is; NaN where there is none.
    found_all : float
        1 if all columns of the signal are kept and no other, else 0.
    """

    kept_share: float
    power: float
    false_share: float
    false_any: float
    all_kept: float
    found_all: float


def selection_scores(kept: Mask, signal: Mask) -> SelectionScores:
    """Compare the kept columns (p,) with those that carry the signal (p,).

    Examples
    --------
    >>> kept = np.array([True, True, False, True])
    >>> selection_scores(kept, np.array([True, True, True, False])).power
    0.6666666666666666
    >>> selection_scores(kept, np.array([True, True, False, True])).found_all
    1.0
    >>> selection_scores(np.zeros(4, bool), np.zeros(4, bool)).false_share
    0.0
    """
    false = int(np.sum(kept & ~signal))
    true = int(np.sum(kept & signal))
    wanted = int(np.sum(signal))
    return SelectionScores(
        kept_share=float(np.mean(kept)),
        power=true / wanted if wanted else float("nan"),
        false_share=false / max(1, false + true),
        false_any=float(false > 0),
        all_kept=float(true == wanted) if wanted else float("nan"),
        found_all=float(true == wanted and not false),
    )


def ranking(scores: npt.NDArray[np.floating], signal: Mask) -> float:
    """Return the average precision of the signal's columns when all are ranked by their scores.

    1 where every column of the signal stands before every other, however the screen's level is
    set; NaN where no column or every column carries signal.

    Examples
    --------
    >>> ranking(np.array([3.0, 1.0, 2.0]), np.array([True, True, False]))
    0.8333333333333333
    """
    if signal.all() or not signal.any():
        return float("nan")
    # infinite scores cannot be subtracted, their ranks can
    return float(average_precision_score(signal, rankdata(scores, method="dense")))
