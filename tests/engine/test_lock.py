import os
import signal
import subprocess
import sys

import pytest

from geoforest_cli.engine import lock
from geoforest_cli.errors import UserError

HOLDER = """
import sys, pathlib, time
from geoforest_cli.engine import lock
with lock.hold(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_a_second_run_is_told_who_holds_the_folder(tmp_path, holder):
    why = f"in use by another run of geoforest .process {holder.pid}"
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
            assert (tmp_path / ".lock").read_text() == str(os.getpid())
