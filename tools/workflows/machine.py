"""What the steps of a job share: folders, environment, the clone, stand-ins of known actions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError

__all__ = ["KNOWN", "Machine", "StepFailed", "check_inputs", "git"]

_OURS = ("GEOFOREST_", "GITHUB_", "MAKE", "MFLAGS", "PYTHON", "VIRTUAL_ENV", "COV_CORE", "PYTEST")
_PIP = ("PIP_", "GEOFOREST_DATA")


class StepFailed(Exception):
    """A step that did not do what it says; the message says why."""


@dataclass
class Machine:
    """The machine of one job.

    Attributes
    ----------
    source : Path
        The repository that is cloned by ``actions/checkout``.
    scratch : Path
        A new folder: the workspace and the temporary files are in it.
    own : dict of str to Path
        Actions that are composite: name -> the folder of their ``action.yml``.
    variables : dict of str to str
        What steps have written to ``$GITHUB_ENV``.
    path : list of str
        Folders that are added to the path, the last one first.
    """

    source: Path
    scratch: Path
    own: Mapping[str, Path] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    path: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.workspace = self.scratch / "workspace"
        self.temp = self.scratch / "temp"
        for folder in (self.workspace, self.temp):
            folder.mkdir(parents=True)

    def environment(self) -> dict[str, str]:
        """Return the variables that every step sees."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(_PIP) or not name.startswith(_OURS)
        }
        own = str(Path(sys.executable).parent)
        before = [one for one in kept.get("PATH", "").split(os.pathsep) if one != own]
        return {
            **kept,
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.temp),
            "RUNNER_OS": "Linux",
            **self.variables,
            "PATH": os.pathsep.join([*reversed(self.path), *before]),
        }


def _checkout(machine: Machine, given: Mapping[str, str]) -> dict[str, str]:
    depth = given.get("fetch-depth", "1")
    words = [] if depth == "0" else ["--depth", depth]
    _call("git", "clone", "-q", *words, f"file://{machine.source}", str(machine.workspace))
    return {}


def _setup_python(machine: Machine, given: Mapping[str, str]) -> dict[str, str]:
    version = given.get("python-version", "3")
    program = shutil.which(f"python{version}", path=machine.environment()["PATH"])
    if program is None:
        raise StepFailed(f"Python {version} is not on this machine")
    folder = machine.temp / f"python-{version}"
    _call(program, "-m", "venv", str(folder))
    machine.path.append(str(folder / "bin"))
    return {"python-version": version}


def _upload(machine: Machine, given: Mapping[str, str]) -> dict[str, str]:
    for pattern in given["path"].split():
        paths = list(machine.workspace.glob(pattern))
        files = [file for path in paths for file in (path, *path.rglob("*")) if file.is_file()]
        if not files:
            raise StepFailed(f"there is no file to upload in {pattern}")
        print(f"{len(files)} files of {pattern} would be uploaded", flush=True)
    return {}


def _deploy(*_: object) -> dict[str, str]:
    print("Nothing is deployed from here", flush=True)
    return {"page_url": ""}


def _cache(*_: object) -> dict[str, str]:
    print("There is no cache here: nothing is restored", flush=True)
    return {"cache-hit": ""}


def _call(*words: str) -> None:
    done = subprocess.run(words, check=False, capture_output=True, text=True)  # noqa: S603 - commands of our own workflows
    if done.returncode:
        raise StepFailed(f"{' '.join(words[:2])}: {done.stderr.strip()}")


def git(folder: Path, *words: str) -> str:
    """Return what git prints of a checkout; "" if it fails."""
    done = subprocess.run(  # noqa: S603 - commands of our own workflows
        ["git", "-C", str(folder), *words],  # noqa: S607 - the user's own
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


_StandIn: TypeAlias = Callable[[Machine, Mapping[str, str]], dict[str, str]]

# action -> what does it here, the inputs it takes, those it has to be given
KNOWN: dict[str, tuple[_StandIn, set[str], set[str]]] = {
    "actions/checkout": (_checkout, {"fetch-depth"}, set()),
    "actions/setup-python": (_setup_python, {"python-version"}, set()),
    "actions/upload-artifact": (_upload, {"name", "path"}, {"path"}),
    "actions/upload-pages-artifact": (_upload, {"path"}, {"path"}),
    "actions/deploy-pages": (_deploy, set(), set()),
    "actions/cache": (_cache, {"path", "key", "restore-keys"}, {"path", "key"}),
}


def check_inputs(action: str, given: Mapping[str, str], known: set[str], needed: set[str]) -> None:
    """Check what an action is given.

    Raises
    ------
    UserError
        If an input is not known, or a required one is missing.
    """
    for name in given:
        if name not in known:
            raise UserError(suggestions.missing(action, "input", name, known))
    for name in sorted(needed):
        if name not in given:
            raise UserError(f"{action} needs the input {name!r}")
