"""All methods of neighbours on one table, compared."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.tables.cleaning import require_known_columns
from geoforest_cli.tables.labels import numbered_classes
from geoforest_cli.tables.messages import as_argument, ignore
from geoforest_cli.tables.neighbors import Neighbors, neighbors_of
from geoforest_cli.tables.options import NeighborOptions, takes_options
from geoforest_cli.tables.parameters import accepts_missing
from geoforest_cli.tables.reading import RawTable, TableLike, open_table
from geoforest_cli.tables.shapes import Shape

__all__ = ["Comparison", "compare_neighbors"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
OnMethod = Callable[[str], None]

_WITH_SHAPE = "structured_forest"
# a twin of another, and one that has to be told which
_NOT_COMPARED = frozenset({"sklearn_isomap", "screened"})


@dataclass(frozen=True, eq=False)
class Comparison:
    """What the methods make of one table.

    Attributes
    ----------
    methods : tuple of str
    k : int
    rows : int
    own_class : (methods,) float64, optional
        Share of a row's neighbours that are of its class, where there is a label.
    chance : float, optional
        That share for neighbours drawn at random.
    overlaps : (methods, methods) float64
        Share of a row's neighbours that two methods have in common.
    failed : mapping
        The methods that could not run, with the reason.
    """

    methods: tuple[str, ...]
    k: int
    rows: int
    own_class: Floats | None
    chance: float | None
    overlaps: Floats
    failed: Mapping[str, str]

    def frame(self) -> pd.DataFrame:
        """Return one line per method: its share of the own class, or else its overlaps."""
        if self.own_class is None:
            return pd.DataFrame(
                {
                    "method": self.methods,
                    **dict(zip(self.methods, self.overlaps.T, strict=True)),
                }
            )
        order = np.argsort(-self.own_class, kind="stable")
        return pd.DataFrame(
            {
                "method": [self.methods[number] for number in order],
                "own_class": self.own_class[order],
                "chance": self.chance,
            }
        )

    def summary(self) -> str:
        """Return what the table says, in a sentence."""
        if self.own_class is None or self.chance is None:
            pairs = self.overlaps[np.triu_indices(len(self.methods), 1)]
            if not len(pairs):
                return f"{self.methods[0]} alone could run."
            by_chance = self.k / (self.rows - 1)
            return (
                f"Two methods share {pairs.min():.0%} to {pairs.max():.0%} of a row's {self.k} "
                f"neighbours ({by_chance:.0%} by chance): where they differ, a label would tell "
                "which to trust."
            )
        best = int(np.argmax(self.own_class))
        error = float(np.sqrt(self.own_class[best] * (1 - self.own_class[best]) / self.rows))
        near = self.own_class >= self.own_class[best] - 2 * error
        as_good = [
            name
            for number, (name, is_near) in enumerate(zip(self.methods, near, strict=True))
            if is_near and number != best
        ]
        beside = f", level with {', '.join(as_good)}" if as_good else ""
        return (
            f"{self.methods[best]} finds most of the own class, "
            f"{self.own_class[best]:.2f}{beside}; chance is {self.chance:.2f}."
        )


@takes_options(NeighborOptions)
def compare_neighbors(
    table: TableLike,
    k: int = 10,
    label: str | None = None,
    *,
    on_method: OnMethod = ignore,
    **options: Any,
) -> Comparison:
    """Find neighbours with every method that suits a table, and compare the results.

    Parameters
    ----------
    table, k
        As in `find_neighbors`.
    label : str, optional
        A column of classes, which no method sees.
    on_method : callable
        Called with the name of each method before it runs.
    shape, columns, exclude, identifier, scale, missing, screen, level, seed, n_jobs
        As in `find_neighbors`, and so are `sep`, `decimal`, `encoding` and `sheet`.
    on_note : callable
        Called with the notes of the first method.

    Returns
    -------
    Comparison

    Raises
    ------
    DataError
        For a label that is not there or missing, or where no method can run.

    Examples
    --------
    >>> t = np.linspace(0, 1, 60)
    >>> table = pd.DataFrame({"x": np.cos(5 * t), "y": np.sin(5 * t), "half": t < 0.5})
    >>> comparison = compare_neighbors(table, 4, "half")
    >>> comparison.frame().columns.tolist(), bool(comparison.own_class.max() > 0.9)
    (['method', 'own_class', 'chance'], True)
    """
    given = NeighborOptions.of(options)
    raw = open_table(table, given)
    classes = None if label is None else numbered_classes(raw, label, given.columns)[1]
    require_known_columns(raw, given.clean_options())
    hidden = {*given.exclude, label, given.identifier} - {None}
    raw = raw._replace(
        frame=raw.frame.drop(columns=list(hidden)),
        unnamed=tuple(name for name in raw.unnamed if name not in hidden),
    )
    given = replace(given, exclude=(), identifier=None)
    results, failed = _run_all(raw, k, given, on_method)
    indices = [result.indices for result in results.values()]
    own_class = chance = None
    if classes is not None:
        classes = classes[next(iter(results.values())).ids.to_numpy()]
        own_class = np.array([np.mean(classes[rows] == classes[:, None]) for rows in indices])
        chance = _chance(classes)
    return Comparison(
        tuple(results), k, len(indices[0]), own_class, chance, _overlaps(indices), failed
    )


def _run_all(
    raw: RawTable, k: int, options: NeighborOptions, on_method: OnMethod
) -> tuple[dict[str, Neighbors], dict[str, str]]:
    """Return the neighbours of each method that suits the table, and why others failed."""
    results: dict[str, Neighbors] = {}
    failed: dict[str, UserError | ValueError] = {}
    for method in _suitable(options.shape):
        if options.missing == "random" and not accepts_missing(method):
            drop = as_argument("missing", "drop")
            failed[method] = UserError(
                f"it takes no missing values; {drop} compares all methods on the rows that "
                "have every value"
            )
            continue
        on_method(method)
        try:
            results[method] = neighbors_of(raw, k, method, None, options)
        except (UserError, ValueError) as error:
            failed[method] = error
        else:
            options = replace(options, on_note=ignore)
    if not results:
        raise next(iter(failed.values()))
    return results, {name: " ".join(str(error).split()) for name, error in failed.items()}


def _suitable(shape: Shape | None) -> list[str]:
    names = [name for name, entry in METHODS.items() if entry.kind == "neighbors"]
    unsuited = _NOT_COMPARED if shape is not None else _NOT_COMPARED | {_WITH_SHAPE}
    return [name for name in names if name not in unsuited]


def _chance(classes: Indices) -> float:
    """Return how often another row is of the same class.

    Examples
    --------
    >>> _chance(np.array([0, 0, 1, 1]))
    0.3333333333333333
    """
    n, counts = len(classes), np.bincount(classes)
    return float((counts * (counts - 1)).sum() / (n * (n - 1)))


def _overlaps(neighbors: Sequence[Indices]) -> Floats:
    """Return the mean share of neighbours that each pair of methods has in common."""
    rows = [np.sort(indices, axis=1) for indices in neighbors]
    n, k = rows[0].shape
    shares = np.eye(len(rows))
    for i, j in itertools.combinations(range(len(rows)), 2):
        both = np.sort(np.concatenate([rows[i], rows[j]], axis=1), axis=1)
        shares[i, j] = shares[j, i] = float((both[:, 1:] == both[:, :-1]).sum() / (n * k))
    return shares
