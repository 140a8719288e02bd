"""Methods of neighbours compared on one table by its classes."""

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
from geoforest_cli.tables.comparison_methods import ComparedMethod, chosen_methods
from geoforest_cli.tables.comparison_result import MethodComparison
from geoforest_cli.tables.copies import copies_note
from geoforest_cli.tables.folds import block_numbers, owners_of, repeated_subjects, require_together
from geoforest_cli.tables.groups import EACH
from geoforest_cli.tables.labels import numbered_classes
from geoforest_cli.tables.messages import as_argument, ignore
from geoforest_cli.tables.neighbors import neighbors_of, read_for_neighbors
from geoforest_cli.tables.options import NeighborOptions, takes_options
from geoforest_cli.tables.reading import RawTable, TableLike, open_table
from geoforest_cli.tables.standard_errors import influences, stratum_weights

__all__ = ["compare_neighbors"]

_BLOCKS = 20

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
OnMethod = Callable[[str, int, int], None]
OnResult = Callable[[MethodComparison], None]


@takes_options(NeighborOptions)
def compare_neighbors(
    table: TableLike,
    k: int,
    label: str,
    *,
    together: str | None = None,
    blocks: bool = False,
    methods: Sequence[str] = (),
    on_method: OnMethod = ignore,
    on_result: OnResult = ignore,
    **options: Any,
) -> MethodComparison:
    """Compare methods of neighbours on a table.

    The score of a method is the share of a row's neighbours that are of its class, where all
    classes weigh the same.

    Parameters
    ----------
    table, k
        As in `find_neighbors`.
    label : str
        A column of classes, which no method sees.
    together : str, optional
        A column, which no method sees either: rows with the same value there (several of one
        patient) are nobody's neighbours among themselves, and one draw.
    blocks : bool
        The same for each of twenty blocks of consecutive rows, for rows in order of time.
    methods : sequence of str
        The methods to compare, see `geoforest_cli.tables.comparison_methods.COMPARED`; by default
        all of these that suit the table.
    on_method : callable
        Called with the name of each method before it runs, its number from 1, and how many run.
    on_result : callable
        Called after each method with the comparison of those that have finished.
    **options
        As in `find_neighbors`. With ``screen="auto"``, only Geodesic Forests and
        ``adaptive_neighbors`` screen the columns.

    Returns
    -------
    MethodComparison

    Raises
    ------
    DataError
        For a label that is not there or missing, and where no method can run.
    UserError
        For an unknown method, and for both a column and blocks.

    Examples
    --------
    >>> import pandas as pd
    >>> t = np.linspace(0, 1, 60)
    >>> table = pd.DataFrame({"x": np.cos(5 * t), "y": np.sin(5 * t), "half": t < 0.5})
    >>> methods = ["euclidean", "correlation"]
    >>> compare_neighbors(table, 4, "half", methods=methods).summary()
    'Use euclidean (0.975); correlation is not as good.'
    """
    label = str(label)
    given = NeighborOptions.of({**options, "label": label})
    if given.group == EACH:
        argument = as_argument("group", EACH)
        raise UserError(
            f"{argument}: methods are compared on one group; a column or a number names it"
        )
    raw = open_table(table, given)
    classes = numbered_classes(raw, label, given.columns)[1]
    require_together(raw, together, (*given.columns, label))
    if together is not None:
        given = replace(given, exclude=(*given.exclude, together))
    data = read_for_neighbors(raw, given)
    notes = [*data.notes, copies_note(data.points, "score")]
    if (choice := given.group_choice()) is not None:
        ((data, screened),) = choice.tables(data).values()
        notes.append(screened.note)
        columns = tuple(dict.fromkeys(data.sources))
        given = replace(given, group=None, screen="none", columns=columns)
    owners = _owners(raw, data.rows, together, blocks=blocks)
    if owners is None:
        names = classes[data.rows].astype(str)
        notes.append(repeated_subjects(raw.frame.iloc[data.rows], names, label))
    for note in filter(None, (*notes, data.used())):
        given.on_note(note)
    kept, classes = np.unique(classes[data.rows], return_inverse=True)
    if len(kept) < 2:
        raise DataError(f"{raw.name}: the label {quoted(label)} has one class only")
    selected = chosen_methods(methods, given, data.points.shape[1])
    results = _Results(raw, k, classes, owners, replace(given, on_note=ignore))
    for number, (name, compared) in enumerate(selected.items(), 1):
        on_method(name, number, len(selected))
        results.add(name, compared)
        if results.values:
            on_result(results.comparison())
    if not results.values:
        raise next(iter(results.errors.values()))
    return results.comparison()


def _owners(raw: RawTable, rows: Indices, together: str | None, *, blocks: bool) -> Indices | None:
    """Return what each row belongs to, None if every row stands for itself."""
    if blocks and together is not None:
        both = as_argument("together", together)
        raise UserError(f"{as_argument('blocks')} and {both}: rows are kept together in one way")
    if blocks:
        return block_numbers(len(rows), min(_BLOCKS, len(rows)))
    return None if together is None else owners_of(raw, rows, together)


class _Results:
    """Results of the methods that have finished, and why others failed."""

    def __init__(
        self, raw: RawTable, k: int, classes: Indices, owners: Indices | None,
        options: NeighborOptions,
    ) -> None:  # fmt: skip
        self._raw, self._k, self._classes, self._owners = raw, k, classes, owners
        self._options = options
        self._seconds: list[Floats] = []
        self._arguments: list[str] = []
        self.values: dict[str, tuple[Floats, Floats]] = {}
        self.errors: dict[str, Exception] = {}

    def add(self, name: str, compared: ComparedMethod) -> None:
        """Run a method and keep its values and its time, or why it failed."""
        began, compiling = _clocks(), _CompileTime()
        try:
            with install_listener("numba:compile", compiling):
                values = self._measure(compared)
        except Exception as error:  # whatever one method does, the others still run
            self.errors[name] = error
            return
        self._seconds.append(_clocks() - began - compiling.total)
        self.values[name] = values
        self._arguments.append(compared.arguments(self._options))

    def _measure(self, compared: ComparedMethod) -> tuple[Floats, Floats]:
        """Return the share of each row's neighbours of its class, and the influence of each row.

        Rows of the same owner are no neighbours of one another.
        """
        owners = self._owners
        spare = 0 if owners is None else int(np.bincount(owners).max()) - 1
        options, k = compared.options(self._options), self._k
        lists = neighbors_of(
            self._raw, k + spare, compared.method, compared.params, options
        ).indices
        if owners is not None:
            nearest = np.argsort(owners[lists] == owners[:, None], axis=1, kind="stable")[:, :k]
            lists = np.take_along_axis(lists, nearest, axis=1)
        same = self._classes[lists] == self._classes[:, None]
        shares: Floats = same.mean(axis=1)
        changes = (same - shares[:, None]) / k
        return shares, influences(shares, stratum_weights(self._classes), lists, changes)

    def comparison(self) -> MethodComparison:
        """Return the comparison of the methods that have finished."""
        seconds, cpu_seconds = np.maximum(self._seconds, 0.0).T
        values, influence = np.array(list(self.values.values())).swapaxes(0, 1)
        return MethodComparison(
            tuple(self.values), self._k, values, influence, self._classes, tuple(self._arguments),
            seconds, cpu_seconds, {name: _reason(error) for name, error in self.errors.items()},
            self._options.seed, self._owners,
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
    expected = isinstance(error, UserError | ValueError)
    return sentence if expected else f"{type(error).__name__}: {sentence}"
