"""The folder of a search in parts: what a call before has written there, and whose it is."""

import json

import pytest

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables.partitioned.manifest import MANIFEST, held, read, write


@pytest.mark.parametrize(
    "content",
    [{}, {"k": 5}, {"kept": [], "notes": []}, {"k": 5, "kept": ["a", "b"], "notes": ["Said."]}],
)
def test_what_was_written_is_read(tmp_path, content):
    write(tmp_path, content)
    assert read(tmp_path / MANIFEST) == content


DAMAGED = [
    b"[" * 100_000,
    b"", b"{", b"[1]", b"null", b"3", b'{"k": "\xff"}',
]  # fmt: skip


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_what_is_no_manifest_is_refused_in_a_sentence(tmp_path, content):
    path = tmp_path / MANIFEST
    path.write_bytes(content)
    with pytest.raises(DataError) as refused:
        read(path)
    said = f"{path}: it is damaged; delete {tmp_path}, or name another folder"
    assert str(refused.value) == said


def test_a_folder_is_made_and_the_same_call_finds_it_again(tmp_path):
    folder, call = tmp_path / "a" / "near", {"k": 5, "inputs": [1, 2]}
    with held(folder, call) as manifest:
        assert manifest == call
        assert json.loads((folder / MANIFEST).read_text()) == call
        write(folder, manifest | {"kept": ["x"], "notes": []})
    with held(folder, call) as manifest:
        assert manifest == call | {"kept": ["x"], "notes": []}
    for change, said in (
        ({"k": 6}, "other k (5 there, 6 now); name another folder, or delete that one"),
        ({"seed": 1}, "other seed (None there, 1 now); name"),
        ({"inputs": [3]}, "other inputs; name another folder"),
    ):
        with pytest.raises(DataError) as refused, held(folder, call | change):
            raise AssertionError("another call holds it")
        assert str(refused.value).startswith(
            f"{folder}: it holds neighbours of another call: {said}"
        )


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "_lock").touch()
    with held(tmp_path, {"k": 5}) as manifest:
        assert manifest == {"k": 5}
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.txt").touch()
    with pytest.raises(DataError, match="it is not empty and holds no neighbours"), held(other, {}):
        raise AssertionError("it is held")
    assert [file.name for file in other.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("name", ["near.csv", "near.TSV", "near.parquet", "near.h5ad", "file"])
def test_a_file_is_no_folder(tmp_path, name):
    (tmp_path / "file").touch()
    with (
        pytest.raises(UserError, match="a table in parts need a folder, not"),
        held(tmp_path / name, {}),
    ):
        raise AssertionError("it is held")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    with held(tmp_path / "near.v2", {}):
        assert (tmp_path / "near.v2").is_dir()


def test_two_calls_do_not_write_into_one_folder(tmp_path):
    said = f"{tmp_path}: another process writes neighbours there"
    with held(tmp_path, {"k": 5}):
        with pytest.raises(UserError) as refused, held(tmp_path, {"k": 5}):
            raise AssertionError("it is held twice")
        assert str(refused.value) == said
    with held(tmp_path, {"k": 5}) as manifest:
        assert manifest == {"k": 5}
