"""All methods of neighbours on one table, side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.errors import DataError, UserError
from geoforest_cli.hints import unknown
from geoforest_cli.methods import METHODS
from geoforest_cli.own_data.dialect import Reading
from geoforest_cli.own_data.neighbors import Missing, Neighbors, find_neighbors, takes_gaps
from geoforest_cli.own_data.reading import Opened, TableLike, open_frame
from geoforest_cli.own_data.scaling import Scale
from geoforest_cli.own_data.screens import LEVEL, Which
from geoforest_cli.own_data.shapes import Shape
from geoforest_cli.own_data.wording import OnNote, in_row, silent, spell

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
        level = [
            name
            for number, (name, is_near) in enumerate(zip(self.methods, near, strict=True))
            if is_near and number != best
        ]
        beside = f", level with {', '.join(level)}" if level else ""
        return (
            f"{self.methods[best]} finds most of the own class, "
            f"{self.own_class[best]:.2f}{beside}; chance is {self.chance:.2f}."
        )


def compare_neighbors(
    table: TableLike,
    k: int = 10,
    label: str | None = None,
    *,
    shape: Shape | None = None,
    columns: Sequence[str] = (),
    identifier: str | None = None,
    scale: Scale = "auto",
    missing: Missing = "refuse",
    screen: Which | None = None,
    level: float = LEVEL,
    seed: int = 0,
    n_jobs: int | None = None,
    on_note: OnNote = silent,
    on_method: OnMethod = silent,
    **how: Unpack[Reading],
) -> Comparison:
    """Find neighbours with every method that suits a table, and hold them against each other.

    Parameters
    ----------
    table, k, shape, columns, identifier, scale, missing, screen, level, seed, n_jobs
        As in `find_neighbors`, and so are `sep`, `decimal`, `encoding` and `sheet`.
    label : str, optional
        A column of classes, which no method sees.
    on_note : callable
        Told the notes of the first method.
    on_method : callable
        Told the name of each method before it runs.

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
    >>> found = compare_neighbors(table, 4, "half")
    >>> found.frame().columns.tolist(), bool(found.own_class.max() > 0.9)
    (['method', 'own_class', 'chance'], True)
    """
    opened = open_frame(table, **how)
    labels = None if label is None else _labels(opened, label, columns)
    beside = [one for one in (label, identifier) if one in opened.frame.columns]
    opened = opened._replace(frame=opened.frame.drop(columns=beside))
    found: dict[str, Neighbors] = {}
    failed: dict[str, UserError | ValueError] = {}
    whole_only = UserError(
        f"no missing values are taken there; {spell('missing', 'drop')} compares all methods on "
        "the rows that have every value"
    )
    for method in _suitable(shape):
        if missing == "random" and not takes_gaps(method):
            failed[method] = whole_only
            continue
        on_method(method)
        try:
            found[method] = find_neighbors(
                opened, k, method, shape=shape, columns=columns, scale=scale, missing=missing,
                screen=screen, level=level, seed=seed, n_jobs=n_jobs,
                on_note=silent if found else on_note,
            )  # fmt: skip
        except (UserError, ValueError) as error:
            failed[method] = error
    if not found:
        raise next(iter(failed.values()))
    indices = [one.indices for one in found.values()]
    own_class = chance = None
    if labels is not None:
        classes = labels[next(iter(found.values())).ids.to_numpy()]
        own_class = np.array([np.mean(classes[one] == classes[:, None]) for one in indices])
        chance = _chance(classes)
    return Comparison(
        methods=tuple(found),
        k=k,
        rows=len(indices[0]),
        own_class=own_class,
        chance=chance,
        overlaps=_overlaps(indices),
        failed={name: " ".join(str(error).split()) for name, error in failed.items()},
    )


def _suitable(shape: Shape | None) -> list[str]:
    names = [name for name, entry in METHODS.items() if entry.kind == "neighbors"]
    unsuited = _NOT_COMPARED if shape is not None else _NOT_COMPARED | {_WITH_SHAPE}
    return [name for name in names if name not in unsuited]


def _labels(opened: Opened, label: str, columns: Sequence[str]) -> Indices:
    """Return the class of every row, as a number."""
    frame, name = opened.frame, opened.name
    if label not in frame.columns:
        raise DataError(f"{name}: {unknown('column', label, list(frame.columns))}")
    if label in columns:
        place = spell("columns")
        raise DataError(f"{name}: {label!r} is the label and cannot be one of the {place}")
    if (gaps := frame[label].isna()).any():
        place = in_row(int(np.argmax(gaps.to_numpy())))
        raise DataError(f"{name}: the label {label!r} is missing in {place}")
    names, classes = np.unique(frame[label].astype(str).to_numpy(str), return_inverse=True)
    if not 2 <= len(names) <= len(frame) / 2:
        raise DataError(
            f"{name}: the label {label!r} has {len(names)} different values in {len(frame)} rows; "
            "classes are at least 2, and at most half as many as rows"
        )
    return classes.astype(np.int64)


def _chance(classes: Indices) -> float:
    """Return how often another row is of the same class.

    Examples
    --------
    >>> _chance(np.array([0, 0, 1, 1]))
    0.3333333333333333
    """
    n, counts = len(classes), np.bincount(classes)
    return float((counts * (counts - 1)).sum() / (n * (n - 1)))


def _overlaps(found: Sequence[Indices]) -> Floats:
    """Return the mean share of neighbours that each pair of methods has in common."""
    rows = [np.sort(one, axis=1) for one in found]
    n, k = rows[0].shape
    shares = np.eye(len(rows))
    for i, j in itertools.combinations(range(len(rows)), 2):
        both = np.sort(np.concatenate([rows[i], rows[j]], axis=1), axis=1)
        shares[i, j] = shares[j, i] = float((both[:, 1:] == both[:, :-1]).sum() / (n * k))
    return shares
