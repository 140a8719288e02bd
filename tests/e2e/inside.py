"""The command line in this process."""

import contextlib
import io
import subprocess
from pathlib import Path

import pytest

from geoforest_cli.cli.main import main

ROOT = Path(__file__).parents[2]


def geoforest(*arguments, cwd=ROOT):
    """Return what a process would say, without the seconds that it takes to import everything."""
    said, complained = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patched,
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complained),
    ):
        patched.setattr("sys.argv", ["geoforest", *map(str, arguments)])
        patched.chdir(cwd)
        with pytest.raises(SystemExit) as ended:
            main()
    code = ended.value.code
    return subprocess.CompletedProcess(arguments, code, said.getvalue(), complained.getvalue())
