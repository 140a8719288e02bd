"""The parts and steps of a partitioned search alone, without workers."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.partitioned import parts
from geoforest_cli.tables.partitioned.parts import Parts, PartSource, part_files
from geoforest_cli.tables.partitioned.steps import nearest_of_trees, plan_cells

SOURCE = PartSource(("a", "b"), None, single=False)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 5), st.integers(0, 999))
def test_the_nearest_of_all_trees_one_by_one(n, trees, m, seed):
    """No row stands twice in a list; places are free where a cell is small."""
    rng = np.random.default_rng(seed)
    lists = np.array([[rng.permutation(9)[:m] for _ in range(trees)] for _ in range(n)])
    lengths = rng.integers(0, 5, (n, 9)) / 4
    lists[np.arange(m) >= rng.integers(1, m + 1, (n, trees, 1))] = -1
    for row in range(n):
        listed = {int(i): lengths[row, i] for i in lists[row].ravel() if i >= 0}
        distance = np.where(lists[row] < 0, np.inf, lengths[row][lists[row]])
        merged, places = nearest_of_trees(lists[row : row + 1], distance[None], len(listed))
        neighbors = lists[row].ravel()[places[0]].tolist()
        assert sorted(neighbors) == sorted(listed)
        assert merged[0].tolist() == [listed[i] for i in neighbors] == sorted(listed.values())


def test_of_equally_near_rows_the_first_are_no_nearer():
    rng = np.random.default_rng(0)
    lists = np.array([[rng.permutation(300)[:5] for _ in range(2)] for _ in range(300)])
    places = nearest_of_trees(lists, np.zeros(lists.shape), 5)[1]
    neighbors = np.take_along_axis(lists.reshape(300, -1), places, axis=1)
    assert abs(neighbors.mean() - 149.5) < 10


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 1), st.integers(0, 30)), st.integers(1, 900), min_size=1
    ),
    st.integers(100, 300),
)
def test_every_row_of_every_leaf_is_in_one_cell(counts, cell_rows):
    cells = plan_cells(counts, cell_rows, 5)
    assert [cell.number for cell in cells] == list(range(len(cells)))
    rows = Counter()
    for cell in cells:
        rows[cell.tree, cell.leaves] += cell.rows
        assert cell.rows <= 2 * cell_rows
        assert cell.rows == len(range(cell.start, sum(counts[cell.tree, leaf] for leaf in cell.leaves), cell.step))  # fmt: skip
    leaves = [(tree, leaf) for tree, members in rows for leaf in members]
    assert sorted(leaves) == sorted(counts)
    for (tree, members), count in rows.items():
        assert count == sum(counts[tree, leaf] for leaf in members)


@pytest.mark.parametrize(
    ("sizes", "joined"),
    [
        ((50, 50), [(1, 2)]),
        ((50, 51), [(1,), (2,)]),
        # one of less than a tenth, or of 2 k rows, is never alone
        ((10, 95), [(1, 2)]),
        ((98, 10), [(1, 2)]),
        ((90, 11), [(1,), (2,)]),
        ((11, 90), [(1,), (2,)]),
        ((40, 40, 40), [(1, 2), (3,)]),
        ((95, 5, 95, 5), [(1, 2), (3, 4)]),
    ],
)
def test_which_leaves_share_a_cell(sizes, joined):
    counts = {(0, leaf): rows for leaf, rows in enumerate(sizes, 1)}
    assert [cell.leaves for cell in plan_cells(counts, 100, 5)] == joined
    other = {(leaf % 2, leaf): rows for leaf, rows in enumerate(sizes[:2], 1)}
    assert [cell.leaves for cell in plan_cells(other, 100, 5)] == [(2,), (1,)]


def write(path, frame, **options):
    frame.to_parquet(path, index=False, **options)
    return path


@pytest.mark.parametrize(("most", "groups"), [(4, [(0, 1), (2, 3), (4,)]), (3, [(0,), (1,), (2,), (3, 4)]),
                                              (100, [(0, 1, 2, 3, 4)])])  # fmt: skip
def test_small_row_groups_are_read_together(tmp_path, monkeypatch, most, groups):
    monkeypatch.setattr(parts, "_BLOCK", most)
    frame = pd.DataFrame({"a": np.arange(9.0), "b": np.arange(9) % 2})
    paths = [write(tmp_path / f"{i}.parquet", frame, row_group_size=2) for i in range(2)]
    result = Parts.open(paths)
    assert result.rows == (9, 9)
    assert [block.groups for block in result.blocks] == groups * 2
    assert [block.part for block in result.blocks] == [0] * len(groups) + [1] * len(groups)
    begins = [2 * members[0] for members in groups]
    assert [block.offset for block in result.blocks] == begins * 2
    assert [block.first for block in result.blocks] == begins + [9 + begin for begin in begins]
    assert sum(block.rows for block in result.blocks) == 18
    whole = [result.source.read(block) for block in result.blocks]
    np.testing.assert_array_equal(np.concatenate([points for points, _ in whole]),
                                  np.tile(frame.to_numpy(), (2, 1)))  # fmt: skip
    assert [number for _, ids in whole for number in ids.to_pylist()] == list(range(18))
    sizes = [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in paths]
    assert result.state == sizes


def test_which_columns_are_read_and_how_precisely(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": [True, False], "n": ["x", "y"], "c": [3, 4]})
    path = write(tmp_path / "t.parquet", frame.astype({"a": np.float32}))

    def source(*args, **options):
        return Parts.open([path], *args, **options).source

    assert source(exclude=["n"]) == (("a", "b", "c"), None, False)
    assert source(identifier="n") == (("a", "b", "c"), "n", False)
    assert source(["a", "a"], ["c"], "n") == (("a",), "n", True)
    assert source(["a"]) == (("a",), None, True)
    (block,) = Parts.open([path], ["a"]).blocks
    points, ids = source(["a"], identifier="n").read(block)
    assert points.dtype == np.float32
    assert (points.tolist(), ids.to_pylist()) == ([[1.5], [2.5]], ["x", "y"])
    points, _ = source(["b", "a"]).read(block)
    assert points.dtype == np.float64
    assert points.tolist() == [[1, 1.5], [0, 2.5]]
    with pytest.raises(DataError, match="no column is left to compare"):
        source(exclude=["a", "b", "n", "c"])
    with pytest.raises(DataError, match=r"unknown column 'd'"):
        source(["d"])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_named_by_its_row(tmp_path, monkeypatch, bad):
    monkeypatch.setattr(parts, "_BLOCK", 2)
    frame = pd.DataFrame({"a": np.arange(6.0), "b": [0, 1, 2, bad, bad, 5]})
    result = Parts.open([write(tmp_path / "t.parquet", frame, row_group_size=2)])
    result.source.read(result.blocks[0])
    with pytest.raises(DataError, match=r"'b' has a missing or infinite value in row 3 \(rows"):
        result.source.read(result.blocks[1])


def test_parts_are_in_the_order_in_which_people_count(tmp_path):
    """Names as dask writes them: part.10 was before part.2, and rows had other numbers."""
    names = [*(f"part.{i}.parquet" for i in range(12)), "part.12b.parquet", "rest.parquet"]
    for name in names:
        (tmp_path / name).touch()
    assert [file.name for file in part_files([tmp_path])] == names


def test_files_are_taken_by_their_names_and_once(tmp_path):
    for name in (
        "b/2.parquet",
        "b/_meta.parquet",
        "b/.x.parquet",
        "b/notes.txt",
        "a/3.PARQUET",
        "a/1.parquet",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    files = part_files([tmp_path / "b", tmp_path / "a/3.PARQUET", tmp_path / "a/1.parquet"])
    assert [path.name for path in files] == ["1.parquet", "2.parquet", "3.PARQUET"]
    assert all(path.is_absolute() for path in files)
    with pytest.raises(DataError, match=r"notes\.txt: the parts of a table are \.parquet files"):
        part_files([tmp_path / "b/notes.txt"])
    with pytest.raises(DataError, match=r"there is no file .*none"):
        part_files([tmp_path / "none.parquet"])
