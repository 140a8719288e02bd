"""Banknote, combined cycle power plant and concrete from the UCI repository."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.problems.datasets.catalogue import CATALOGUE
from geoforest_cli.problems.datasets.drosophila import Labelled
from geoforest_cli.problems.datasets.files import data_folder, fetch, parsed_copy

__all__ = ["Responses", "banknote", "ccpp", "concrete"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Responses:
    """Points (N, p) with a response (N,)."""

    points: Floats
    response: Floats
    names: tuple[str, ...]


def banknote() -> Labelled:
    """Load 1372 banknotes: four wavelet features, classes "0" (762) and "1" (610).

    Raises
    ------
    DataError
        If the file cannot be had or does not hold what it should.
    """
    (path,) = fetch(CATALOGUE["banknote"])
    values = np.loadtxt(path, delimiter=",")
    classes, counts = np.unique(values[:, 4], return_counts=True)
    if values.shape != (1372, 5) or classes.tolist() != [0, 1] or counts.tolist() != [762, 610]:
        raise DataError(f"{path}: expected 1372 rows of classes 762 and 610")
    return Labelled(values[:, :4], values[:, 4].astype(int).astype(str))


def ccpp() -> Responses:
    """Load 9568 hours of a power plant: AT, V, AP, RH and the output PE in MW.

    The workbook has five sheets, all with the same rows in other orders: the first one counts.
    """
    table = _table("ccpp", "ccpp_sheet1.csv")
    return _responses("ccpp", table, ("AT", "V", "AP", "RH"), (9568, 454.365))


def concrete() -> Responses:
    """Load 1030 concrete mixtures: eight predictors and the compressive strength in MPa."""
    names = (
        "cement", "slag", "flyash", "water", "superplasticizer", "coarseagg", "fineagg", "age",
    )  # fmt: skip
    table = _table("concrete", "concrete.csv")
    return _responses("concrete", table, names, (1030, 35.8178))


def _table(name: str, derived: str) -> Floats:
    """Return the numbers of a workbook, from a derived or parsed copy if there is one."""
    dataset = CATALOGUE[name]
    beside = data_folder(dataset) / derived
    if beside.is_file():
        return pd.read_csv(beside).to_numpy(np.float64)

    def parse() -> Floats:
        table = pd.read_excel(fetch(dataset)[0], sheet_name=0, engine="calamine")
        return table.dropna(how="all").to_numpy(np.float64)

    return parsed_copy(dataset, parse)


def _responses(
    name: str, table: Floats, columns: tuple[str, ...], expected: tuple[int, float]
) -> Responses:
    rows, mean = expected
    if table.shape != (rows, len(columns) + 1) or abs(table[:, -1].mean() - mean) > 1e-3:
        raise DataError(
            f"{name}: expected {rows} rows of {len(columns) + 1} columns with mean response {mean}"
        )
    return Responses(table[:, :-1], table[:, -1], columns)
