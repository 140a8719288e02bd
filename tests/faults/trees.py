"""A copy of the checkout in a folder of its own, where a fault may stand and tests run."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.faults import compiled

ROOT = Path(__file__).resolve().parents[2]
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_LOOK = 0.2  # seconds between two looks at running tests
_BUSY = 0.1  # of a processor: who uses less looks again and again whether something has come
_IDLE = 60  # seconds that tests may wait without computing anything
NOT_AS_PYTHON = ["-m", "not compiled"]  # takes too long
_NO_TESTS = 5
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Verdict:
    """How a run of tests ended: what failed first, or why it was stopped; nothing if all passed."""

    killed: bool
    by: str = ""
    output: str = ""


def files_of(root: Path) -> list[str]:
    """The files of a checkout that git knows, or would take."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return sorted({name for name in listed.split("\0") if name and (root / name).is_file()})


class Tree:
    """A copy of the files of a checkout.

    Compiled modules are told by the hash of their source: two faults that are written within
    one second, and are of one length, have the same time and size.
    """

    def __init__(self, folder: Path, numba: Path, root: Path = ROOT) -> None:
        self.folder = folder
        self.numba = numba
        for name in files_of(root):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target)
        compiled = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash"]
        packages = [name for name in ("geoforest_cli", "experiments") if (folder / name).is_dir()]
        subprocess.run([sys.executable, *compiled, *packages], cwd=folder, check=True)

    @contextlib.contextmanager
    def edited(self, file: str, text: str) -> Iterator[None]:
        """Let a file hold another text for a while."""
        path = self.folder / file
        before = path.read_bytes()
        path.write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            path.write_bytes(before)

    def environment(self, *, plain: bool) -> dict[str, str]:
        """What tests of this copy run in."""
        changes = {"PYTHONPATH": str(self.folder), "NUMBA_CACHE_DIR": str(self.numba)}
        plainly = {"NUMBA_DISABLE_JIT": "1"} if plain else {}
        return {**os.environ, **_ONE_THREAD, **changes, **plainly}

    def run(self, arguments: Sequence[str], *, plain: bool = False, seconds: float) -> Verdict:
        """Run tests up to the first that fails.

        Tests that take more than some seconds of processor time, or wait for long, are stopped:
        the fault made them hang, and so is killed.
        """
        beside = self.folder.parent / f"{self.folder.name}-run"
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
        # thousands of names may be too long for a command line
        (beside / "arguments").write_text("\n".join(arguments), encoding="utf-8")
        command = [
            sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=short",
            "-p", "no:cacheprovider", "--hypothesis-seed=0",
            f"--basetemp={beside / 'tmp'}", *(NOT_AS_PYTHON if plain else []),
            f"@{beside / 'arguments'}",
        ]  # fmt: skip
        log = beside / "log"
        with log.open("wb") as stream:
            process = psutil.Popen(
                command, cwd=self.folder, env=self.environment(plain=plain), stdin=subprocess.DEVNULL,
                stdout=stream, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                stopped = _watch(process, seconds)
            finally:
                _end(process)
        output = log.read_text(encoding="utf-8", errors="replace")
        if stopped:
            return Verdict(killed=True, by=stopped, output=output)
        if process.returncode in (0, _NO_TESTS):
            return Verdict(killed=False, output=output)
        failed = _FAILED.search(output)
        by = failed[1] if failed else f"exit status {process.returncode}"
        return Verdict(killed=True, by=by, output=output)


def _watch(process: psutil.Popen, seconds: float) -> str:
    """Wait for a process; say why if it has to be stopped.

    What is counted is processor time, so that a busy machine kills no fault.
    """
    used, since = 0.0, time.monotonic()
    # it is not reaped yet: until `_end` nobody else gets its number
    while process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(_LOOK)
        now = _used(process)
        if now > seconds:
            return f"more than {seconds:.0f} s of processor time"
        if time.monotonic() - since > _IDLE:
            if now - used < _BUSY * _IDLE:
                return f"waiting for more than {_IDLE} s"
            used, since = now, time.monotonic()
    return ""


def _used(process: psutil.Popen) -> float:
    total = 0.0
    with contextlib.suppress(psutil.Error):
        for one in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += sum(one.cpu_times()[:4])
    return total


def _end(process: psutil.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextlib.contextmanager
def trees(count: int, root: Path = ROOT) -> Iterator[list[Tree]]:
    """Some copies, in a temporary folder, with one cache of compiled kernels."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        numba = Path(folder) / "numba"
        numba.mkdir()
        made = [Tree(Path(folder) / f"tree-{one}", numba, root) for one in range(count)]
        for one in made:
            compiled.lend_from_checkout(root, one.folder, numba)
        yield made
