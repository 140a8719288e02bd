"""What the script of a step calls: verbs of ``make``, modules and files that have to be there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from geoforest_cli.core.errors import UserError
from tools.workflows.machine import git

__all__ = ["check_script"]

_ENDS = {"&&", "||", ";", "|", "&", "(", ")"}
_WORDS = {"if", "then", "else", "do", "while", "!", "time", "exec"}
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)


def check_script(script: str, folder: Path) -> None:
    """Check that the programs of the repository which a script calls are there.

    Parameters
    ----------
    script : str
        Of bash, with the values of its expressions filled in.
    folder : Path
        The checkout in which it runs.

    Raises
    ------
    UserError
        If a verb of ``make``, a module, a program or a file in a folder of the checkout is not
        there, or bash cannot read the script.
    """
    _check_syntax(script)
    for command in _commands(script):
        program, *arguments = command
        if program == "make":
            _check_verbs(arguments, folder)
        elif "/" in program and "$" not in program:
            _check_file(program, folder)
        if "-m" in arguments and program.rpartition("/")[2].startswith("python"):
            _check_module(arguments[arguments.index("-m") + 1], folder)
        if program not in {"mkdir", "ln", "rm", "echo", "test"}:
            for word in arguments:
                _check_file(word, folder)


def _check_syntax(script: str) -> None:
    bash = shutil.which("bash") or "bash"
    done = subprocess.run([bash, "-n"], input=script, capture_output=True, text=True, check=False)  # noqa: S603 - commands of our own workflows
    if done.returncode:
        raise UserError(f"bash cannot read the script: {done.stderr.splitlines()[0]}")


def _commands(script: str) -> Iterator[list[str]]:
    """Yield the words of each simple command."""
    for line in script.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        command: list[str] = []
        for word in (*lexer, ";"):
            if word in _ENDS:
                if command:
                    yield command
                command = []
            elif command or not (word in _WORDS or _ASSIGNED.fullmatch(word)):
                command.append(word)


def _check_verbs(arguments: list[str], folder: Path) -> None:
    verbs = [word for word in arguments if not _ASSIGNED.fullmatch(word)]
    for verb in verbs:
        done = subprocess.run(  # noqa: S603 - commands of our own workflows
            ["make", "-n", verb],  # noqa: S607 - as the step calls it
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise UserError(f"make has no verb {verb!r} that it can make")


def _check_module(module: str, folder: Path) -> None:
    path = folder.joinpath(*module.split("."))
    if path.parts[len(folder.parts)] not in _tracked(folder):
        return  # not of the repository: pip, venv
    if not (path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()):
        raise UserError(f"there is no module {module}")


def _check_file(word: str, folder: Path) -> None:
    """Check a word that names something in a folder of the repository."""
    path = word.removeprefix("./").partition("::")[0]
    first, slash, _ = path.partition("/")
    if slash and first in _tracked(folder) and not any(folder.glob(path.rstrip("/"))):
        raise UserError(f"there is no file {word}")


def _tracked(folder: Path) -> set[str]:
    return {line.partition("/")[0] for line in git(folder, "ls-files").splitlines()}
