"""Peers in environments of their own, so that none of their packages stands beside ours.

``python -m geoforest_cli.estimators.baselines.isolated`` sets them up, in the user's cache folder,
from the pinned files in ``configs/peers``. There a peer is a process that takes one request after
the other and times itself, see ``peer_process.py``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import venv
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.bundled import bundled
from geoforest_cli.core.cache import cache_folder
from geoforest_cli.core.errors import Unavailable

__all__ = ["Answer", "Peer", "PeerMethod", "Session", "peers"]

_PROCESS = Path(__file__).with_name("peer_process.py")
_SET_UP = "python -m geoforest_cli.estimators.baselines.isolated sets it up"


@dataclass(frozen=True)
class Peer:
    """A package in an environment of its own.

    Attributes
    ----------
    name : str
        Of the package, and of the file with its pinned requirements.
    """

    name: str

    @property
    def requirements(self) -> Path:
        """The file that pins what is installed."""
        return bundled("configs") / "peers" / f"{self.name}.txt"

    @property
    def folder(self) -> Path:
        """Where the environment is: another one for other pins or another Python."""
        pins = self.requirements.read_bytes() + sys.version.encode()
        return cache_folder() / "peers" / f"{self.name}-{hashlib.sha256(pins).hexdigest()[:12]}"

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def lacking(self) -> str:
        """Return why the peer cannot be had here, in a sentence; empty if it can."""
        there = (self.folder / "complete").is_file()
        return "" if there else f"{self.name} has no environment of its own here ({_SET_UP})"

    def set_up(self) -> None:
        """Make the environment, unless it is there."""
        if not self.lacking():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        venv.create(self.folder, with_pip=True)
        install = [str(self.python), "-m", "pip", "install", "--quiet", "--no-deps"]
        install += ["--disable-pip-version-check", "-r", str(self.requirements)]
        subprocess.run(install, check=True)  # noqa: S603 - fixed words and our own files
        (self.folder / "complete").touch()


@dataclass(frozen=True)
class Answer:
    """Answer of a peer to one request.

    Attributes
    ----------
    seconds : float
        Of its processor, in the peer's own process.
    megabytes : float
        By which the process grew at its largest.
    array : array or None
    """

    seconds: float
    megabytes: float
    array: npt.NDArray[Any] | None = None


class Session:
    """A process in the environment of a peer; it ends with this object.

    Parameters
    ----------
    peer : Peer

    Raises
    ------
    Unavailable
        If the peer has no environment here, or its process ends.
    """

    def __init__(self, peer: Peer) -> None:
        if peer.lacking():
            raise Unavailable(peer.lacking())
        self._peer = peer
        self._folder = tempfile.mkdtemp(prefix="geoforest-peer-")
        # isolated: neither our packages nor the folder of the script are seen
        self._process = subprocess.Popen(  # noqa: S603 - fixed words and our own files
            [str(peer.python), "-I", str(_PROCESS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        weakref.finalize(self, _end, self._process, self._folder)

    def ask(
        self, request: str, settings: Mapping[str, Any] | None = None, **arrays: npt.ArrayLike
    ) -> Answer:
        """Have the peer do something, and return what it says.

        Parameters
        ----------
        request : str
            A method of `peer_process.Requests`.
        settings : mapping, optional
            Its arguments that JSON can carry.
        **arrays
            Its arguments that are arrays.
        """
        files = {}
        for name, array in arrays.items():
            files[name] = str(Path(self._folder) / f"{name}.npy")
            np.save(files[name], np.asarray(array), allow_pickle=False)
        returned = Path(self._folder) / "returned.npy"
        returned.unlink(missing_ok=True)
        message = {"request": request, "settings": dict(settings or {}), "arrays": files}
        message["returned"] = str(returned)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(message), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise Unavailable(f"the process of {self._peer.name} has ended over {request!r}")
        answer = json.loads(line)
        if "error" in answer:
            raise Unavailable(f"{self._peer.name} fails over {request!r}: {answer['error']}")
        result = np.load(returned, allow_pickle=False) if returned.exists() else None
        return Answer(answer["seconds"], answer["megabytes"], result)


class PeerMethod:
    """A method of a peer, which times itself.

    Attributes
    ----------
    spent : dict of str to Answer
        What ``fit``, ``distances`` and the like took in the peer's process.
    """

    _package: ClassVar[str]
    spent: dict[str, Answer]

    def _start(self, request: str, settings: Mapping[str, Any], **arrays: npt.ArrayLike) -> None:
        """Fit in a new process of the peer; importing its package before is not counted."""
        self.session_ = Session(Peer(self._package))
        self.session_.ask(f"load_{self._package}")
        self.spent = {"fit": self.session_.ask(request, settings, **arrays)}

    def _ask(self, step: str, request: str, **arrays: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the array that the fitted peer answers with."""
        self.spent[step] = self.session_.ask(request, None, **arrays)
        array = self.spent[step].array
        assert array is not None
        return array


def peers() -> list[Peer]:
    """Return the peers whose requirements are pinned."""
    return [Peer(path.stem) for path in sorted((bundled("configs") / "peers").glob("*.txt"))]


def _end(process: subprocess.Popen[str], folder: str) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    for peer in peers():
        peer.set_up()
