"""Files are written whole or not at all."""

import errno
import os
import threading
from pathlib import Path

import pytest

from geoforest_cli.core.files import write_atomically


def test_text_and_bytes_are_written_as_they_are(tmp_path):
    write_atomically(tmp_path / "a.txt", "é\r\n\n")
    assert (tmp_path / "a.txt").read_bytes() == b"\xc3\xa9\r\n\n"
    write_atomically(tmp_path / "a.txt", b"\x00")
    assert (tmp_path / "a.txt").read_bytes() == b"\x00"


def test_a_full_disk_leaves_the_old_file_and_is_named(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "figure.svg"
    write_atomically(path, "old")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match=r"No space left on device: .*figure\.svg'") as caught:
        write_atomically(path, "new")
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"/file'") as caught:
        write_atomically(tmp_path / "file" / "figure.svg", "new")
    assert caught.value.errno in {errno.ENOTDIR, errno.EEXIST}


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_umask_decides_who_may_read(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "a", "a")
        write_atomically(tmp_path / "a", "b")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == mode


def test_a_reader_finds_one_of_the_whole_files(tmp_path):
    path = tmp_path / "a"
    texts = {"x" * 100_000, "y" * 90_000}
    write_atomically(path, min(texts))

    def write():
        for _ in range(50):
            for text in texts:
                write_atomically(path, text)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_text() in texts
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
