"""Ordinary tables with classes, most of them from packages; numeric targets are cut in thirds."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import Unavailable
from geoforest_cli.problems.datasets.drosophila import Labelled
from geoforest_cli.problems.datasets.uci import Responses
from geoforest_cli.problems.datasets.uci import ccpp as _ccpp
from geoforest_cli.problems.datasets.uci import concrete as _concrete

__all__ = ["thirds"]


def thirds(values: npt.ArrayLike) -> npt.NDArray[np.str_]:
    """Return "low", "middle" or "high" for each value (N,): cut at its terciles.

    Examples
    --------
    >>> thirds([5.0, 1.0, 9.0, 2.0, 6.0, 8.0]).tolist()
    ['middle', 'low', 'high', 'low', 'middle', 'high']
    """
    numbers = np.asarray(values, np.float64)
    cuts = np.quantile(numbers, [1 / 3, 2 / 3])
    return np.array(["low", "middle", "high"])[np.searchsorted(cuts, numbers)]


def _sklearn(name: str, *, cut: bool = False) -> Labelled:
    """Load a table that scikit-learn brings."""
    from sklearn import datasets

    points, target = getattr(datasets, f"load_{name}")(return_X_y=True)
    return Labelled(points.astype(np.float64), thirds(target) if cut else target.astype(np.str_))


def _frame(name: str) -> pd.DataFrame:
    """Load a table that statsmodels brings.

    Raises
    ------
    Unavailable
        If statsmodels is not installed.
    """
    try:
        module: Any = importlib.import_module(f"statsmodels.datasets.{name}")
    except ImportError as error:
        raise Unavailable(
            f"the table {name!r} comes with statsmodels: pip install 'geoforest[tables]'"
        ) from error
    frame: pd.DataFrame = module.load_pandas().data
    return frame


def _statsmodels(name: str, label: str, *, drop: Sequence[str] = (), cut: bool = False) -> Labelled:
    """Load a table of statsmodels without the columns `drop`; `label` has its classes."""
    frame = _frame(name)
    target = frame[label]
    points = frame.drop(columns=[label, *drop]).to_numpy(np.float64)
    return Labelled(points, thirds(target) if cut else target.astype(str).to_numpy(np.str_))


def _of_responses(table: Responses) -> Labelled:
    return Labelled(table.points, thirds(table.response))


iris = partial(_sklearn, "iris")
wine = partial(_sklearn, "wine")
breast_cancer = partial(_sklearn, "breast_cancer")
digits = partial(_sklearn, "digits")
diabetes = partial(_sklearn, "diabetes", cut=True)
election = partial(_statsmodels, "anes96", "vote", drop=["logpopul"])
credit_card = partial(_statsmodels, "ccard", "OWNRENT", drop=["INCOMESQ"])
investment = partial(_statsmodels, "grunfeld", "firm", drop=["year"])
economy = partial(_statsmodels, "macrodata", "unemp", drop=["year", "quarter"], cut=True)
travel_mode = partial(_statsmodels, "modechoice", "mode", drop=["individual", "choice"])
state_crime = partial(_statsmodels, "statecrime", "murder", cut=True)


def affairs() -> Labelled:
    """Load 6366 answers on marriage; the class is whether there was an affair."""
    frame = _frame("fair")
    points = frame.drop(columns="affairs").to_numpy(np.float64)
    return Labelled(points, np.where(frame["affairs"] > 0, "yes", "no"))


def doctor_visits() -> Labelled:
    """Load 20,190 insured persons; the class is whether they went to a doctor that year."""
    frame = _frame("randhie")
    points = frame.drop(columns="mdvis").to_numpy(np.float64)
    return Labelled(points, np.where(frame["mdvis"] > 0, "yes", "no"))


def school_tests() -> Labelled:
    """Load 303 school districts; the classes are thirds of the share of good results."""
    frame = _frame("star98")
    share = frame["NABOVE"] / (frame["NABOVE"] + frame["NBELOW"])
    points = frame.drop(columns=["NABOVE", "NBELOW"]).to_numpy(np.float64)
    return Labelled(points, thirds(share))


def fertility() -> Labelled:
    """Load births per woman in countries, 1960 to 2000; the classes are thirds of 2011."""
    frame = _frame("fertility")
    years = [str(year) for year in range(1960, 2001)]
    whole = frame[[*years, "2011"]].astype(np.float64).dropna()
    return Labelled(whole[years].to_numpy(np.float64), thirds(whole["2011"]))


def el_nino() -> Labelled:
    """Load sea temperatures of January to November; the classes are thirds of December."""
    return _statsmodels("elnino", "DEC", drop=["YEAR"], cut=True)


def concrete() -> Labelled:
    """Load concrete mixtures; the classes are thirds of the strength."""
    return _of_responses(_concrete())


def ccpp() -> Labelled:
    """Load hours of a power plant; the classes are thirds of the output."""
    return _of_responses(_ccpp())
