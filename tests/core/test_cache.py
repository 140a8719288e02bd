"""The folders of the user's caches, and the arrays kept there."""

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.core import cache
from geoforest_cli.core import jit as _jit


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "home"


@pytest.fixture
def unwritable(tmp_path):
    """Sources beside which nothing can be kept."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "__pycache__").write_text("a file where a folder should be")
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="$XDG_CACHE_HOME")
@pytest.mark.parametrize("given", ["", None])
def test_without_a_cache_folder_it_is_that_of_the_home(home, unwritable, monkeypatch, given):
    if given is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", given)
    expected = home / ".cache" / "geoforest"
    assert cache.cache_folder() == expected
    assert Path(_jit._cache_folder(unwritable)).parent == expected
    assert list(Path.cwd().iterdir()) == []


def test_numba_is_told_its_own_folder(home, unwritable, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    assert Path(_jit._cache_folder(unwritable)).parent == tmp_path / "numba"


@pytest.mark.skipif(sys.platform != "linux", reason="$XDG_CACHE_HOME")
def test_where_nothing_can_be_kept_kernels_run_all_the_same(home, unwritable, monkeypatch):
    home.write_text("a file where a folder should be")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert _jit._cache_folder(unwritable) is None
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(home / "numba"))
    _jit._cache_folder.cache_clear()
    assert _jit._cache_folder(unwritable) is None
    monkeypatch.setattr(_jit, "_cache_folder", lambda _: None)
    assert _jit.kernel(lambda x: x + 1)(2) == 3


@pytest.fixture
def arrays(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    return tmp_path / "arrays"


def test_an_array_is_computed_once(arrays):
    asked = []

    def compute():
        asked.append(1)
        return np.arange(3.0)

    for _ in range(3):
        assert cache.stored_array("arrays", "a", compute).tolist() == [0, 1, 2]
    assert len(asked) == 1
    assert sorted(path.name for path in arrays.iterdir()) == ["a.npy", "a.sha256"]


def flip(folder):
    data = bytearray((folder / "a.npy").read_bytes())
    data[-1] ^= 1
    (folder / "a.npy").write_bytes(data)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "a.npy").write_bytes(b""),
        lambda folder: (folder / "a.npy").write_bytes(b"something else"),
        lambda folder: (folder / "a.sha256").write_bytes(b"\xff\xfe"),
        flip,
    ],
)
def test_a_spoilt_copy_is_replaced(arrays, spoil):
    for _ in range(2):
        assert cache.stored_array("arrays", "a", lambda: np.ones(2)).tolist() == [1, 1]
        assert np.load(arrays / "a.npy").tolist() == [1, 1]
        spoil(arrays)


def test_a_cache_that_cannot_be_written_is_no_error(arrays):
    arrays.write_text("a file where a folder should be")
    assert cache.stored_array("arrays", "a", lambda: np.ones(2)).tolist() == [1, 1]


def test_a_pickle_in_the_cache_is_not_opened(arrays):
    mark = arrays / "opened"

    class Trap:
        def __reduce__(self):
            return (Path.touch, (mark,))

    arrays.mkdir()
    np.save(arrays / "a.npy", np.array([Trap()], dtype=object), allow_pickle=True)
    data = (arrays / "a.npy").read_bytes()
    (arrays / "a.sha256").write_text(hashlib.sha256(data).hexdigest())
    assert cache.stored_array("arrays", "a", lambda: np.ones(2)).tolist() == [1, 1]
    assert not mark.exists()
