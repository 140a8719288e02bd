"""Loaders of real sets: what they keep of the files, and the files they refuse."""

import gzip
import os

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.problems.datasets import mnist, uci

needs_data = pytest.mark.skipif(
    "GEOFOREST_DATA" not in os.environ, reason="GEOFOREST_DATA is not set"
)


def test_idx_files(tmp_path):
    path = tmp_path / "labels.gz"
    head = (2049).to_bytes(4, "big") + (3).to_bytes(4, "big")
    path.write_bytes(gzip.compress(head + bytes([7, 8, 9])))
    assert mnist.read_idx(path).tolist() == [7, 8, 9]
    path.write_bytes(gzip.compress(head + bytes([7, 8])))
    with pytest.raises(DataError, match="2 bytes"):
        mnist.read_idx(path)
    path.write_bytes(gzip.compress(b"something else"))
    with pytest.raises(DataError, match="not an idx file"):
        mnist.read_idx(path)
    path.write_bytes(b"plain")
    with pytest.raises(DataError, match="not a gzip file"):
        mnist.read_idx(path)


@needs_data
def test_real_sets_hold_what_they_should(tmp_path, monkeypatch):
    assert np.allclose(uci.banknote().points.mean(axis=0), [0.434, 1.922, 1.398, -1.192], atol=1e-3)
    plant = uci.ccpp()
    assert plant.points[0].tolist() == [14.96, 41.76, 1024.07, 73.17]
    assert plant.response[0] == 463.26
    mixtures = uci.concrete()
    assert mixtures.response.min() == pytest.approx(2.3318, abs=1e-4)
    # the workbook itself, without the derived table beside it
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    original = uci._table("concrete", "no_such_copy.csv")
    assert np.allclose(original[:, :-1], mixtures.points)
    monkeypatch.setattr("pandas.read_excel", lambda *_, **__: pytest.fail("parsed twice"))
    assert np.array_equal(original, uci._table("concrete", "no_such_copy.csv"))
    digits = mnist.mnist()
    assert np.bincount(digits.train_labels).tolist() == [
        5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949
    ]  # fmt: skip
    assert digits.train.mean() == pytest.approx(33.3184, abs=1e-3)
