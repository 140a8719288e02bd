"""Memory that a request is said to need, and where it is refused."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.annotated import read_annotated
from geoforest_cli.tables.arrays import read_feather, read_parquet
from geoforest_cli.tables.memory import (
    require_memory_for_graph,
    require_memory_for_lists,
    require_memory_for_matrix,
    require_memory_for_table,
    require_memory_for_trees,
)


@pytest.fixture
def free(monkeypatch):
    """Say how many bytes are free."""
    return lambda size: monkeypatch.setattr(
        "psutil.virtual_memory", lambda: SimpleNamespace(available=size)
    )


NEVER = "geodesic_forest and euclidean do not"


@pytest.mark.parametrize(
    ("require", "size", "sentence"),
    [
        (lambda: require_memory_for_matrix("isomap", 10_000), 24 * 10**8,
         f"isomap needs a 10,000 x 10,000 matrix, 2.4 GB with what is made of it, and 2.4 GB are free; {NEVER}"),
        (lambda: require_memory_for_graph("adaptive", 10**6, 50), 7500 * 10**6,
         f"adaptive needs a graph of 1,000,000 rows, 7.5 GB with what is made of it, and 7.5 GB are free; {NEVER}"),
        (lambda: require_memory_for_graph("adaptive", 10**6, 101), 15_100 * 10**6,
         f"adaptive needs a graph of 1,000,000 rows, 15 GB with what is made of it, and 15 GB are free; {NEVER}"),
        (lambda: require_memory_for_lists("k=70", 10**6, 70), 1400 * 10**6,
         "k=70: 70 neighbours of each of 1,000,000 rows take 1.4 GB, and 1.4 GB are free; ask for fewer"),
        (lambda: require_memory_for_trees("n_estimators=1500", 10**6, 1500), 12_000 * 10**6,
         "n_estimators=1500: 1,500 trees on 1,000,000 rows take 12 GB, and 12 GB are free; ask for fewer"),
        (lambda: require_memory_for_table("t.npy", 10**9, 10**7), 1160 * 10**6,
         "t.npy: its table takes 1.2 GB, and 1.2 GB are free; leave rows or columns out"),
        (lambda: require_memory_for_table("t.npy", 10**9), 10**9,
         "t.npy: its table takes 1.0 GB, and 1.0 GB are free; leave rows or columns out"),
    ],
)  # fmt: skip
def test_what_just_fits_is_taken_and_a_byte_more_refused(free, require, size, sentence):
    free(size)
    require()
    free(size - 1)
    with pytest.raises(DataError) as caught:
        require()
    assert str(caught.value) == sentence


def refused_below(free, size, read, words):
    """A table is read with the bytes that it needs, and refused without one of them."""
    free(size)
    read()
    free(size - 1)
    with pytest.raises(DataError, match=words):
        read()


def test_files_of_arrow_say_what_they_take(free, tmp_path):
    frame = pd.DataFrame({"a": np.arange(30.0), "b": np.arange(30)})
    frame.to_feather(tmp_path / "t.feather")
    size = (tmp_path / "t.feather").stat().st_size
    refused_below(free, size, partial(read_feather, tmp_path / "t.feather"), "its table takes")
    frame.to_parquet(tmp_path / "t.parquet")
    facts = pq.read_metadata(tmp_path / "t.parquet")
    size = facts.row_group(0).total_byte_size + 16 * 60
    refused_below(free, size, partial(read_parquet, tmp_path / "t.parquet"), "its table takes")


@pytest.mark.parametrize("columns", [1000, 1001, 2001])
def test_many_columns_of_a_parquet_file_are_read_piece_by_piece(tmp_path, columns):
    frame = pd.DataFrame(np.arange(2.0 * columns).reshape(2, columns)).add_prefix("c")
    frame.rename_axis("who").to_parquet(tmp_path / "t.parquet")
    table = read_parquet(tmp_path / "t.parquet")
    assert sorted(table) == sorted([*frame, "who"])
    pd.testing.assert_frame_equal(table[list(frame)], frame)


def test_an_annotated_matrix_takes_its_values(free, tmp_path):
    """16 bytes for each value of a dense matrix."""
    anndata = pytest.importorskip("anndata")
    rows = pd.Index([f"r{i}" for i in range(9)], dtype=object)
    made = anndata.AnnData(
        X=np.ones((9, 40), np.float32),
        obs=pd.DataFrame({"depth": np.arange(9.0)}, index=rows),
        var=pd.DataFrame(index=pd.Index([f"g{i}" for i in range(40)], dtype=object)),
    )  # fmt: skip
    made.write_h5ad(tmp_path / "t.h5ad")
    words = r"X of 9 x 40 values, dense: its table takes"
    refused_below(free, 16 * 360, partial(read_annotated, tmp_path / "t.h5ad"), words)
