"""The steps of a partitioned search, each from files to one file: what a worker runs.

A step writes its file under another name and renames it, so that a file that is there is whole.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from geoforest_cli.core.files import replacing
from geoforest_cli.core.identity import derive_seed
from geoforest_cli.estimators.base.scaling import Scaling
from geoforest_cli.tables.partitioned.parts import Block, Source

__all__ = ["Cell", "Search", "cell_counts", "plan_cells", "sample_block", "without_warnings"]

Indices = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_SLICE = 50_000  # rows whose lists are merged at once
_SMALL = 10  # a cell of less than a tenth of the wanted rows is always joined with the next one
_ODD = np.uint64(0x9E3779B97F4A7C15)  # distinct numbers stay distinct
_MISSING = -1  # in the place of a neighbour that a small cell does not have


class Cell(NamedTuple):
    """Leaves of one coarse tree whose rows are searched together; of a large one every nth row."""

    tree: int
    number: int
    leaves: tuple[int, ...]
    rows: int
    start: int = 0
    step: int = 1

    @property
    def name(self) -> str:
        """Of its file."""
        return f"tree{self.tree}-cell{self.number:06d}.arrow"


@dataclass(frozen=True)
class Search:
    """What all steps have to know.

    Attributes
    ----------
    folder : Path
        Of the files in between.
    source : Source
    blocks : tuple of Block
    kept : tuple of int
        Which columns of the source are compared.
    k, seed : int
    params : mapping
        Of the index in each cell.
    scale : Scaling
        Of the columns that are kept.
    """

    folder: Path
    source: Source
    blocks: tuple[Block, ...]
    kept: tuple[int, ...]
    k: int
    seed: int
    params: Mapping[str, Any]
    scale: Scaling = field(default_factory=Scaling)

    @property
    def slices(self) -> list[tuple[int, int, int]]:
        """Part, first row and end of what is merged at once."""
        return [
            (block.part, start, min(start + _SLICE, block.first + block.rows))
            for block in self.blocks
            for start in range(block.first, block.first + block.rows, _SLICE)
        ]

    def routed(self, number: int) -> Path:
        """File of a block's rows, sorted by their cells."""
        return self.folder / f"block{number:06d}.arrow"

    def coarse(self) -> Path:
        """File of the coarse trees."""
        return self.folder / "coarse.joblib"

    def route(self, number: int) -> None:
        """Write the rows of a block: a record batch for each leaf of each coarse tree."""
        points, ids = self.source.read(self.blocks[number])
        points = self.scale.apply(np.ascontiguousarray(points[:, self.kept]))
        rows = np.arange(self.blocks[number].first, self.blocks[number].first + len(points))
        leaves = joblib.load(self.coarse()).apply(points)
        counts: list[tuple[int, int, int]] = []
        batches = []
        for tree in range(leaves.shape[1]):
            order = np.argsort(leaves[:, tree], kind="stable")
            found, first = np.unique(leaves[order, tree], return_index=True)
            for leaf, members in zip(found, np.split(order, first[1:]), strict=True):
                counts.append((tree, int(leaf), len(members)))
                batches.append(_batch(row=rows[members], id=ids.take(members), x=points[members]))
        _write(self.routed(number), batches, {"leaves": json.dumps(counts)})

    def search(self, cell: Cell) -> None:
        """Write the lists of the rows of a cell: a batch for each slice."""
        from geoforest_cli.estimators.forests.leaf_mates import LeafMates

        found = [
            batch for number in range(len(self.blocks)) for batch in self._members(number, cell)
        ]
        table = pa.Table.from_batches(found).combine_chunks()
        rows = table["row"].to_numpy()
        order = np.argsort(rows, kind="stable")[cell.start :: cell.step]
        rows, ids = rows[order], table["id"].combine_chunks().take(order)
        points = _matrix(table["x"].combine_chunks())[order]
        n = len(rows)
        most = min(self.k, n - 1)
        seed = derive_seed("cell", self.seed, cell.tree, cell.number) % 2**32
        index = LeafMates(screen=None, rescale="none", random_state=seed, n_jobs=1, **self.params)
        distances, indices = index.fit(points).kneighbors(n_neighbors=most)
        missing = self.k - most
        distances = np.pad(distances, ((0, 0), (0, missing)), constant_values=np.inf)
        near = np.pad(rows[indices], ((0, 0), (0, missing)), constant_values=_MISSING)
        lists = {"near": pa.array(near.ravel()), "distance": pa.array(distances.ravel())}
        if self.source.identifier is not None:  # else the row numbers are the names
            lists["name"] = ids.take(np.pad(indices, ((0, 0), (0, missing))).ravel())
        width = near.shape[1]
        bounds = np.searchsorted(rows, [start for _, start, _ in self.slices] + [2**62])
        batches = []
        for a, b in itertools.pairwise(bounds):
            cut = {
                name: pa.FixedSizeListArray.from_arrays(
                    values.slice(a * width, (b - a) * width), width
                )
                for name, values in lists.items()
            }
            batches.append(pa.record_batch({"row": rows[a:b], **cut}))
        _write(self.folder / cell.name, batches)

    def merge(self, part: int, cells: Sequence[Cell], output: Path) -> None:
        """Write the lists of a part's rows: the k nearest of all trees."""
        with replacing(output) as path:
            writer = None
            try:
                for number, (of_part, *_) in enumerate(self.slices):
                    if of_part == part:
                        table = self._merged(number, cells)
                        writer = writer or pq.ParquetWriter(path, table.schema)
                        writer.write_table(table)
            finally:
                if writer is not None:
                    writer.close()

    def _members(self, number: int, cell: Cell) -> Iterable[pa.RecordBatch]:
        with pa.OSFile(str(self.routed(number))) as file:
            reader = pa.ipc.open_file(file)
            for place, (tree, leaf, _) in enumerate(_leaves(reader)):
                if tree == cell.tree and leaf in cell.leaves:
                    yield reader.get_batch(place)

    def _merged(self, number: int, cells: Sequence[Cell]) -> pa.Table:
        """Return the lines of the rows of a slice."""
        _, start, end = self.slices[number]
        named = self.source.identifier is not None
        ids = pa.array(np.arange(start, end))
        if named:
            block = next(b for b in self.blocks if b.first <= start < b.first + b.rows)
            ids = self.source.names(block).slice(start - block.first, end - start)
        n, width = end - start, self.k
        trees = sorted({cell.tree for cell in cells})
        near = np.empty((n, len(trees), width), np.int64)
        distance = np.empty((n, len(trees), width))
        place = np.empty((n, len(trees), width), np.int64)  # of a neighbour's name in `names`
        names: list[pa.Array] = []
        count = 0
        for cell in cells:
            with pa.OSFile(str(self.folder / cell.name)) as file:
                batch = pa.ipc.open_file(file).get_batch(number)
            rows = batch["row"].to_numpy() - start
            near[rows, cell.tree] = _matrix(batch["near"])
            distance[rows, cell.tree] = _matrix(batch["distance"])
            place[rows, cell.tree] = count + np.arange(len(rows) * width).reshape(-1, width)
            names.append(batch["name" if named else "near"].flatten())
            count += len(rows) * width
        lengths, nearest = nearest_of_trees(near, distance, self.k, start)
        chosen = np.take_along_axis(place.reshape(n, -1), nearest, axis=1)
        return pa.table({
            "id": ids.take(np.repeat(np.arange(n), self.k)),
            "rank": np.tile(np.arange(1, self.k + 1), n),
            "neighbor": pa.chunked_array(names).combine_chunks().take(chosen.ravel()),
            "distance": lengths.ravel(),
        })  # fmt: skip


def nearest_of_trees(
    near: Indices, distance: Floats, k: int, start: int = 0
) -> tuple[Floats, Indices]:
    """Return the k least distances of each row, and where these neighbours are listed.

    Parameters
    ----------
    near : (n, trees, m) int64
        Lists of neighbours of n rows; -1 where there is none.
    distance : (n, trees, m) float64
        The same for a neighbour in all lists of a row; infinite where there is none.
    k, start : int
        Neighbours, and number of the first row.

    Returns
    -------
    (n, k) float64, (n, k) int64
        Equally near ones are in an order of each row's own: no row is a neighbour of many because
        it comes first. Places count through all lists of a row.

    Examples
    --------
    >>> near = np.array([[[5, 6], [7, 5]]])
    >>> lengths, places = nearest_of_trees(near, np.array([[[0.2, 0.5], [0.1, 0.2]]]), 3)
    >>> lengths.tolist(), near.reshape(1, -1)[0, places[0]].tolist()
    ([[0.1, 0.2, 0.5]], [7, 5, 6])
    """
    n = len(near)
    flat, lengths = near.reshape(n, -1), distance.reshape(n, -1)
    numbers = np.arange(start, start + n)[:, None]
    order = np.lexsort(((flat ^ numbers).astype(np.uint64) * _ODD, lengths), axis=1)
    listed = np.take_along_axis(flat, order, axis=1)
    # a neighbour that two trees list stands twice in a row
    again = np.zeros(listed.shape, np.bool_)
    again[:, 1:] = listed[:, 1:] == listed[:, :-1]
    first = np.argsort(again, axis=1, kind="stable")[:, :k]
    nearest = np.take_along_axis(order, first, axis=1)
    return np.take_along_axis(lengths, nearest, axis=1), nearest


@contextlib.contextmanager
def without_warnings() -> Iterator[None]:
    """Leave out that a forest has few cuts or leaves: coarse trees may."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def sample_block(source: Source, block: Block, rows: Indices) -> npt.NDArray[Any]:
    """Read and check a whole block, and return some of its rows."""
    points, _ = source.read(block)
    chosen: npt.NDArray[Any] = points[rows - block.first]
    return chosen


def cell_counts(search: Search) -> dict[tuple[int, int], int]:
    """Return how many rows were routed to each leaf of each coarse tree."""
    counts: dict[tuple[int, int], int] = {}
    for number in range(len(search.blocks)):
        with pa.OSFile(str(search.routed(number))) as file:
            for tree, leaf, rows in _leaves(pa.ipc.open_file(file)):
                counts[tree, leaf] = counts.get((tree, leaf), 0) + rows
    return counts


def plan_cells(counts: Mapping[tuple[int, int], int], cell_rows: int, k: int) -> list[Cell]:
    """Return the cells: leaves joined up to `cell_rows`; those that no cut divides are dealt out.

    Examples
    --------
    >>> cells = plan_cells({(0, 1): 2, (0, 2): 90, (0, 4): 250, (1, 0): 342}, 100, 5)
    >>> [(cell.tree, cell.leaves, cell.rows, cell.step) for cell in cells[:3]]
    [(0, (1, 2), 92, 1), (0, (4,), 84, 3), (0, (4,), 83, 3)]
    """
    least = max(cell_rows // _SMALL, 2 * k + 1)
    joined: list[tuple[int, tuple[int, ...], int]] = []
    for (tree, leaf), rows in sorted(counts.items()):
        before = joined[-1][2] if joined and joined[-1][0] == tree else 0
        if before and (before + rows <= cell_rows or min(before, rows) < least):
            _, leaves, _ = joined.pop()
            joined.append((tree, (*leaves, leaf), before + rows))
        else:
            joined.append((tree, (leaf,), rows))
    cells: list[Cell] = []
    for tree, leaves, rows in joined:
        step = 1 if rows <= 2 * cell_rows else -(-rows // cell_rows)
        for start in range(step):
            count = len(range(start, rows, step))
            cells.append(Cell(tree, len(cells), leaves, count, start, step))
    return cells


def _leaves(reader: Any) -> list[tuple[int, int, int]]:
    return [tuple(entry) for entry in json.loads(reader.schema.metadata[b"leaves"])]


def _batch(**columns: Any) -> pa.RecordBatch:
    return pa.record_batch({
        name: _lists(values) if getattr(values, "ndim", 1) == 2 else values
        for name, values in columns.items()
    })  # fmt: skip


def _lists(values: npt.NDArray[Any]) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])


def _matrix(lists: pa.Array) -> npt.NDArray[Any]:
    width = lists.type.list_size
    matrix: npt.NDArray[Any] = lists.flatten().to_numpy().reshape(len(lists), width)
    return matrix


def _write(
    path: Path, batches: Sequence[pa.RecordBatch], facts: dict[str, str] | None = None
) -> None:
    schema = batches[0].schema.with_metadata(facts)
    with (
        replacing(path) as part,
        pa.OSFile(str(part), "wb") as file,
        pa.ipc.new_file(file, schema) as writer,
    ):
        for batch in batches:
            writer.write_batch(batch)
