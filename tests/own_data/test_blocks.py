"""Files that appear only when they are whole."""

import pandas as pd
import pytest

from geoforest_cli.errors import DataError
from geoforest_cli.own_data.blocks import require_output, write_blocks


def blocks():
    yield pd.DataFrame({"id": ["a", "b"], "x": [0.1, 0.2]})
    yield pd.DataFrame({"id": ["c"], "x": [0.3]})


@pytest.mark.parametrize("suffix", ["csv", "TSV", "parquet"])
def test_blocks_become_one_table(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    write_blocks(path, blocks())
    if suffix == "parquet":
        found = pd.read_parquet(path)
    else:
        found = pd.read_csv(path, sep="\t" if suffix == "TSV" else ",")
    assert found["id"].tolist() == ["a", "b", "c"]
    assert found["x"].tolist() == [0.1, 0.2, 0.3]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_old_file_stays_when_a_block_fails(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    path.write_text("old")

    def broken():
        yield pd.DataFrame({"x": [1]})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_blocks(path, broken())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_outputs_that_cannot_be(tmp_path):
    with pytest.raises(DataError, match=r"not '\.xlsx'"):
        require_output("t.xlsx")
    with pytest.raises(DataError, match="there is no folder"):
        require_output(tmp_path / "nowhere" / "t.csv")
    assert require_output("t.csv").name == "t.csv"
