"""Methods of neighbours compared on one table: by its classes, or by how they predict columns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.core.event import Listener, install_listener

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.tables.cleaning import require_known_columns
from geoforest_cli.tables.column_prediction import (
    column_halves,
    prediction_by_chance,
    prediction_by_row,
    rank_targets,
)
from geoforest_cli.tables.comparison_methods import ComparedMethod, chosen_methods
from geoforest_cli.tables.comparison_result import Comparison
from geoforest_cli.tables.copies import copies_note
from geoforest_cli.tables.folds import owners_of, repeated_subjects, require_together
from geoforest_cli.tables.groups import EACH
from geoforest_cli.tables.labels import numbered_classes
from geoforest_cli.tables.messages import as_argument, ignore
from geoforest_cli.tables.neighbors import neighbors_of
from geoforest_cli.tables.options import (
    NeighborOptions,
    read_table,
    takes_options,
)
from geoforest_cli.tables.reading import RawTable, TableLike, open_table
from geoforest_cli.tables.standard_errors import influences, stratum_weights
from geoforest_cli.tables.table import UserTable

__all__ = ["compare_neighbors"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
OnMethod = Callable[[str, int, int], None]
OnResult = Callable[[Comparison], None]
# returns the value of each row by one method, and the influence of each row on the score
Measure = Callable[[ComparedMethod, NeighborOptions], tuple[Floats, Floats]]


@takes_options(NeighborOptions)
def compare_neighbors(
    table: TableLike,
    k: int = 10,
    label: str | None = None,
    *,
    together: str | None = None,
    methods: Sequence[str] = (),
    on_method: OnMethod = ignore,
    on_result: OnResult = ignore,
    **options: Any,
) -> Comparison:
    """Compare methods of neighbours on a table.

    With a label, a method's score is the share of a row's neighbours that are of its class, where
    all classes weigh the same. Without one, neighbours are found in half of the columns, and the
    score is the share of the variance of the other half that they predict.

    Parameters
    ----------
    table, k
        As in `find_neighbors`.
    label : str, optional
        A column of classes, which no method sees.
    together : str, optional
        A column, which no method sees either: rows with the same value there (several of one
        patient) are nobody's neighbours among themselves, and one draw. It takes a label.
    methods : sequence of str
        The methods to compare, see `geoforest_cli.tables.comparison_methods.COMPARED`; by default
        all of these that suit the table.
    on_method : callable
        Called with the name of each method before it runs, its number from 1, and how many run.
    on_result : callable
        Called after each method with the comparison of those that have finished.
    shape, columns, exclude, identifier, scale, missing, screen, level, seed, n_jobs
        As in `find_neighbors`, and so are `sep`, `decimal`, `encoding` and `sheet`. With "auto",
        only Geodesic Forests and ``adaptive_neighbors`` screen the columns.
    on_note : callable
        Called with the notes on the table.
    strict : bool
        As in `find_neighbors`.

    Returns
    -------
    Comparison

    Raises
    ------
    DataError
        For a label that is not there or missing, where no method can run, and for one column alone
        without a label.
    UserError
        For an unknown method.

    Examples
    --------
    >>> import pandas as pd
    >>> t = np.linspace(0, 1, 60)
    >>> table = pd.DataFrame({"x": np.cos(5 * t), "y": np.sin(5 * t), "half": t < 0.5})
    >>> found = compare_neighbors(table, 4, "half", methods=["euclidean", "correlation"])
    >>> found.summary()
    'Use euclidean (0.975); correlation is not as good.'
    """
    given = NeighborOptions.of(options)
    if given.group == EACH:
        place = as_argument("group", EACH)
        raise UserError(
            f"{place}: methods are compared on one group; a column or a number names it"
        )
    label = None if label is None else str(label)
    raw = open_table(table, given)
    classes = None if label is None else numbered_classes(raw, label, given.columns)[1]
    require_known_columns(raw, given.clean_options())
    if together is not None and label is None:
        raise UserError(f"{as_argument('together', together)} is for a comparison by a label")
    require_together(raw, together, (*given.columns, label))
    whole, on_note, owners = raw, given.on_note, None
    raw, given = _without_hidden(raw, {label, together}, given)
    data, given = _read(raw, given)
    by_chance = np.nan
    if classes is None:
        measure, by_chance, given = _prediction(raw, data, k, given)
        columns = len(set(data.sources)) // 2
    else:
        if together is not None:
            owners = owners_of(whole, data.rows, together)
        elif subjects := repeated_subjects(
            whole.frame.iloc[data.rows], classes[data.rows].astype(str), str(label)
        ):
            on_note(subjects)
        names, classes = np.unique(classes[data.rows], return_inverse=True)
        if len(names) < 2:
            raise DataError(f"{raw.name}: the label {quoted(label)} has one class only")
        columns = data.points.shape[1]
        measure = _own_class(raw, classes, k, owners)
    chosen = chosen_methods(methods, given, columns)
    results = _Results(k, classes, given, by_chance, owners)
    for number, (name, compared) in enumerate(chosen.items(), 1):
        on_method(name, number, len(chosen))
        results.add(name, compared, measure)
        if results.values:
            on_result(results.comparison())
    if not results.values:
        raise results.first_error
    return results.comparison()


class _Results:
    """What the methods that have finished have found, and why others failed."""

    def __init__(
        self, k: int, classes: Indices | None, options: NeighborOptions, by_chance: float,
        owners: Indices | None,
    ) -> None:  # fmt: skip
        self._k, self._classes, self._options = k, classes, options
        self._by_chance, self._owners = by_chance, owners
        self._arguments: list[str] = []
        self._seconds: list[Floats] = []
        self._errors: dict[str, Exception] = {}
        self.values: dict[str, tuple[Floats, Floats]] = {}

    @property
    def first_error(self) -> Exception:
        """Why the first method failed."""
        return next(iter(self._errors.values()))

    def add(self, name: str, compared: ComparedMethod, measure: Measure) -> None:
        """Run a method and keep its values and its time, or why it failed."""
        began, compiling = _clocks(), _CompileTime()
        try:
            with install_listener("numba:compile", compiling):
                values = measure(compared, compared.options(self._options))
        except Exception as error:  # whatever one method does, the others still run
            self._errors[name] = error
            return
        self._seconds.append(_clocks() - began - compiling.total)
        self.values[name] = values
        self._arguments.append(compared.arguments(self._options))

    def comparison(self) -> Comparison:
        """Return the comparison of the methods that have finished."""
        wall, cpu = np.maximum(self._seconds, 0.0).T
        values, influence = np.array(list(self.values.values())).swapaxes(0, 1)
        return Comparison(
            tuple(self.values), self._k, values, influence, self._classes,
            tuple(self._arguments), wall, cpu,
            {name: _reason(error) for name, error in self._errors.items()}, self._options.seed,
            self._by_chance, self._owners,
        )  # fmt: skip


class _CompileTime(Listener):
    """Time on the clock and of the processor that a compiler took; one thread compiles."""

    def __init__(self) -> None:
        self.total, self._began, self._depth = np.zeros(2), np.zeros(2), 0

    def on_start(self, event: Any) -> None:
        if not self._depth:
            self._began = _clocks()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth:
            self.total += _clocks() - self._began


def _clocks() -> Floats:
    return np.array([time.perf_counter(), time.process_time()])


def _reason(error: Exception) -> str:
    sentence = " ".join(str(error).split())
    return (
        sentence
        if isinstance(error, UserError | ValueError)
        else (f"{type(error).__name__}: {sentence}")
    )


def _without_hidden(
    raw: RawTable, unseen: set[str | None], options: NeighborOptions
) -> tuple[RawTable, NeighborOptions]:
    """Return the table without the columns that no method may see, and options without them."""
    hidden = {*options.exclude, *unseen, options.identifier} - {None}
    raw = raw._replace(
        frame=raw.frame.drop(columns=list(hidden)),
        unnamed=tuple(name for name in raw.unnamed if name not in hidden),
    )
    return raw, replace(options, exclude=(), identifier=None)


def _read(raw: RawTable, options: NeighborOptions) -> tuple[UserTable, NeighborOptions]:
    """Return the columns and rows that are compared, and options that name a group's columns."""
    images = options.shape is not None
    clean = options.clean_options(
        keep_constant=images,
        missing="keep" if options.missing == "impute" else options.missing,
        remedies=("impute", "drop"),
    )
    data = read_table(raw, clean, options, images=images, filled=options.missing == "impute")
    for note in filter(None, (*data.notes, copies_note(data.points, "score"))):
        options.on_note(note)
    choice = options.group_choice()
    if choice is not None:
        ((data, screened),) = choice.tables(data).values()
        options.on_note(screened.note)
        columns = tuple(dict.fromkeys(data.sources))
        options = replace(options, group=None, screen="none", columns=columns)
    options.on_note(data.used())
    return data, replace(options, on_note=ignore)


def _own_class(raw: RawTable, classes: Indices, k: int, owners: Indices | None) -> Measure:
    """Return what counts the neighbours of each row that are of its class and not of its owner."""
    weights = stratum_weights(classes)
    spare = 0 if owners is None else int(np.bincount(owners).max()) - 1

    def measure(compared: ComparedMethod, options: NeighborOptions) -> tuple[Floats, Floats]:
        lists = neighbors_of(raw, k + spare, compared.method, compared.params, options).indices
        if owners is not None:
            nearest = np.argsort(owners[lists] == owners[:, None], axis=1, kind="stable")[:, :k]
            lists = np.take_along_axis(lists, nearest, axis=1)
        same = classes[lists] == classes[:, None]
        shares: Floats = same.mean(axis=1)
        return shares, influences(shares, weights, lists, (same - shares[:, None]) / k)

    return measure


def _prediction(
    raw: RawTable, data: UserTable, k: int, options: NeighborOptions
) -> tuple[Measure, float, NeighborOptions]:
    """Return what predicts columns by neighbours in others, its score by chance, and its options.

    Raises
    ------
    DataError
        If there is one column alone.
    """
    names = tuple(dict.fromkeys(data.sources))
    if len(names) < 2:
        raise DataError(
            f"{raw.name}: without {as_argument('label')} some columns have to predict others, and "
            f"there is {names[0]!r} alone"
        )
    if options.shape is not None:  # half of an image is none
        scale = "none" if options.scale == "auto" else options.scale
        options = replace(options, shape=None, screen="none", scale=scale)
    # the same rows in all halves, whatever is missing in one of them
    frame = raw.frame[list(names)].iloc[data.rows].reset_index(drop=True)
    part = raw._replace(frame=frame, row_names=None)
    splits = column_halves(names, options.seed)
    targets = rank_targets(data.points)

    def measure(compared: ComparedMethod, options: NeighborOptions) -> tuple[Floats, Floats]:
        def find(columns: tuple[str, ...]) -> Indices:
            seen = replace(options, columns=columns)
            return neighbors_of(part, k, compared.method, compared.params, seen).indices

        return prediction_by_row(find, targets, data.sources, splits)

    return measure, prediction_by_chance(targets, data.sources, splits, k), options
