"""SMERF on distances of responses beside classification and regression trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.estimators.forests.smerf import response_distances
from geoforest_cli.study.experiment import Experiment, Params, Row, Task

if TYPE_CHECKING:
    from geoforest_cli.estimators.forests.smerf import Smerf

__all__ = ["TreeCuts"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
_NEW_POINTS = 50


class CutParams(Params):
    """Parameters of one cell: rows and columns of a normal table, and the kind of its response."""

    response: Literal["class", "number"]
    n: Annotated[int, Field(ge=10)] = 200
    columns: Annotated[int, Field(ge=1)] = 4


class TreeCuts(Experiment[CutParams]):
    """Grow one SMERF tree on distances of responses; find the best cut of CART at its nodes.

    SMERF, Propositions 1 and 2: with the distance of classes 0 or 1 a node's impurity is the Gini
    index, with half the squared difference it is the variance; so the best cuts gain the same.
    Equations 13 and 15: with half squared differences the distance of two new points is half the
    squared difference of the forest's predictions plus half the variance, over trees, of the
    difference of theirs, where trees are fully grown.
    """

    version = 2
    methods = ("metric",)
    yields = ("gain_gap", "nodes", "distance_gap")

    def run_cell(self, task: Task[CutParams]) -> list[Row]:
        """Return the largest difference of the gains at a node, per row, and the number of cuts.

        And for numbers the largest difference between a distance and equation 15's, for 50 new
        points, relative to the largest distance.
        """
        params, rng = task.params, task.rng("sample")
        # CART keeps single precision
        X = rng.normal(size=(params.n, params.columns)).astype(np.float32).astype(float)
        y = X[:, 0] + rng.normal(size=params.n)
        if params.response == "class":
            y = np.digitize(y, [-0.5, 0.5]).astype(float)
        kind: Literal["class", "squared"] = "class" if params.response == "class" else "squared"
        tree = task.build_method().fit(X, response_distances(y, kind))
        gaps = [
            abs(_gain(y[rows], left, params.response) - _best(X[rows], y[rows], params.response))
            for rows, left in _cuts(tree, X)
        ]
        rows = [Row("gain_gap", max(gaps)), Row("nodes", len(gaps))]
        if params.response == "number":
            new = rng.normal(size=(_NEW_POINTS, params.columns))
            rows.append(Row("distance_gap", _distance_gap(tree, y, new)))
        return rows


def _distance_gap(smerf: Smerf, y: Floats, new: Floats) -> float:
    """The largest difference to equation 15, which for a single tree is equation 13."""
    forest = smerf.forest_
    trees = zip(smerf.apply(new).T, forest.leaf_of, forest.in_bag, strict=True)
    values = np.array(
        [
            [np.average(y[leaf_of == leaf], weights=bag[leaf_of == leaf]) for leaf in leaves]
            for leaves, leaf_of, bag in trees
        ]
    )
    differences = values[:, :, None] - values[:, None, :]
    expected = differences.mean(axis=0) ** 2 / 2 + differences.var(axis=0) / 2
    return float(np.abs(smerf.pairwise_distances(new) - expected).max() / expected.max())


def _cuts(tree: Smerf, X: Floats) -> Iterator[tuple[Rows, npt.NDArray[np.bool_]]]:
    """Yield rows and left side of every cut of the first tree."""
    forest = tree.forest_
    rows_at = {0: np.repeat(np.arange(len(X)), forest.in_bag[0])}
    for node in range(*forest.first_node[:2]):
        rows, children = rows_at[node], forest.children[node].tolist()
        if children[0] >= 0:
            part = slice(forest.first[node], forest.first[node + 1])
            values = X[np.ix_(rows, forest.features[part])] @ forest.weights[part]
            left = values < forest.threshold[node]
            yield rows, left
            rows_at[children[0]], rows_at[children[1]] = rows[left], rows[~left]


def _impurity(y: Floats, response: str) -> float:
    if response == "number":
        return float(y.var())
    _, counts = np.unique(y, return_counts=True)
    return float(1 - np.sum((counts / len(y)) ** 2))


def _gain(y: Floats, left: npt.NDArray[np.bool_], response: str) -> float:
    sides = sum(side.mean() * _impurity(y[side], response) for side in (left, ~left))
    return _impurity(y, response) - float(sides)


def _best(X: Floats, y: Floats, response: str) -> float:
    """The gain of the best cut of a classification or regression tree."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeClassifier if response == "class" else DecisionTreeRegressor
    stump = kind(max_depth=1, random_state=0).fit(X, y)
    return _gain(y, stump.apply(X) == 1, response)
