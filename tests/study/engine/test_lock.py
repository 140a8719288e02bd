import errno
import fcntl
import os
import signal
import subprocess
import sys

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine import lock

HOLDER = """
import fcntl, os, pathlib, sys

if len(sys.argv) > 2:
    def missing(*_):
        raise OSError(int(sys.argv[2]), os.strerror(int(sys.argv[2])))
    fcntl.flock = missing

from geoforest_cli.study.engine import lock
with lock.hold(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
# what file systems without flock answer
NO_FLOCK = [errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK]


def start(folder, *more):
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", HOLDER, str(folder), *map(str, more)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"held\n"
    return process


@pytest.fixture
def holder(tmp_path):
    with start(tmp_path) as process:
        yield process
        process.kill()


@pytest.fixture(params=NO_FLOCK, ids=errno.errorcode.get)
def no_flock(request, monkeypatch):
    def missing(*_):
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(fcntl, "flock", missing)
    return request.param


def test_a_second_run_is_told_who_holds_the_folder(tmp_path, holder):
    why = f"in use by another run of geoforest .process {holder.pid}.; wait for it to end, or"
    for _ in range(2):
        with pytest.raises(UserError, match=why), lock.hold(tmp_path):
            pass


def test_a_killed_holder_holds_nothing(tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    with lock.hold(tmp_path):
        pass


def test_the_lock_can_be_taken_again_and_again(tmp_path):
    for _ in range(3):
        with lock.hold(tmp_path):
            assert (tmp_path / ".lock.pid").read_text().split()[0] == str(os.getpid())
            with pytest.raises(UserError, match=f"process {os.getpid()}"), lock.hold(tmp_path):
                pass
        assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_an_error_of_the_run_stays_what_it_is(tmp_path):
    with pytest.raises(PermissionError), lock.hold(tmp_path):
        raise PermissionError
    with lock.hold(tmp_path):
        pass


@pytest.mark.parametrize("name", [".lock", ".lock.pid"])
def test_a_folder_in_the_way_is_one_sentence_and_holds_nothing(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(UserError, match=r"cannot be locked .*Is a directory.*--results$"):
        lock.hold(tmp_path).__enter__()
    (tmp_path / name).rmdir()
    with lock.hold(tmp_path):
        pass


def test_without_flock_a_file_is_the_lock(tmp_path, no_flock):
    soft = tmp_path / ".lock.soft"
    for _ in range(2):
        with lock.hold(tmp_path):
            assert soft.is_file()
        assert not soft.exists()


def test_without_flock_a_second_run_is_told_what_to_remove(tmp_path, no_flock):
    with start(tmp_path, no_flock) as process:
        soft = tmp_path / ".lock.soft"
        why = rf"process {process.pid}.*; .* if that process is gone, remove {soft}$"
        with pytest.raises(UserError, match=why), lock.hold(tmp_path):
            pass
        process.kill()
    soft.unlink(missing_ok=True)
    with lock.hold(tmp_path):
        pass
