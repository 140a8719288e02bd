"""How well neighbours are found with missing values; prints the table of docs/own_data.md.

``python -m tools.missing_values`` measures all tables, which takes some minutes.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import sklearn.impute
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from geoforest_cli.problems.manifolds import branching_tree
from geoforest_cli.tables import find_neighbors

__all__ = ["LOSSES", "TABLES", "WAYS", "Case", "measured", "with_holes"]

Floats = npt.NDArray[np.float64]

_ROWS, _DRAWS = 500, 3
_NEAREST = 30  # of the tree
_SAME_CLASS = 10  # of labelled tables
_RANDOM, _LARGE = "at random", "large values more often"
LOSSES = ((0.05, _RANDOM), (0.1, _RANDOM), (0.3, _RANDOM), (0.1, _LARGE))
_ADAPTIVE = "adaptive_neighbors"


class Case(NamedTuple):
    """A table, and what tells how good lists of neighbours are.

    Attributes
    ----------
    points : (N, p) array
    k : int
        Neighbours that are asked for.
    score : callable
        Of rows (N, k): the share of true neighbours, or of rows of the same class.
    """

    points: Floats
    k: int
    score: Callable[[npt.NDArray[np.int64]], float]


def _tree(seed: int) -> Case:
    sample = branching_tree.draw(_ROWS, "as_run", np.random.default_rng(seed))
    assert isinstance(sample.truth, branching_tree.AlongEdges)
    lengths = sample.truth.distances()
    np.fill_diagonal(lengths, np.inf)
    true = np.argsort(lengths, axis=1)[:, :_NEAREST]

    def recall(rows: npt.NDArray[np.int64]) -> float:
        hits = [len(np.intersect1d(a, b)) for a, b in zip(rows, true, strict=True)]
        return float(np.mean(hits)) / _NEAREST

    return Case(sample.points, _NEAREST, recall)


def _labelled(load: Callable[[], Any]) -> Callable[[int], Case]:
    def draw(seed: int) -> Case:
        data = load()
        chosen = np.random.default_rng(seed).permutation(len(data.data))[:_ROWS]
        classes = data.target[chosen]

        def same_class(rows: npt.NDArray[np.int64]) -> float:
            return float((classes[rows] == classes[:, None]).mean())

        return Case(data.data[chosen].astype(np.float64), _SAME_CLASS, same_class)

    return draw


TABLES: Mapping[str, Callable[[int], Case]] = {
    "branching tree": _tree,
    "iris": _labelled(load_iris),
    "wine": _labelled(load_wine),
    "breast cancer": _labelled(load_breast_cancer),
}


def with_holes(points: Floats, share: float, how: str, rng: np.random.Generator) -> Floats:
    """Take a share of all values away, large ones more often or not.

    Examples
    --------
    >>> holes = with_holes(np.eye(9), 0.5, "at random", np.random.default_rng(0))
    >>> bool(0.3 < np.isnan(holes).mean() < 0.7)
    True
    """
    chance = np.full(points.shape, share)
    if how == _LARGE:
        # in proportion to the rank within the column
        chance = 2 * share * points.argsort(axis=0).argsort(axis=0) / len(points)
    return np.where(rng.random(points.shape) < chance, np.nan, points)


def _median(points: Floats) -> Floats:
    imputer = sklearn.impute.SimpleImputer(strategy="median", keep_empty_features=True)
    filled: Floats = imputer.fit_transform(points)
    return filled


def _iterative(points: Floats) -> Floats:
    importlib.import_module("sklearn.experimental.enable_iterative_imputer")
    span = np.nanstd(points, axis=0)
    span[span == 0] = 1.0
    imputer = sklearn.impute.IterativeImputer(
        max_iter=5, n_nearest_features=min(10, points.shape[1]), random_state=0
    )
    filled: Floats = imputer.fit_transform(points / span) * span
    return filled


def _asked(method: str, fill: Callable[[Floats], Floats] | None, missing: str) -> Any:
    def find(points: Floats, k: int) -> npt.NDArray[np.int64]:
        table = points if fill is None else fill(points)
        scale: Any = "standardise" if method == "euclidean" else "auto"
        rows = find_neighbors(table, k, method, missing=missing, scale=scale, seed=0).indices
        return rows.astype(np.int64)

    return find


WAYS: Mapping[str, Callable[[Floats, int], npt.NDArray[np.int64]]] = {
    "median, Euclidean": _asked("euclidean", _median, "refuse"),
    "median": _asked(_ADAPTIVE, _median, "refuse"),
    "iterative": _asked(_ADAPTIVE, _iterative, "refuse"),
    "`impute`": _asked(_ADAPTIVE, None, "impute"),
    "`random`": _asked("geodesic_forest", None, "random"),
}


def measured(table: str, share: float, how: str, way: str, draws: int = _DRAWS) -> float:
    """Return the mean score of a way to deal with missing values."""
    scores = []
    for seed in range(draws):
        case = TABLES[table](seed)
        points = with_holes(case.points, share, how, np.random.default_rng(100 + seed))
        points[:, np.isnan(points).all(axis=0)] = 0.0
        scores.append(case.score(WAYS[way](points, case.k)))
    return float(np.mean(scores))


def _shown(score: float) -> str:
    return f"{score:.2f}".removeprefix("0")


def main() -> None:
    """Print the table, line by line."""
    print(f"| table | missing | {' | '.join(WAYS)} |")
    print(f"|---|---|{'---|' * len(WAYS)}")
    for table in TABLES:
        for share, how in ((0.0, _RANDOM), *LOSSES):
            what = f"{share:.0%} {how}" if share else "none"
            scores = [_shown(measured(table, share, how, way)) for way in WAYS]
            print(f"| {table} | {what} | {' | '.join(scores)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
