"""Scores of how well links are told from other pairs."""

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score, roc_auc_score

__all__ = ["area_under_pr", "link_scores"]

_THRESHOLDS = 3000


def area_under_pr(links: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> float:
    """Return the area under precision over recall by the programs of EPM and NARM.

    The thresholds are the least score and 2999 quantiles of the scores; the trapezoid rule runs
    over recall, from the point of recall 0 and precision 1.

    Parameters
    ----------
    links : (n,) bool
    scores : (n,)
        Larger for likelier links.

    Examples
    --------
    >>> area_under_pr(np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1]))
    0.7916666666666666
    """
    steps = np.arange(1, _THRESHOLDS) / _THRESHOLDS
    quantiles = np.quantile(scores, steps, method="hazen")
    thresholds = np.unique(np.append(quantiles, scores.min()))[::-1]
    order = np.argsort(-scores, kind="stable")
    hits = np.concatenate([[0], np.cumsum(links[order])])
    taken = np.searchsorted(-scores[order], -thresholds, side="right")
    recall = np.concatenate([[0.0], hits[taken] / hits[-1]])
    with np.errstate(invalid="ignore"):
        precision = np.concatenate([[1.0], hits[taken] / taken])
    return float(np.trapezoid(precision, recall))


def link_scores(links: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return the three areas by name; NaN where all pairs or none are links.

    Parameters
    ----------
    links : (n,) bool
    scores : (n,)

    Returns
    -------
    dict
        auc_roc (ties count half), average_precision, auc_pr (`area_under_pr`).
    """
    if links.all() or not links.any():
        return dict.fromkeys(("auc_roc", "average_precision", "auc_pr"), float("nan"))
    return {
        "auc_roc": float(roc_auc_score(links, scores)),
        "average_precision": float(average_precision_score(links, scores)),
        "auc_pr": area_under_pr(links, scores),
    }
