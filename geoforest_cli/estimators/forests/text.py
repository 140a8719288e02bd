"""A tree in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.forests.forest import Forest

Floats = npt.NDArray[np.float64]
# a projection's features, weights and threshold, and decimals: in words, and the threshold in units
Say = Callable[[npt.NDArray[np.int32], Floats, float, int], tuple[str, float]]


def export_text(
    forest: Forest,
    tree: int = 0,
    *,
    say: Say,
    decimals: int = 2,
    max_depth: int = 10,
) -> str:
    """Return one tree of a forest as indented text, bag rows in brackets.

    Parameters
    ----------
    forest : Forest
    tree : int
    say : callable
        Puts a cut into words, such as `Linear`.
    decimals : int
    max_depth : int
        What is deeper is left out.

    Examples
    --------
    >>> from geoforest_cli.estimators.forests.growth import Growth, grow_forest
    >>> X = np.r_[np.arange(6.0), np.arange(20.0, 26.0)][:, None]
    >>> growth = Growth("two_means", "axis", 1, 1, min_parent=7, bootstrap=False)
    >>> print(export_text(grow_forest(X, growth, 1, 0), say=Linear(["height"])))
    height < 12.50 [12]
      leaf [6]
    height >= 12.50
      leaf [6]
    """
    base = int(forest.first_node[tree])
    children = forest.children[base : int(forest.first_node[tree + 1])]
    rows = forest.bag_rows(tree).astype(int)
    lines = []
    todo = [(0, 0, "")]
    while todo:
        node, depth, before = todo.pop()
        indent = "  " * depth
        if before:
            lines.append("  " * (depth - 1) + before)
        if children[node, 0] < 0:
            lines.append(f"{indent}leaf [{rows[node]}]")
            continue
        if depth >= max_depth:
            lines.append(f"{indent}... [{rows[node]}]")
            continue
        part = slice(forest.first[base + node], forest.first[base + node + 1])
        weights, cut = forest.weights[part].astype(float), float(forest.threshold[base + node])
        said, threshold = say(forest.features[part], weights, cut, decimals)
        lines.append(f"{indent}{said} < {threshold:.{decimals}f} [{rows[node]}]")
        right = f"{said} >= {threshold:.{decimals}f}"
        todo.append((int(children[node, 1]), depth + 1, right))
        todo.append((int(children[node, 0]), depth + 1, ""))
    return "\n".join(lines)


@dataclass(frozen=True)
class Linear:
    """Says cuts of sums of columns.

    Attributes
    ----------
    names : sequence of str
        Of the columns.
    shift, span : (p,) float, optional
        The columns that the tree saw were (x - shift) / span: told are cuts of x.
    """

    names: Sequence[str]
    shift: Floats | None = None
    span: Floats | None = None

    def __call__(
        self, features: npt.NDArray[np.int32], weights: Floats, threshold: float, decimals: int
    ) -> tuple[str, float]:
        """Return the sum in words, and its threshold."""
        if self.span is not None:
            weights = weights / self.span[features]
        if self.shift is not None:
            threshold += float(weights @ self.shift[features])
        if len(features) == 1 and weights[0] > 0:
            # a single column needs no factor
            threshold, weights = threshold / float(weights[0]), np.ones(1)
        terms = []
        for feature, weight in zip(features.tolist(), weights.tolist(), strict=True):
            factor = "" if abs(weight) == 1 else f"{abs(weight):.{decimals}f} "
            sign = "-" if weight < 0 else "+"
            terms.append(f"{sign} {factor}{self.names[feature]}")
        return " ".join(terms).removeprefix("+ "), threshold
