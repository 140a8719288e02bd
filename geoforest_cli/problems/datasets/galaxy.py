"""Galaxy Zoo 1: votes on spiral and elliptical galaxies."""

from __future__ import annotations

import numpy as np
import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.problems.datasets.catalogue import CATALOGUE
from geoforest_cli.problems.datasets.drosophila import Labelled
from geoforest_cli.problems.datasets.files import fetch

__all__ = ["galaxies", "select"]

VOTES = ("P_EL", "P_CW", "P_ACW", "P_EDGE", "P_DK", "P_MG")
_FLAGS = ("SPIRAL", "ELLIPTICAL")


def select(table: pd.DataFrame) -> Labelled:
    """Keep what the votes call spiral or elliptical: six vote fractions, sorted by OBJID.

    Examples
    --------
    >>> row = dict.fromkeys(VOTES, 0.0) | {"OBJID": 1, "SPIRAL": 1, "ELLIPTICAL": 0}
    >>> select(pd.DataFrame([row, row | {"SPIRAL": 0}])).labels.tolist()
    ['spiral']
    """
    sure = table[(table["SPIRAL"] == 1) | (table["ELLIPTICAL"] == 1)].sort_values("OBJID")
    labels = np.where(sure["SPIRAL"] == 1, "spiral", "elliptical")
    return Labelled(sure[list(VOTES)].to_numpy(np.float64), labels)


def galaxies() -> Labelled:
    """Load all galaxies called spiral or elliptical.

    Raises
    ------
    DataError
        If the file cannot be had, or lacks a column.
    """
    (path,) = fetch(CATALOGUE["galaxy_zoo1"])
    # OBJID has more digits than a float holds
    table = pd.read_csv(path, dtype={"OBJID": "int64"})
    missing = [name for name in ("OBJID", *VOTES, *_FLAGS) if name not in table.columns]
    if missing:
        raise DataError(f"{path}: the column {missing[0]!r} is missing")
    return select(table)
