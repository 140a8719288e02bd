"""The steps of a partitioned search, each from files to one file: what a worker runs.

A step writes its file under another name and renames it, so that a file that is there is whole.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
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
from geoforest_cli.tables.partitioned.parts import PartSource, RowBlock

__all__ = ["Finder", "TreeCell", "cell_counts", "plan_cells", "sample_block"]

Indices = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_SLICE = 50_000  # rows whose lists are merged at once
_SMALL_CELLS = 10  # of less than a tenth of the wanted rows are joined with the next one
_ODD = np.uint64(0x9E3779B97F4A7C15)  # distinct numbers stay distinct
_MISSING = -1  # in the place of a neighbour that a small cell does not have
_TREE = 2**32  # leaves of a tree are numbered below


class TreeCell(NamedTuple):
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
class Finder:
    """Settings of all steps.

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
    source: PartSource
    blocks: tuple[RowBlock, ...]
    kept: tuple[int, ...]
    k: int
    seed: int
    params: Mapping[str, Any]
    scale: Scaling = field(default_factory=Scaling)

    def routed(self, number: int) -> Path:
        """File of a block's rows, sorted by their cells."""
        return self.folder / f"block{number:06d}.arrow"

    def coarse(self) -> Path:
        """File of the coarse trees."""
        return self.folder / "coarse.joblib"

    def route(self, number: int) -> None:
        """Write the rows of a block once for each coarse tree, in the order of its leaves."""
        points, ids = self.source.read(self.blocks[number])
        points = self.scale.apply(np.ascontiguousarray(points[:, self.kept]))
        leaves = joblib.load(self.coarse()).apply(points)
        n, trees = leaves.shape
        keys = (leaves + _TREE * np.arange(trees)).T.ravel()
        order = np.argsort(keys, kind="stable")
        rows, first = order % n, self.blocks[number].first
        columns = {"key": keys[order], "row": first + rows, "id": ids.take(rows)}
        _write(self.routed(number), pa.table({**columns, "x": _lists(points[rows])}))

    def search(self, cell: TreeCell) -> None:
        """Write the lists of the rows of a cell, in the order of the rows."""
        from geoforest_cli.estimators.forests.leaf_mates import LeafMates

        first, last = (_TREE * cell.tree + leaf for leaf in (cell.leaves[0], cell.leaves[-1]))
        routed = [self.routed(number) for number in range(len(self.blocks))]
        table = pa.concat_tables([_between(path, "key", first, last + 1) for path in routed])
        table = table.combine_chunks().sort_by("row")
        table = table.take(np.arange(cell.start, len(table), cell.step)).combine_chunks()
        points, rows = _matrix(table["x"]), table["row"].to_numpy()
        most = min(self.k, len(rows) - 1)
        seed = derive_seed("cell", self.seed, cell.tree, cell.number) % 2**32
        index = LeafMates(screen=None, rescale="none", random_state=seed, n_jobs=1, **self.params)
        distances, indices = index.fit(points).kneighbors(n_neighbors=most)
        missing = (0, 0), (0, self.k - most)
        lists = {
            "near": np.pad(rows[indices], missing, constant_values=_MISSING),
            "distance": np.pad(distances, missing, constant_values=np.inf),
        }
        columns = {name: _lists(values) for name, values in lists.items()}
        if self.source.identifier is not None:  # else the row numbers are the names
            names = table["id"].combine_chunks().take(np.pad(indices, missing).ravel())
            columns["name"] = pa.FixedSizeListArray.from_arrays(names, self.k)
        written = pa.table({"row": rows, "id": table["id"], **columns})
        _write(self.folder / cell.name, written)

    def merge(self, part: int, cells: Sequence[TreeCell], output: Path) -> None:
        """Write the lists of a part's rows: the k nearest of all trees."""
        blocks = [block for block in self.blocks if block.part == part]
        first, end = blocks[0].first, blocks[-1].first + blocks[-1].rows
        starts = range(first, end, _SLICE)
        tables = (self._merged(start, min(start + _SLICE, end), cells) for start in starts)
        head = next(tables)
        with replacing(output) as path, pq.ParquetWriter(path, head.schema) as writer:
            for table in itertools.chain([head], tables):
                writer.write_table(table)

    def _merged(self, start: int, end: int, cells: Sequence[TreeCell]) -> pa.Table:
        """Return the lines of the rows from one to before another."""
        n, k = end - start, self.k
        lists = [
            pa.concat_tables([
                _between(self.folder / cell.name, "row", start, end)
                for cell in cells
                if cell.tree == tree
            ]).combine_chunks().sort_by("row").combine_chunks()
            for tree in sorted({cell.tree for cell in cells})
        ]  # fmt: skip
        neighbors, distance = (
            np.stack([_matrix(table[name]) for table in lists], axis=1)
            for name in ("near", "distance")
        )
        lengths, nearest = nearest_of_trees(neighbors, distance, k, start)
        # all names of the first tree, row by row, then those of the second
        tree, rank = np.divmod(nearest, k)
        position = (tree * n + np.arange(n)[:, None]) * k + rank
        name = "near" if self.source.identifier is None else "name"
        names = pa.concat_arrays([table[name].combine_chunks().flatten() for table in lists])
        return pa.table({
            "id": lists[0]["id"].combine_chunks().take(np.repeat(np.arange(n), k)),
            "rank": np.tile(np.arange(1, k + 1), n),
            "neighbor": names.take(position.ravel()),
            "distance": lengths.ravel(),
        })  # fmt: skip


def nearest_of_trees(
    neighbors: Indices, distance: Floats, k: int, start: int = 0
) -> tuple[Floats, Indices]:
    """Return the k least distances of each row, and where these neighbours are listed.

    Parameters
    ----------
    neighbors : (n, trees, m) int64
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
    n = len(neighbors)
    flat, lengths = neighbors.reshape(n, -1), distance.reshape(n, -1)
    numbers = np.arange(start, start + n)[:, None]
    order = np.lexsort(((flat ^ numbers).astype(np.uint64) * _ODD, lengths), axis=1)
    listed = np.take_along_axis(flat, order, axis=1)
    # a neighbour that two trees list stands twice in a row
    again = np.zeros(listed.shape, np.bool_)
    again[:, 1:] = listed[:, 1:] == listed[:, :-1]
    first = np.argsort(again, axis=1, kind="stable")[:, :k]
    nearest = np.take_along_axis(order, first, axis=1)
    return np.take_along_axis(lengths, nearest, axis=1), nearest


def sample_block(source: PartSource, block: RowBlock, rows: Indices) -> npt.NDArray[Any]:
    """Read and check a whole block, and return some of its rows."""
    points, _ = source.read(block)
    drawn: npt.NDArray[Any] = points[rows - block.first]
    return drawn


def cell_counts(search: Finder) -> dict[tuple[int, int], int]:
    """Return how many rows were routed to each leaf of each coarse tree."""
    counts: Counter[tuple[int, int]] = Counter()
    for number in range(len(search.blocks)):
        keys = _mapped(search.routed(number))["key"].to_numpy()
        for key, rows in zip(*np.unique(keys, return_counts=True), strict=True):
            counts[divmod(int(key), _TREE)] += int(rows)
    return dict(counts)


def plan_cells(counts: Mapping[tuple[int, int], int], cell_rows: int, k: int) -> list[TreeCell]:
    """Return the cells: leaves joined up to `cell_rows`; those that no cut divides are dealt out.

    Examples
    --------
    >>> cells = plan_cells({(0, 1): 2, (0, 2): 90, (0, 4): 250, (1, 0): 342}, 100, 5)
    >>> [(cell.tree, cell.leaves, cell.rows, cell.step) for cell in cells[:3]]
    [(0, (1, 2), 92, 1), (0, (4,), 84, 3), (0, (4,), 83, 3)]
    """
    least = max(cell_rows // _SMALL_CELLS, 2 * k + 1)
    joined: list[tuple[int, tuple[int, ...], int]] = []
    for (tree, leaf), rows in sorted(counts.items()):
        before = joined[-1][2] if joined and joined[-1][0] == tree else 0
        if before and (before + rows <= cell_rows or min(before, rows) < least):
            _, leaves, _ = joined.pop()
            joined.append((tree, (*leaves, leaf), before + rows))
        else:
            joined.append((tree, (leaf,), rows))
    cells: list[TreeCell] = []
    for tree, leaves, rows in joined:
        step = 1 if rows <= 2 * cell_rows else -(-rows // cell_rows)
        for start in range(step):
            count = len(range(start, rows, step))
            cells.append(TreeCell(tree, len(cells), leaves, count, start, step))
    return cells


def _lists(values: npt.NDArray[Any]) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])


def _matrix(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    values = column.combine_chunks().flatten().to_numpy()
    matrix: npt.NDArray[Any] = values.reshape(len(column), column.type.list_size)
    return matrix


def _mapped(path: Path) -> pa.Table:
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def _between(path: Path, column: str, start: int, stop: int) -> pa.Table:
    """Return the rows of a file in the order of a column with values from one to before another."""
    table = _mapped(path)
    first, end = np.searchsorted(table[column].to_numpy(), [start, stop])
    return table.slice(first, end - first)


def _write(path: Path, table: pa.Table) -> None:
    with (
        replacing(path) as part,
        pa.OSFile(str(part), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
