"""P-values of many columns, adjusted for their number."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = ["Adjust", "adjusted", "sidak"]

Adjust = Literal["fdr", "fwer"]
Floats = npt.NDArray[np.float64]


def adjusted(pvalues: Floats, rule: Adjust) -> Floats:
    """Return adjusted p-values: those at most a level are found at that level.

    Parameters
    ----------
    pvalues : (m,) array
    rule : {"fdr", "fwer"}
        Benjamini and Hochberg's for the false discovery rate, or Holm's for the chance of any
        false discovery.

    References
    ----------
    Holm, A simple sequentially rejective multiple test procedure, Scand. J. Stat. 6, 1979.

    Benjamini and Hochberg, Controlling the false discovery rate, JRSS B 57, 1995.

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.03, 0.02]), "fwer").tolist()
    [0.03, 0.04, 0.04]
    >>> adjusted(np.array([0.01, 0.03, 0.02]), "fdr").tolist()
    [0.03, 0.03, 0.03]
    """
    m = len(pvalues)
    order = np.argsort(pvalues, kind="stable")
    ranked = pvalues[order]
    if rule == "fwer":
        stepped = np.maximum.accumulate(ranked * np.arange(m, 0, -1))
    else:
        stepped = np.minimum.accumulate((ranked * m / np.arange(1, m + 1))[::-1])[::-1]
    adjusted_pvalues = np.empty(m)
    adjusted_pvalues[order] = np.minimum(stepped, 1.0)
    return adjusted_pvalues


def sidak(pvalues: Floats, tries: int) -> Floats:
    """Return the p-value of the smallest of several independent p-values.

    Examples
    --------
    >>> sidak(np.array([0.5, 1e-30]), 2).tolist()
    [0.75, 2e-30]
    """
    with np.errstate(divide="ignore"):
        corrected: Floats = -np.expm1(tries * np.log1p(-pvalues))
    return corrected
